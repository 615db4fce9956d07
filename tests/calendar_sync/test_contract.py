"""What the methods of a calendar promise."""

from datetime import UTC, datetime, timedelta

import pytest

from calendar_sync import CalendarRefusedError, EventGoneError, EventNotOursError


def test_create_event_gives_the_draft_back_with_a_link(calendar, draft):
    created = calendar.create_event(draft)

    assert (created.event_id, created.summary, created.description) == (
        draft.event_id,
        draft.summary,
        draft.description,
    )
    assert (created.start, created.end) == (draft.start, draft.end)
    assert created.conference_url.startswith("https://")


def test_create_event_twice_makes_one_event(calendar, draft):
    first = calendar.create_event(draft)

    assert calendar.create_event(draft) == first
    assert len(calendar.upcoming_events(since=draft.start)) == 1


def test_create_event_follows_a_moved_draft(calendar, make_draft):
    first = calendar.create_event(make_draft())
    later = timedelta(hours=5)

    calendar.create_event(make_draft(start=first.start + later, end=first.end + later))

    [slot] = calendar.upcoming_events(since=first.start)
    assert (slot.start, slot.end) == (first.start + later, first.end + later)


def test_create_event_brings_a_deleted_event_back(calendar, draft):
    calendar.create_event(draft)
    calendar.delete_event(draft.event_id, reference=draft.reference)

    created = calendar.create_event(draft)

    assert created.event_id == draft.event_id
    assert len(calendar.upcoming_events(since=draft.start)) == 1


@pytest.mark.parametrize("is_deleted", [False, True])
def test_create_event_refuses_an_id_of_another_reference(calendar, make_draft, is_deleted):
    calendar.create_event(make_draft())
    if is_deleted:
        calendar.delete_event(make_draft().event_id, reference=make_draft().reference)

    with pytest.raises(CalendarRefusedError):
        calendar.create_event(make_draft(reference="class-2"))


def test_update_event_moves_it_and_keeps_its_link(calendar, make_draft):
    created = calendar.create_event(make_draft())
    later = timedelta(hours=5)
    moved = make_draft(start=created.start + later, end=created.end + later)

    updated = calendar.update_event(moved)

    assert (updated.start, updated.end) == (moved.start, moved.end)
    assert updated.conference_url == created.conference_url
    [slot] = calendar.upcoming_events(since=created.start)
    assert (slot.start, slot.end) == (moved.start, moved.end)


@pytest.mark.parametrize("was_there", [False, True])
def test_update_event_tells_of_an_event_that_is_gone(calendar, draft, was_there):
    if was_there:
        calendar.create_event(draft)
        calendar.delete_event(draft.event_id, reference=draft.reference)

    with pytest.raises(EventGoneError):
        calendar.update_event(draft)

    assert calendar.upcoming_events(since=draft.start) == []


def test_update_event_leaves_an_event_of_another_reference(calendar, make_draft):
    created = calendar.create_event(make_draft())

    with pytest.raises(EventNotOursError):
        calendar.update_event(make_draft(reference="class-2", end=created.end + timedelta(hours=1)))

    [slot] = calendar.upcoming_events(since=created.start)
    assert slot.end == created.end


def test_delete_event_removes_it(calendar, draft):
    calendar.create_event(draft)

    calendar.delete_event(draft.event_id, reference=draft.reference)
    calendar.delete_event(draft.event_id, reference=draft.reference)

    assert calendar.upcoming_events(since=draft.start) == []


def test_delete_event_leaves_an_event_of_another_reference(calendar, draft):
    calendar.create_event(draft)

    with pytest.raises(EventNotOursError):
        calendar.delete_event(draft.event_id, reference="class-2")

    assert len(calendar.upcoming_events(since=draft.start)) == 1


def test_delete_event_accepts_an_event_that_never_was(calendar):
    calendar.delete_event("neverthere", reference="class-1")


def test_upcoming_events_are_ordered_and_limited(calendar, make_draft):
    start = make_draft().start
    for number in (3, 1, 2):
        calendar.create_event(
            make_draft(
                event_id=f"number{number}",
                start=start + timedelta(hours=number),
                end=start + timedelta(hours=number, minutes=50),
            )
        )

    slots = calendar.upcoming_events(since=start, limit=2)

    assert [slot.start for slot in slots] == [start + timedelta(hours=hours) for hours in (1, 2)]
    assert {slot.status for slot in slots} == {"confirmed"}
    assert {slot.start_time_zone for slot in slots} == {make_draft().time_zone}


def test_upcoming_events_begins_with_what_has_not_ended(calendar, draft):
    calendar.create_event(draft)

    assert len(calendar.upcoming_events(since=draft.end - timedelta(seconds=1))) == 1
    assert calendar.upcoming_events(since=draft.end) == []


def test_upcoming_events_has_no_horizon(calendar, draft):
    calendar.create_event(draft)

    assert len(calendar.upcoming_events(since=draft.start - timedelta(days=900))) == 1


def test_own_events_are_those_that_stand_in_the_calendar(calendar, make_draft):
    kept = make_draft()
    calendar.create_event(kept)
    calendar.create_event(make_draft(event_id="gone1", reference="class-2"))
    calendar.delete_event("gone1", reference="class-2")

    [event] = calendar.own_events(since=kept.end - timedelta(seconds=1))

    assert (event.event_id, event.reference) == (kept.event_id, "class-1")
    assert (event.start, event.end) == (kept.start, kept.end)
    assert event.conference_url == calendar.create_event(kept).conference_url
    assert calendar.events_of("class-1", event_id=kept.event_id) == [event]
    assert calendar.events_of("class-2", event_id="gone1") == []
    assert calendar.own_events(since=kept.end) == []


def test_a_channel_is_opened_for_a_while_and_closed(calendar, draft):
    address = "https://clases.example/api/webhooks/calendar"

    resource_id, expires_at = calendar.open_channel(
        channel_id="c-1", token="secret", address=address
    )

    assert expires_at > datetime.now(UTC)
    calendar.close_channel(channel_id="c-1", resource_id=resource_id)
