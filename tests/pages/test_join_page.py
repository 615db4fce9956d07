"""``/inicio/unirse``: join by a code, typed or shared."""

from datetime import UTC, datetime

import pytest
from django.contrib.messages import get_messages

from bookings.domain.places.joining import join_class
from bookings.models import Purchase, UserActivity, VirtualClass
from bookings.templatetags.class_times import clock
from tests.factories import VirtualClassFactory

CODE = "ABCD2345"
PATH = "/inicio/unirse"
SHARED = f"{PATH}/{CODE}"


@pytest.fixture
def virtual_class(host):
    return VirtualClassFactory(scheduled=True, booked_by=host, access_code=CODE, max_participants=2)


@pytest.mark.parametrize("typed", [CODE, "abcd2345", " abcd-2345 ", "AB CD 23 45"])
def test_a_code_is_taken_as_people_type_it(student, sign_in, typed):
    assert sign_in(student).post(PATH, {"access_code": typed})["Location"] == SHARED


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("", "Completá este dato."),
        ("WRONG234", "No encontramos ninguna clase con ese código de acceso."),
        ("short", "Faltan 3 caracteres: el código tiene ocho."),
        ("ABCD-234", "Falta 1 carácter: el código tiene ocho."),
        ("ABCD23456", "Sobra 1 carácter: el código tiene ocho."),
        ("ÁBCD2345", "El código tiene solo letras sin tilde y números."),
    ],
)
def test_a_wrong_code_is_told_beside_the_field(virtual_class, student, sign_in, typed, told):
    response = sign_in(student).post(PATH, {"access_code": typed}, follow=True)

    assert response.context["form"].errors == {"access_code": [told]}
    assert response.content.decode().count(told) == 2  # in the summary as well


def test_a_code_shows_the_class_and_joins_nobody(virtual_class, student, sign_in):
    response = sign_in(student).post(PATH, {"access_code": CODE}, follow=True)

    page = " ".join(response.content.decode().split())
    assert "Ana te invita a su clase" in page
    assert clock(virtual_class.start_time) in page
    assert "60 min" in page
    assert "Queda 1 lugar de 2." in page
    assert not UserActivity.objects.filter(user=student).exists()


PAID_AT = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("paid", "told"),
    [
        ({"paid_at": PAID_AT, "state": "paid"}, "Ya está pagada: sumarte no te cuesta nada."),
        ({}, "Sumarte no te cuesta nada: si hay algo que pagar, lo paga quien reservó."),
    ],
    ids=["paid", "unpaid"],
)
def test_the_class_says_who_pays(virtual_class, student, sign_in, paid, told):
    Purchase.objects.update(updated_at=PAID_AT, **paid)

    assert told in sign_in(student).get(SHARED).content.decode()


def test_before_joining_the_class_shows_neither_its_link_nor_its_purpose(
    virtual_class, student, sign_in
):
    VirtualClass.objects.update(learning_focus="Shakespeare")

    page = sign_in(student).get(SHARED).content.decode()

    assert [said for said in (virtual_class.html_link, "Shakespeare") if said in page] == []


def test_one_button_joins(virtual_class, student, sign_in):
    response = sign_in(student).post(SHARED)

    assert response["Location"] == f"/inicio/clases/{virtual_class.pk}"
    assert UserActivity.objects.filter(user=student, virtual_class=virtual_class).exists()


def test_looking_counts_wrong_codes_as_joining_does(virtual_class, student, sign_in, settings):
    settings.MAX_WRONG_CODES = 2
    client = sign_in(student)

    for code in ("WRONG234", "WRONG235"):
        client.get(f"{PATH}/{code}")

    refused = client.get(SHARED).context["form"].errors
    assert refused == {"access_code": ["Demasiados intentos. Probá de nuevo en unos minutos."]}
    assert client.post(SHARED).context["form"].errors == refused


@pytest.mark.parametrize("act", ["get", "post"])
def test_a_full_class_says_so(virtual_class, student, stranger, sign_in, act):
    join_class(user=student, access_code=CODE)

    response = getattr(sign_in(stranger), act)(SHARED)

    assert response.context["form"].errors == {"access_code": ["La clase está completa."]}


@pytest.mark.parametrize("act", ["get", "post"])
def test_the_host_is_led_to_the_class(virtual_class, host, sign_in, act):
    response = getattr(sign_in(host), act)(SHARED)

    assert response["Location"] == f"/inicio/clases/{virtual_class.pk}"


@pytest.mark.parametrize("act", ["get", "post"])
def test_who_has_joined_a_class_that_is_full_by_now_is_told_and_led_to_the_class(
    virtual_class, student, sign_in, act
):
    join_class(user=student, access_code=CODE)

    response = getattr(sign_in(student), act)(SHARED)

    assert response["Location"] == f"/inicio/clases/{virtual_class.pk}"
    told = [str(message) for message in get_messages(response.wsgi_request)]
    assert told == ["Ya tenés un lugar en esta clase."]


def test_a_session_that_ended_meanwhile_joins_nobody(virtual_class, client):
    response = client.post(SHARED)

    assert response["Location"] == SHARED
    assert not UserActivity.objects.filter(virtual_class=virtual_class, rol="participante").exists()


@pytest.mark.parametrize("code", [CODE, "WRONG234"])
def test_a_stranger_signs_in_and_comes_back(virtual_class, client, code):
    html = client.get(f"{PATH}/{code}").content.decode()

    assert 'action="/api/auth/signin/google"' in html
    assert f'name="callbackUrl" value="{PATH}/{code}"' in html


def test_a_shared_address_tells_strangers_and_previews_nothing(virtual_class, host, client):
    shared, wrong = (client.get(f"{PATH}/{code}").content.decode() for code in (CODE, "WRONG234"))

    assert 'property="og:title" content="Te invitaron a una clase"' in shared
    assert '<meta name="robots" content="noindex">' in shared
    assert not [secret for secret in (virtual_class.html_link, host.name) if secret in shared]
    assert without_tokens(shared).replace(CODE, "") == without_tokens(wrong).replace("WRONG234", "")


def without_tokens(html: str) -> str:
    return "\n".join(line for line in html.splitlines() if "csrfmiddlewaretoken" not in line)


@pytest.mark.django_db
def test_a_stranger_types_the_code_once_and_then_signs_in(client):
    asked = client.post(PATH, {"access_code": CODE.lower()})

    assert asked["Location"] == SHARED
    assert f'Tu código es <strong translate="no">{CODE}</strong>' in client.get(SHARED).text
