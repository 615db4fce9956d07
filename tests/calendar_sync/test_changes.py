"""What changed since: sync tokens, with the provider's traps."""

import pytest

from calendar_sync import CalendarRefusedError, CalendarUnavailableError
from tests.standins import Fault


def test_changes_begins_with_a_token_and_no_change(google, calendar, draft):
    calendar.create_event(draft)

    changes = calendar.changes("")

    assert (changes.event_ids, changes.references) == (frozenset(), frozenset())
    assert changes.sync_token


def test_changes_tells_what_changed_since(calendar, make_draft):
    calendar.create_event(make_draft())
    token = calendar.changes("").sync_token
    calendar.create_event(make_draft(event_id="other1", reference="class-2"))

    changes = calendar.changes(token)

    assert changes.event_ids == {"other1"}
    assert changes.references == {"class-2"}
    assert calendar.changes(changes.sync_token).event_ids == frozenset()


def test_changes_tells_of_a_deleted_event_by_its_id_alone(google, calendar, draft):
    calendar.create_event(draft)
    token = calendar.changes("").sync_token
    google.delete_event(draft.event_id)

    changes = calendar.changes(token)

    assert (changes.event_ids, changes.references) == ({draft.event_id}, frozenset())


def test_changes_takes_the_token_of_the_last_page(google, calendar, draft):
    token = calendar.changes("").sync_token
    for number in range(600):
        google.add_event(id=f"event{number:04d}")

    changes = calendar.changes(token)

    assert len(changes.event_ids) == 600
    assert [request.route for request in google.requests].count("events.list") == 3
    assert calendar.changes(changes.sync_token).event_ids == frozenset()


def test_changes_never_combines_a_token_with_a_window(google, calendar):
    token = calendar.changes("").sync_token

    calendar.changes(token)

    assert {"timeMin", "timeMax", "privateExtendedProperty", "orderBy"}.isdisjoint(
        google.requests[-1].query
    )


def test_changes_refuses_a_token_that_has_expired(google, calendar):
    token = calendar.changes("").sync_token
    google.expire_sync_tokens()

    with pytest.raises(CalendarRefusedError):
        calendar.changes(token)


@pytest.mark.parametrize(
    "answer",
    [{}, {"kind": "calendar#events"}, {"kind": "calendar#events", "items": [{"id": "a"}]}],
    ids=["empty", "no token", "items without token"],
)
def test_changes_without_a_new_token_are_no_answer(google, calendar, answer):
    token = calendar.changes("").sync_token
    google.fault("events.list", *[Fault.status(200, body=answer)] * 3)

    with pytest.raises(CalendarUnavailableError):
        calendar.changes(token)


def test_channels_are_opened_and_closed(google, calendar):
    resource_id, expires_at = calendar.open_channel(
        channel_id="c-1", token="secret", address="https://clases.example/api/webhooks/calendar"
    )
    [channel] = google.channels

    calendar.close_channel(channel_id="c-1", resource_id=resource_id)
    calendar.close_channel(channel_id="c-1", resource_id=resource_id)

    assert (channel["id"], channel["token"]) == ("c-1", "secret")
    assert int(expires_at.timestamp() * 1000) == int(channel["expiration"])
    assert google.channels == []


def test_channels_are_refused_without_https(calendar):
    with pytest.raises(CalendarRefusedError):
        calendar.open_channel(channel_id="c-1", token="secret", address="http://clases.example/")
