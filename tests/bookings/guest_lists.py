"""What tests ask of the guests of an event."""

from datetime import timedelta

import time_machine
from django.utils import timezone

from bookings.domain.calendar.writing import update_events

SOON = timedelta(minutes=2)


def invited(google):
    [event] = google.live_events()
    return [one["email"] for one in event.get("attendees", [])]


def patches(google):
    return [request for request in google.requests if request.route == "events.patch"]


def sweep_later():
    with time_machine.travel(timezone.now() + SOON):
        return update_events()


def is_requested(virtual_class):
    virtual_class.refresh_from_db()
    return virtual_class.guests_changed_at is not None
