"""What can go wrong at the token endpoint, and what a new consent mends."""

import pytest

from calendar_sync import (
    CalendarError,
    CalendarNotConnectedError,
    CalendarUnavailableError,
    get_calendar,
)
from tests.calendar_sync.assertions import assert_repeating_makes_one_event
from tests.environment import TEACHER_EMAIL
from tests.standins import Fault

NOT_CONNECTED = CalendarNotConnectedError
UNAVAILABLE = CalendarUnavailableError

# google-auth tries three times on 5xx; connection faults and unreadable answers are tried again by
# us, three times.
TOKEN_FAULTS = {
    "revoked": ([Fault.status(400, "invalid_grant")], NOT_CONNECTED),
    "wrong client": ([Fault.status(401, "invalid_client")], NOT_CONNECTED),
    "not delegated": ([Fault.status(401, "unauthorized_client")], NOT_CONNECTED),
    "other 400": ([Fault.status(400, "invalid_request")], UNAVAILABLE),
    "error as object": ([Fault.status(400, body={"error": {"code": 400}})], UNAVAILABLE),
    "400 page": ([Fault.status(400, body="<p>invalid_grant</p>")], UNAVAILABLE),
    "500": ([Fault.status(500)] * 3, UNAVAILABLE),
    "503 page": ([Fault.status(503, body="<p>Sorry</p>")] * 3, UNAVAILABLE),
    "200 page": ([Fault.garbage()] * 3, UNAVAILABLE),
    "200 {}": ([Fault.empty()], UNAVAILABLE),
    "reset": ([Fault.reset()] * 3, UNAVAILABLE),
    "dropped": ([Fault.drop()] * 6, UNAVAILABLE),
    "half an answer": ([Fault.half()] * 3, UNAVAILABLE),
}


@pytest.mark.parametrize(("faults", "error"), TOKEN_FAULTS.values(), ids=TOKEN_FAULTS.keys())
def test_create_event_translates_faults_of_the_token_endpoint(
    google, calendar, draft, faults, error
):
    google.fault("token", *faults)

    with pytest.raises(CalendarError) as caught:
        calendar.create_event(draft)

    assert isinstance(caught.value, error)
    assert google.events() == []
    assert_repeating_makes_one_event(google, calendar, draft)


def test_create_event_without_the_token_host_in_dns(token, draft, settings, refuse_name):
    settings.GOOGLE_TOKEN_URL = "http://token.invalid/token"
    refuse_name("token.invalid")

    with pytest.raises(CalendarUnavailableError):
        get_calendar(refresh_token=token).create_event(draft)


def test_create_event_works_again_after_a_new_consent(google, token, draft):
    get_calendar(refresh_token=token).create_event(draft)
    google.revoke(token)

    with pytest.raises(CalendarNotConnectedError):
        get_calendar(refresh_token=token).create_event(draft)

    get_calendar(refresh_token=google.grant(TEACHER_EMAIL)).create_event(draft)
    assert len(google.events()) == 1
