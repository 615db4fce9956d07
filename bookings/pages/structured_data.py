"""The front page and open classes for search engines: JSON-LD in words of https://schema.org."""

import json
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from bookings.domain.money.prices import ClassOption, Tier
from bookings.domain.sales.open_classes import CountedClass, count_left
from bookings.models import PHOTO_WIDTHS, ClassType, TeacherPage
from bookings.pages.choosing import option_query
from bookings.templatetags.class_times import minutes

ORG = "https://schema.org"
# So that no text of the teacher ends the script element; browsers never run a data block.
ESCAPES = {ord(">"): "\\u003E", ord("<"): "\\u003C", ord("&"): "\\u0026"}


def describe_page(
    teacher: TeacherPage, options: list[ClassOption], *, site_name: str
) -> SafeString:
    """Return the ``<script>`` element with the teacher and today's prices."""
    provider = _describe_provider(teacher, site_name)
    services = [_describe_service(option, teacher, provider["@id"]) for option in options]
    return _write_script({"@context": ORG, "@graph": [provider, *services]})


def _describe_provider(teacher: TeacherPage, site_name: str) -> dict[str, Any]:
    address = _absolute(reverse("bookings:landing"))
    photo = teacher.photo_url(PHOTO_WIDTHS["large"])
    facts = {
        "@type": "Person" if teacher.name else "Organization",
        "@id": f"{address}#profe",
        "name": teacher.name or site_name,
        "url": address,
        "description": teacher.tagline,
        "image": _absolute(photo or static("img/preview.png")),
        "knowsAbout": teacher.subject,
        "hasCredential": [
            {"@type": "EducationalOccupationalCredential", "name": line}
            for line in teacher.credential_lines
        ],
    }
    return {name: value for name, value in facts.items() if value}


def _describe_service(option: ClassOption, teacher: TeacherPage, provider: str) -> dict[str, Any]:
    offer = option.offer
    subject = (offer.subject if offer else "") or teacher.subject
    name = f"{option.label}, {minutes(option.minutes)}"
    described = {
        "@type": "Service",
        "name": f"{subject}: {name}" if subject else name,
        "provider": {"@id": provider},
        "offers": [_describe_tier(option, tier) for tier in option.tiers],
    }
    text = offer.shown_text if offer else ""
    return {**described, "description": text} if text else described


def _describe_tier(option: ClassOption, tier: Tier) -> dict[str, Any]:
    described: dict[str, Any] = {
        "@type": "Offer",
        "price": f"{tier.amount // 100}.{tier.amount % 100:02d}",
        "priceCurrency": "ARS",
        "url": _absolute(f"{reverse('bookings:book')}?{option_query(option)}"),
    }
    if option.class_type == ClassType.GROUP:
        described["eligibleQuantity"] = {
            "@type": "QuantitativeValue",
            "minValue": tier.fewest,
            "maxValue": tier.most,
        }
    return described


def describe_events(classes: list[CountedClass], teacher: TeacherPage) -> SafeString:
    events = [_describe_event(one, teacher) for one in classes]
    return _write_script({"@context": ORG, "@graph": events})


def _describe_event(open_class: CountedClass, teacher: TeacherPage) -> dict[str, Any]:
    virtual_class = open_class.virtual_class
    address = _absolute(reverse("bookings:open_class", args=[open_class.pk]))
    left, price = count_left(open_class), open_class.place_price
    facts = {
        "@type": "EducationEvent",
        "@id": address,
        "name": open_class.shown_title,
        "description": open_class.shown_text,
        "startDate": timezone.localtime(virtual_class.start_time).isoformat(),
        "endDate": timezone.localtime(virtual_class.end_time).isoformat(),
        "eventAttendanceMode": f"{ORG}/OnlineEventAttendanceMode",
        "eventStatus": f"{ORG}/EventScheduled",
        "location": {"@type": "VirtualLocation", "url": address},
        "organizer": {
            "@type": "Person" if teacher.name else "Organization",
            "@id": f"{_absolute(reverse('bookings:landing'))}#profe",
            "name": teacher.name or _(settings.SITE_NAME),
            "url": _absolute(reverse("bookings:landing")),
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


def _write_script(graph: dict[str, Any]) -> SafeString:
    text = json.dumps(graph, ensure_ascii=False).translate(ESCAPES)
    # JSON without "<", ">" and "&" cannot end the element.
    data = mark_safe(text)  # noqa: S308 # nosec B308 B703
    return format_html('<script type="application/ld+json">{}</script>', data)


def _absolute(path: str) -> str:
    return urljoin(settings.BASE_URL, path)
