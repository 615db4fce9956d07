"""What several of the calendar's tests expect in the end."""


def assert_repeating_makes_one_event(google, calendar, draft):
    """Ask again, without faults: one event, ours, alive, with a link."""
    created = calendar.create_event(draft)
    [event] = google.events()
    assert event["id"] == created.event_id == draft.event_id
    assert event["status"] == "confirmed"
    assert event["summary"] == draft.summary
    assert created.conference_url.startswith("https://meet.google.com/")
