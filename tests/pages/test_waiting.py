"""``/inicio/espera``: the way into a full class, step by step."""

from datetime import timedelta

import pytest
from django.contrib.messages import get_messages
from django.utils import timezone

from bookings.domain.classes.changing import change_capacity
from bookings.domain.places.joining import join_class
from bookings.domain.places.waiting_list import leave_line, wait_for_place
from bookings.models import UserActivity, WaitingListEntry
from tests.factories import UserFactory, VirtualClassFactory

CODE = "ABCD2345"
JOIN, WAIT = "/inicio/unirse", "/inicio/espera"
BUTTON = "Avisame si se libera un lugar"


@pytest.fixture
def virtual_class(host):
    """A full group of one, in two days."""
    return VirtualClassFactory(
        scheduled=True,
        booked_by=host,
        access_code=CODE,
        max_participants=1,
        start_time=timezone.now() + timedelta(days=2),
    )


@pytest.fixture
def entry(virtual_class, student):
    """The student's turn."""
    return wait_for_place(user=student, access_code=CODE)


@pytest.fixture
def offer(entry, virtual_class):
    """The student's turn, with a place."""
    change_capacity(class_id=virtual_class.pk, capacity=2)
    entry.refresh_from_db()
    return entry


def told(response):
    return [str(message) for message in get_messages(response.wsgi_request)]


def read(response):
    return response.content.decode()


def test_the_host_alone_reads_how_many_wait(virtual_class, entry, host, student, sign_in):
    wait_for_place(user=UserFactory(), access_code=CODE)
    address = f"/inicio/clases/{virtual_class.pk}"

    two = read(sign_in(host).get(address))
    leave_line(user=student, entry_id=entry.pk)
    one = read(sign_in(host).get(address))
    change_capacity(class_id=virtual_class.pk, capacity=3)
    join_class(user=student, access_code=CODE)
    guest_s = read(sign_in(student).get(address))

    assert "2 personas esperan un lugar." in two
    assert "1 persona espera un lugar." in one
    assert "un lugar" not in guest_s


def test_a_full_group_offers_to_wait(virtual_class, student, sign_in):
    page = read(sign_in(student).post(JOIN, {"access_code": "abcd-2345"}, follow=True))

    assert BUTTON in page
    assert page.count("está completa") == 1
    assert f'href="{JOIN}">Tengo otro código</a>' in page
    assert 'name="access_code" value="ABCD2345"' in page
    assert not [secret for secret in (virtual_class.html_link, "Ana Host") if secret in page]


@pytest.mark.parametrize(
    "changes",
    [
        {"class_type": "individual"},
        {"start_time": timezone.now() + timedelta(minutes=50)},
    ],
    ids=["individual", "about to begin"],
)
def test_another_full_class_just_says_so(virtual_class, student, sign_in, changes):
    for name, value in changes.items():
        setattr(virtual_class, name, value)
    virtual_class.save()

    page = read(sign_in(student).get(f"{JOIN}/{CODE}"))

    assert BUTTON not in page
    assert "La clase está completa." in page


def test_waiting_leads_to_one_s_turn(virtual_class, student, sign_in):
    response = sign_in(student).post(WAIT, {"access_code": CODE}, follow=True)

    entry = WaitingListEntry.objects.get(user=student)
    assert response.redirect_chain == [(f"{WAIT}/{entry.pk}", 302)]
    assert "El próximo lugar que se libere es para vos." in read(response)


def test_typing_the_code_again_leads_to_one_s_turn(entry, student, sign_in):
    response = sign_in(student).get(f"{JOIN}/{CODE}")

    assert response["Location"] == f"{WAIT}/{entry.pk}"
    assert told(response) == ["La clase sigue completa. Estás en la lista de espera."]


@pytest.mark.parametrize(
    ("typed", "error"),
    [
        ("WRONG234", "No encontramos ninguna clase con ese código de acceso."),
        ("", "Completá este dato."),
    ],
)
def test_waiting_for_nothing_is_told_beside_the_field(
    virtual_class, student, sign_in, typed, error
):
    response = sign_in(student).post(WAIT, {"access_code": typed})

    assert response.context["form"].errors == {"access_code": [error]}


def test_whoever_takes_part_is_led_to_the_class(virtual_class, host, sign_in):
    response = sign_in(host).post(WAIT, {"access_code": CODE})

    assert response["Location"] == f"/inicio/clases/{virtual_class.pk}"


def test_an_offered_place_is_taken_by_a_button(offer, virtual_class, student, sign_in):
    client = sign_in(student)
    page = read(client.get(f"{WAIT}/{offer.pk}"))

    response = client.post(f"{WAIT}/{offer.pk}")

    assert "Tomar el lugar" in page
    assert not [secret for secret in (virtual_class.html_link, CODE) if secret in page]
    assert response["Location"] == f"/inicio/clases/{virtual_class.pk}"
    assert UserActivity.objects.filter(user=student).exists()


def test_the_next_in_line_is_not_told_that_an_offered_place_is_free(offer, stranger, sign_in):
    second = wait_for_place(user=stranger, access_code=CODE)

    page = read(sign_in(stranger).get(f"{WAIT}/{second.pk}"))

    assert "Hay un lugar libre" not in page
    assert "Estás en la lista de espera" in page


def test_taking_the_place_twice_leads_to_the_class(offer, virtual_class, student, sign_in):
    client = sign_in(student)
    client.post(f"{WAIT}/{offer.pk}")

    response = client.post(f"{WAIT}/{offer.pk}", follow=True)

    assert response.redirect_chain[-1] == (f"/inicio/clases/{virtual_class.pk}", 302)


def test_taking_the_place_too_late_says_so(offer, student, sign_in):
    WaitingListEntry.objects.update(offer_expires_at=timezone.now())

    response = sign_in(student).post(f"{WAIT}/{offer.pk}", follow=True)

    page = read(response)
    assert "Se venció el tiempo para tomar ese lugar." in page
    assert "Volver a la lista" in page
    assert not UserActivity.objects.filter(user=student).exists()


def test_declining_and_getting_back(offer, student, sign_in):
    client = sign_in(student)

    left = read(client.post(f"{WAIT}/{offer.pk}/salir", follow=True))
    back = read(client.post(f"{WAIT}/{offer.pk}/volver", follow=True))

    assert "Ya no estás en la lista de espera" in left
    assert "Se liberó un lugar, y es tuyo" in back  # nobody else is in line


def test_a_refusal_may_be_reloaded_and_read_in_another_language(student, sign_in):
    client = sign_in(student)
    refused = client.post(WAIT, {"access_code": "WRONG234"})

    assert refused.status_code == 200
    assert client.get(refused.wsgi_request.path).url == JOIN


def test_somebody_else_s_turn_does_not_exist(offer, stranger, sign_in):
    client = sign_in(stranger)
    paths = [f"{WAIT}/{offer.pk}{step}" for step in ("", "/salir", "/volver")]

    assert [client.post(path).status_code for path in paths] == [404, 404, 404]
    assert [client.get(path).status_code for path in paths] == [404, 405, 405]
    offer.refresh_from_db()
    assert offer.state == "offered"


def test_one_s_turns_stand_on_the_pages_of_classes(offer, student, sign_in):
    client = sign_in(student)

    for page in map(read, map(client.get, ("/inicio", "/inicio/clases"))):
        assert "Se liberó un lugar, y es tuyo" in page
        assert page.count(f"{WAIT}/{offer.pk}") == 1


def test_the_api_says_that_a_place_is_offered_to_another(offer, stranger, sign_in):
    response = sign_in(stranger).post(
        "/api/access-code", f'"{CODE}"', content_type="application/json"
    )

    text = "El lugar que queda está ofrecido a otra persona de la lista de espera."
    refusal = {"error": text, "code": "place_offered"}
    assert (response.status_code, response.json()) == (409, {"response": refusal})
