"""What nobody may read: not in an answer, not on a page, not in a log at its most talkative."""

import logging

import pytest

from bookings.models import VirtualClass
from tests.api.bodies import booking_body, post
from tests.api.database_faults import failing
from tests.factories import VirtualClassFactory
from tests.standins import Fault

SHARED = "clases@group.calendar.google.com"
API_KEY = "AIza-made-up-key"

pytestmark = pytest.mark.usefixtures("little_patience")


@pytest.fixture
def log(caplog):
    """Everything any logger says, from DEBUG up."""
    for name in ["", *logging.root.manager.loggerDict]:
        caplog.set_level(logging.DEBUG, logger=name)
    return caplog


@pytest.fixture
def guest(sign_in, student):
    client = sign_in(student)
    client.raise_request_exception = False
    return client


@pytest.fixture
def outsider(sign_in, stranger):
    client = sign_in(stranger)
    client.raise_request_exception = False
    return client


@pytest.fixture
def scheduled(host, teacher):
    """A class that is on, with everything that only some may see."""
    return VirtualClassFactory(
        scheduled=True, booked_by=host, access_code="7K2M9QXA", learning_focus="Travel"
    )


def whole(response):
    """Give everything of an answer but its cookies."""
    head = [f"{name}: {value}" for name, value in response.headers.items()]
    return "\n".join(head) + response.content.decode()


def tokens_of(google):
    """Give every access token that reached the provider."""
    return {call.bearer for call in google.requests if call.bearer}


def session_of(client):
    return client.cookies["session"].value


def run_every_flow(client, guest, outsider, anybody, google):
    """Book, schedule, join and list, well and badly; give every answer."""
    body = booking_body(preferenceId="preference-of-ana")
    answers = [post(client, "/api/booking", body) for client in (anybody, client, client)]
    wish = {"preferenceId": body["preferenceId"]}
    for fault in (Fault.status(400), Fault.garbage(), Fault.status(403), Fault.status(404)):
        google.fault("events.insert", *[fault] * 4)
        answers.append(post(anybody, "/api/calendar", wish))
        google.heal()
    google.expire_access_tokens()
    with failing('INSERT INTO "bookings_useractivity"'):
        answers.append(post(anybody, "/api/calendar", wish))
    answers += [post(anybody, "/api/calendar", wish) for _ in range(2)]
    google.fault("events.list", *[Fault.status(500)] * 4)
    answers += [anybody.get("/api/calendar") for _ in range(2)]
    code = VirtualClass.objects.get().access_code
    answers += [post(one, "/api/access-code", f'"{code}"') for one in (client, guest, guest)]
    with failing('UPDATE "bookings_virtualclass"'):
        answers.append(post(outsider, "/api/access-code", f'"{code}"'))
    answers.append(post(outsider, "/api/access-code", '"ZZZZ9999"'))
    return answers


def test_every_flow_keeps_tokens_to_itself_and_people_out_of_the_log(
    log, capfd, signed_in, guest, outsider, anybody, teacher, google, host, student
):
    answers = run_every_flow(signed_in, guest, outsider, anybody, google)

    written = log.text + "".join(capfd.readouterr())
    assert "could not be saved" in written
    assert "DEBUG" in {record.levelname for record in log.records}
    secrets = tokens_of(google) | {teacher.provider_refresh_token, "google-secret"}
    secrets |= {session_of(client) for client in (signed_in, guest, outsider)}
    assert len(secrets) > 5
    said = [*map(whole, answers), written]
    assert [secret for secret in secrets for text in said if secret in text] == []
    virtual_class = VirtualClass.objects.get()
    private = [virtual_class.access_code, virtual_class.html_link, host.email, student.email]
    private += [teacher.email, host.name, "Travel", virtual_class.preference_id]
    assert [text for text in private if text in written] == []


def test_revoked_grant_is_not_written_down(log, capfd, anybody, host, teacher, google):
    virtual_class = VirtualClassFactory(booked_by=host)
    google.revoke(teacher.provider_refresh_token)

    response = post(anybody, "/api/calendar", {"preferenceId": virtual_class.preference_id})

    said = whole(response) + log.text + "".join(capfd.readouterr())
    assert "invalid_grant" in said
    assert teacher.provider_refresh_token not in said


@pytest.mark.parametrize("is_known", [True, False], ids=["accepted", "refused"])
def test_api_key_is_not_written_down(
    log, capfd, anybody, host, teacher, google, settings, is_known
):
    settings.CALENDAR_ID = SHARED
    settings.CALENDAR_API_KEY = API_KEY
    google.public = True
    google.add_calendar(SHARED, teacher.email)
    google.api_keys = {API_KEY} if is_known else set()

    response = anybody.get("/api/calendar")

    said = whole(response) + log.text + "".join(capfd.readouterr())
    assert response.status_code == 200
    assert API_KEY not in said


# --- Pages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/inicio", "/inicio/clases", "/inicio/clases/{}", "/inicio/reservar", "/inicio/perfil"]
)
def test_outsider_sees_nothing_of_the_class(outsider, scheduled, host, path):
    response = outsider.get(path.format(scheduled.pk))

    text = whole(response)
    assert response.status_code == (404 if "{}" in path else 200)
    for private in (scheduled.access_code, scheduled.html_link, host.email, host.name, "Travel"):
        assert private not in text
