"""The front page for search engines: JSON-LD with the vocabulary of https://schema.org."""

from typing import Any

from django.templatetags.static import static
from django.urls import reverse
from django.utils.safestring import SafeString

from bookings.domain.money.prices import ClassOption, Tier
from bookings.models import PHOTO_WIDTHS, ClassType, TeacherPage
from bookings.pages.choice import option_query
from bookings.pages.json_ld import absolute, write_script
from bookings.templatetags.class_times import minutes


def describe_page(
    teacher: TeacherPage, options: list[ClassOption], *, site_name: str
) -> SafeString:
    """Return the ``<script>`` element with the teacher and today's prices."""
    provider = _describe_provider(teacher, site_name)
    services = [_describe_service(option, teacher, provider["@id"]) for option in options]
    return write_script({"@context": "https://schema.org", "@graph": [provider, *services]})


def _describe_provider(teacher: TeacherPage, site_name: str) -> dict[str, Any]:
    address = absolute(reverse("bookings:landing"))
    photo = teacher.photo_url(PHOTO_WIDTHS["large"])
    facts = {
        "@type": "Person" if teacher.name else "Organization",
        "@id": f"{address}#profe",
        "name": teacher.name or site_name,
        "url": address,
        "description": teacher.tagline,
        "image": absolute(photo or static("img/preview.png")),
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
    return {**described, "description": offer.text} if offer and offer.text else described


def _describe_tier(option: ClassOption, tier: Tier) -> dict[str, Any]:
    described: dict[str, Any] = {
        "@type": "Offer",
        "price": f"{tier.amount // 100}.{tier.amount % 100:02d}",
        "priceCurrency": "ARS",
        "url": absolute(f"{reverse('bookings:book')}?{option_query(option)}"),
    }
    if option.class_type == ClassType.GROUP:
        described["eligibleQuantity"] = {
            "@type": "QuantitativeValue",
            "minValue": tier.fewest,
            "maxValue": tier.most,
        }
    return described
