"""POST /api/access-code: every documented status with its exact body, and what it leaves behind."""

from datetime import timedelta

import pytest
from django.utils import timezone

from bookings.models import UserActivity, VirtualClass
from tests.api.bodies import answer_of, post
from tests.api.database_faults import failing
from tests.factories import VirtualClassFactory

PATH = "/api/access-code"
CODE = "ABCD2345"


def refusal(status, code, text):
    return (status, {"response": {"error": text, "code": code}})


NOT_FOUND = refusal(
    404, "class_not_found", "No encontramos ninguna clase con ese código de acceso."
)
OWN_CLASS = refusal(403, "own_class", "Esta clase la reservaste vos: no hace falta que te sumes.")
ENDED = refusal(410, "class_ended", "La clase ya terminó.")
FULL = refusal(409, "class_full", "La clase está completa.")
JOINED = refusal(409, "already_joined", "Ya tenés un lugar en esta clase.")
NO_STRING = (400, {"error": "El cuerpo tiene que ser un texto JSON con el código de acceso."})


@pytest.fixture
def virtual_class(host):
    """A scheduled class for five, of which the host is one."""
    return VirtualClassFactory(scheduled=True, booked_by=host, access_code=CODE)


@pytest.fixture
def guest(sign_in, student):
    """A student's client."""
    client = sign_in(student)
    client.raise_request_exception = False
    return client


def join(client, code=CODE):
    return answer_of(post(client, PATH, code if isinstance(code, bytes) else f'"{code}"'))


# --- Success --------------------------------------------------------------------------------------


def test_access_code_answers_as_documented(guest, host):
    start = timezone.now().replace(microsecond=0) + timedelta(days=1)
    virtual_class = VirtualClassFactory(
        scheduled=True, booked_by=host, access_code=CODE, start_time=start
    )

    zone = timezone.get_default_timezone()
    assert join(guest) == (
        200,
        {
            "response": {
                "id": str(virtual_class.pk),
                "bookedById": str(host.pk),
                "htmlLink": "https://meet.google.com/abc-defg-hij",
                "startTime": start.astimezone(zone).isoformat(),
                "endTime": (start + timedelta(hours=1)).astimezone(zone).isoformat(),
                "classType": "grupal",
                "currentParticipants": 2,
                "maxParticipants": 5,
            }
        },
    )


# --- Refusals -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("virtual_class", "untouched")
def test_access_code_refuses_a_stranger(anybody):
    response = post(anybody, PATH, f'"{CODE}"')

    assert answer_of(response) == (
        401,
        {"error": "Ingresá para continuar."},
    )
    assert response["WWW-Authenticate"] == "Session"


@pytest.mark.usefixtures("virtual_class", "untouched")
@pytest.mark.parametrize(
    "typed",
    [
        "",
        "ABCD2346",
        "ABCD２３４５",
        "' OR 1=1",
        "x" * 60_000,
    ],
    ids=lambda text: text[:12],
)
def test_access_code_does_not_know_the_code(guest, typed):
    assert join(guest, typed) == NOT_FOUND


@pytest.mark.usefixtures("virtual_class", "untouched")
@pytest.mark.parametrize(
    "body",
    [
        b'{"accessCode":"ABCD2345"}',
        b"12345678",
        b"null",
        b"",
    ],
    ids=bytes.decode,
)
def test_access_code_wants_a_string(guest, body):
    assert join(guest, body) == NO_STRING


# What makes a check fail, and the answer; tests/bookings/test_join_class.py has their order.
REASONS = {
    "not open": ({"status": "cancelled"}, NOT_FOUND),
    "ended": (
        {
            "start_time": timezone.now() - timedelta(hours=2),
            "end_time": timezone.now() - timedelta(hours=1),
        },
        ENDED,
    ),
    "full": ({"max_participants": 2, "current_participants": 2}, FULL),
}


@pytest.mark.parametrize(("changes", "answer"), REASONS.values(), ids=REASONS)
def test_access_code_gives_its_reason_and_writes_nothing(guest, virtual_class, changes, answer):
    VirtualClass.objects.update(**changes)
    before = VirtualClass.objects.values().get()

    assert join(guest) == answer
    assert VirtualClass.objects.values().get() == before


@pytest.mark.usefixtures("virtual_class", "untouched")
def test_access_code_refuses_the_host(signed_in):
    assert join(signed_in) == OWN_CLASS


def test_access_code_refuses_who_has_joined(guest, virtual_class):
    join(guest)

    assert join(guest) == JOINED
    assert VirtualClass.objects.get().current_participants == 2


@pytest.mark.parametrize("statement", ["", 'UPDATE "bookings_virtualclass"'])
def test_access_code_takes_no_place_when_the_database_fails(guest, virtual_class, statement):
    with failing(statement):
        answer = join(guest)

    virtual_class.refresh_from_db()
    assert answer == (500, {"error": "No pudimos procesar el código de acceso."})
    assert virtual_class.current_participants == UserActivity.objects.count() == 1


def test_access_code_keeps_a_guesser_waiting(guest, virtual_class, settings):
    settings.MAX_WRONG_CODES = 2
    for wrong in ("WRONG222", "WRONG333"):
        join(guest, wrong)

    response = guest.post(PATH, data=f'"{CODE}"', content_type="application/json")

    assert response.status_code == 429
    assert response.json() == {"error": "Demasiados intentos. Probá de nuevo en unos minutos."}
    assert 0 < int(response.headers["Retry-After"]) <= 600
