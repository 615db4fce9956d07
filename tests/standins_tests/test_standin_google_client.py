"""Google's official client, driven against the stand-in from end to end."""

import pytest
from google.auth.exceptions import RefreshError
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

from tests.standins import Fault, GoogleStandin
from tests.standins_tests.calls import TEACHER, event_body, meet_request


def test_official_client_works_against_the_standin(google: GoogleStandin) -> None:
    refresh_token = google.grant(TEACHER)
    credentials = Credentials(
        None,
        refresh_token=refresh_token,
        token_uri=f"{google.url}/oauth2/token",
        client_id="client",
        client_secret="secret",
    )
    # A lost answer is repeated by httplib2 itself; the event's own id keeps it single.
    google.fault("events.insert", Fault.lost(), Fault.lost())

    with build(
        "calendar",
        "v3",
        credentials=credentials,
        static_discovery=True,
        cache_discovery=False,
        client_options={"api_endpoint": google.calendar_url},
    ) as service:
        events = service.events()
        body = event_body(id="abc01", conferenceData=meet_request())
        insert = events.insert(calendarId="primary", conferenceDataVersion=1, body=body)
        with pytest.raises(ConnectionError):
            insert.execute()
        with pytest.raises(HttpError) as duplicate:
            insert.execute()
        event = events.get(calendarId="primary", eventId="abc01").execute()
        page = events.list(calendarId="primary", singleEvents=True, orderBy="startTime").execute()
        events.delete(calendarId="primary", eventId="abc01").execute()
        google.revoke(refresh_token)
        with pytest.raises(RefreshError) as revoked:
            events.list(calendarId="primary").execute()

    assert (duplicate.value.status_code, duplicate.value.error_details[0]["reason"]) == (
        409,
        "duplicate",
    )
    assert event["hangoutLink"].startswith("https://meet.google.com/")
    assert [one["id"] for one in page["items"]] == ["abc01"]
    assert google.live_events() == []
    assert revoked.value.args[1]["error"] == "invalid_grant"
