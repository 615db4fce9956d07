"""notices/icalendar.py: files, read back by the library."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from icalendar import Calendar

from bookings.models import ClassStatus
from bookings.notices.icalendar import Method, build_calendar
from tests.factories import VirtualClassFactory

ZONE = ZoneInfo("America/Argentina/Buenos_Aires")
START = datetime(2026, 11, 24, 18, 30, tzinfo=ZONE)
LINK = "https://meet.google.com/abc-defg-hij"


@pytest.fixture
def virtual_class(host):
    return VirtualClassFactory(
        scheduled=True, booked_by=host, start_time=START, provider_event_id="abc123"
    )


def read(virtual_class, method=Method.REQUEST, attendee="bruno@example.com"):
    """Return the parsed file and its only event."""
    calendar = Calendar.from_ical(build_calendar(virtual_class, method=method, attendee=attendee))
    [event] = calendar.events
    return calendar, event


def test_event_keeps_the_clock_of_the_service_by_the_zones_name(virtual_class):
    _, event = read(virtual_class)

    assert event["DTSTART"].params["TZID"] == event["DTEND"].params["TZID"] == ZONE.key
    assert event["DTSTART"].to_ical() == b"20261124T183000"
    assert event["DTEND"].to_ical() == b"20261124T193000"


def test_event_tells_how_to_enter(virtual_class, settings):
    _, event = read(virtual_class)

    page = f"{settings.BASE_URL}/inicio/clases/{virtual_class.pk}"
    assert (event["SUMMARY"], event["LOCATION"], event["URL"]) == ("Clase de Inglés", LINK, LINK)
    assert event["DESCRIPTION"].split("\n") == [
        "La clase será grupal, para 5 participantes.",
        f"Videollamada: {LINK}",
        f"Tu clase: {page}",
    ]


def test_invitation_comes_from_the_teacher_and_asks_for_no_answer(virtual_class):
    calendar, event = read(virtual_class)

    attendee = event["ATTENDEE"]
    assert calendar["METHOD"] == "REQUEST"
    assert event["ORGANIZER"] == "mailto:teacher@example.com"
    assert attendee == "mailto:bruno@example.com"
    assert (attendee.params["PARTSTAT"], attendee.params["RSVP"]) == ("ACCEPTED", "FALSE")
    assert (event["STATUS"], event["SEQUENCE"]) == ("CONFIRMED", 0)


def test_cancellation_strikes_out_the_same_event(virtual_class):
    virtual_class.ics_sequence = 1
    virtual_class.status = ClassStatus.CANCELLED

    calendar, event = read(virtual_class, Method.CANCEL)

    assert (calendar["METHOD"], event["STATUS"], event["SEQUENCE"]) == ("CANCEL", "CANCELLED", 1)
    assert event["UID"] == "abc123@google.com"
    assert LINK not in event.to_ical().decode()


def test_file_never_holds_the_access_code(virtual_class):
    for method in Method:
        entry = build_calendar(virtual_class, method=method, attendee="bruno@example.com")
        assert virtual_class.access_code.encode() not in entry
