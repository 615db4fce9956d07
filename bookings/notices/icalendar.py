"""A class as an iCalendar file (RFC 5545, RFC 5546)."""

from enum import StrEnum
from functools import cache

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _
from icalendar import Calendar, Event, Timezone, vCalAddress
from icalendar.enums import CUTYPE, PARTSTAT, ROLE, STATUS

from bookings.models import ClassStatus, VirtualClass
from bookings.notices.facts import site_address

PRODUCT = "-//virtual-classes//bookings//ES"


class Method(StrEnum):
    """The iTIP method: a published copy, an invitation or its cancellation."""

    PUBLISH = "PUBLISH"
    REQUEST = "REQUEST"
    CANCEL = "CANCEL"


def build_calendar(
    virtual_class: VirtualClass, *, method: Method, attendee: str | None = None, page: str = ""
) -> bytes:
    """page: the class's address, if not the one for accounts."""
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("method", method)
    calendar.add_component(_describe_zone(settings.TIME_ZONE))
    calendar.add_component(_build_event(virtual_class, method, attendee, page))
    entry: bytes = calendar.to_ical()
    return entry


@cache
def _describe_zone(name: str) -> Timezone:
    # Cached: finding the zone's rules takes longer than the rest of a mail.
    return Timezone.from_tzid(name)


def _build_event(
    virtual_class: VirtualClass, method: Method, attendee: str | None, page: str
) -> Event:
    teacher, link = settings.ADMIN_EMAIL, virtual_class.html_link
    event = Event.new(
        # The UID of Google's own invitation: a calendar that gets both keeps one entry.
        uid=f"{virtual_class.provider_event_id}@google.com",
        sequence=virtual_class.ics_sequence,
        stamp=timezone.now(),
        start=timezone.localtime(virtual_class.start_time),
        end=timezone.localtime(virtual_class.end_time),
        # The summary begins with the event's title, which the catalogue knows.
        summary=_(virtual_class.summary.partition(". ")[0]),
        organizer=vCalAddress.new(teacher, cn=settings.SITE_NAME) if teacher else None,
        attendees=[_attendee(attendee)] if attendee else None,
    )
    if method == Method.CANCEL:
        event.description = virtual_class.describe()
        # Where only the attendee's part is cancelled, RFC 5546, 3.2.5, allows no status.
        if virtual_class.status == ClassStatus.CANCELLED:
            event.status = STATUS.CANCELLED
        return event
    page = page or site_address("bookings:class", virtual_class.pk)
    event.description = "\n".join(
        [
            virtual_class.describe(),
            _("Videollamada: %(url)s") % {"url": link},
            _("Tu clase: %(url)s") % {"url": page},
        ]
    )
    event.status, event.location, event.url = STATUS.CONFIRMED, link, link
    return event


def _attendee(address: str) -> vCalAddress:
    # ACCEPTED, without RSVP: the calendar neither asks the student nor answers the teacher.
    return vCalAddress.new(
        address,
        cutype=CUTYPE.INDIVIDUAL,
        role=ROLE.REQ_PARTICIPANT,
        partstat=PARTSTAT.ACCEPTED,
        rsvp=False,
    )
