"""``/inicio/unirse``: join by a code, typed or shared."""

import pytest
from django.contrib.messages import get_messages

from bookings.domain.places.joining import join_class
from bookings.models import UserActivity
from tests.factories import VirtualClassFactory

CODE = "ABCD2345"
PATH = "/inicio/unirse"
SHARED = f"{PATH}/{CODE}"


@pytest.fixture
def virtual_class(host):
    return VirtualClassFactory(scheduled=True, booked_by=host, access_code=CODE, max_participants=2)


@pytest.mark.parametrize("typed", [CODE, "abcd2345", " abcd-2345 ", "AB CD 23 45"])
def test_a_code_is_taken_as_people_type_it(virtual_class, student, sign_in, typed):
    response = sign_in(student).post(PATH, {"access_code": typed})

    assert response["Location"] == f"/inicio/clases/{virtual_class.pk}"
    assert UserActivity.objects.filter(user=student, virtual_class=virtual_class).exists()


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("", "Este campo es requerido."),
        ("WRONG234", "No encontramos ninguna clase con ese código de acceso."),
        ("short", "No encontramos ninguna clase con ese código de acceso."),
    ],
)
def test_a_wrong_code_is_told_beside_the_field(virtual_class, student, sign_in, typed, told):
    response = sign_in(student).post(PATH, {"access_code": typed})

    assert response.context["form"].errors == {"access_code": [told]}
    assert response.content.decode().count(told) == 2  # in the summary as well


def test_a_full_class_says_so(virtual_class, student, stranger, sign_in):
    join_class(user=student, access_code=CODE)

    response = sign_in(stranger).post(PATH, {"access_code": CODE})

    assert response.context["form"].errors == {"access_code": ["La clase está completa."]}


@pytest.mark.parametrize("door", ["typed", "shared"])
def test_the_host_is_led_to_the_class(virtual_class, host, sign_in, door):
    client = sign_in(host)

    response = client.post(PATH, {"access_code": CODE}) if door == "typed" else client.get(SHARED)

    assert response["Location"] == f"/inicio/clases/{virtual_class.pk}"


def test_who_has_joined_a_class_that_is_full_by_now_is_told_and_led_to_the_class(
    virtual_class, student, sign_in
):
    join_class(user=student, access_code=CODE)

    response = sign_in(student).post(PATH, {"access_code": CODE})

    assert response["Location"] == f"/inicio/clases/{virtual_class.pk}"
    told = [str(message) for message in get_messages(response.wsgi_request)]
    assert told == ["Ya estás anotado en esta clase."]


def test_a_shared_address_fills_in_the_code_and_joins_nobody(virtual_class, student, sign_in):
    response = sign_in(student).get(SHARED)

    assert f'value="{CODE}"' in response.content.decode()
    assert not UserActivity.objects.filter(user=student).exists()


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


def test_a_typed_code_needs_a_session(client):
    assert client.get(PATH)["Location"] == f"/inicio?callbackUrl={PATH}"
