"""Open classes for search engines: https://schema.org/EducationEvent."""

from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from bookings.domain.sales.open_classes import CountedClass, count_left
from bookings.models import TeacherPage
from bookings.pages.json_ld import absolute, write_script

ORG = "https://schema.org"


def describe_events(classes: list[CountedClass], teacher: TeacherPage) -> SafeString:
    events = [_describe_event(one, teacher) for one in classes]
    return write_script({"@context": ORG, "@graph": events})


def _describe_event(open_class: CountedClass, teacher: TeacherPage) -> dict[str, Any]:
    virtual_class = open_class.virtual_class
    address = absolute(reverse("bookings:open_class", args=[open_class.pk]))
    left, price = count_left(open_class), open_class.place_price
    facts = {
        "@type": "EducationEvent",
        "@id": address,
        "name": open_class.title,
        "description": open_class.text,
        "startDate": timezone.localtime(virtual_class.start_time).isoformat(),
        "endDate": timezone.localtime(virtual_class.end_time).isoformat(),
        "eventAttendanceMode": f"{ORG}/OnlineEventAttendanceMode",
        "eventStatus": f"{ORG}/EventScheduled",
        "location": {"@type": "VirtualLocation", "url": address},
        "organizer": {
            "@type": "Person" if teacher.name else "Organization",
            "@id": f"{absolute(reverse('bookings:landing'))}#profe",
            "name": teacher.name or _(settings.SITE_NAME),
            "url": absolute(reverse("bookings:landing")),
        },
        "maximumAttendeeCapacity": open_class.places,
        "remainingAttendeeCapacity": left,
        "offers": {
            "@type": "Offer",
            "price": f"{price // 100}.{price % 100:02d}",
            "priceCurrency": "ARS",
            "availability": f"{ORG}/{'InStock' if left else 'SoldOut'}",
            "url": address,
        },
    }
    return {name: value for name, value in facts.items() if value != ""}
