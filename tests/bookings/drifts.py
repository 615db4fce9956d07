"""The five drifts, as a person's hand makes them in the calendar; and what tests look at."""

from datetime import datetime, timedelta
from typing import Any

from django.apps import apps
from django.utils import timezone

from bookings.domain.calendar.drafts import derive_event_id
from bookings.domain.classes.scheduling import schedule_class
from bookings.models import ClassStatus, VirtualClass
from tests.factories import VirtualClassFactory
from tests.standins import GoogleStandin


def scheduled_classes(count: int, *, days_from_now: int = 1, **fields: Any) -> list[VirtualClass]:
    """Schedule classes on following days, each with its event."""
    first = timezone.now() + timedelta(days=days_from_now)
    pending = [
        VirtualClassFactory(start_time=first + timedelta(days=number), **fields)
        for number in range(count)
    ]
    return [schedule_class(preference_id=one.preference_id) for one in pending]


def move(google: GoogleStandin, virtual_class: VirtualClass) -> None:
    hours = timedelta(hours=2)
    google.edit_event(
        virtual_class.provider_event_id,
        start=virtual_class.start_time + hours,
        end=virtual_class.end_time + hours,
    )


def delete(google: GoogleStandin, virtual_class: VirtualClass) -> None:
    google.delete_event(virtual_class.provider_event_id)


def remove_link(google: GoogleStandin, virtual_class: VirtualClass) -> None:
    google.edit_event(virtual_class.provider_event_id, conferenceData=None)


def duplicate(google: GoogleStandin, virtual_class: VirtualClass) -> None:
    google.copy_event(virtual_class.provider_event_id)


def orphan(google: GoogleStandin, virtual_class: VirtualClass) -> None:
    """Cancel the class without its event: as if somebody took the event out of the bin."""
    VirtualClass.objects.filter(pk=virtual_class.pk).update(status=ClassStatus.CANCELLED)


DRIFTS = {
    "moved": move,
    "deleted": delete,
    "link_removed": remove_link,
    "duplicated": duplicate,
    "orphan": orphan,
}


def event_of(google: GoogleStandin, virtual_class: VirtualClass) -> dict[str, Any]:
    """The class's own event, as it stands in the calendar."""
    [event] = [one for one in google.live_events() if one["id"] == derive_event_id(virtual_class)]
    return event


def times_of(event: dict[str, Any]) -> tuple[datetime, datetime]:
    start, end = (datetime.fromisoformat(event[name]["dateTime"]) for name in ("start", "end"))
    return start, end


def link_of(event: dict[str, Any]) -> str:
    link: str = event["conferenceData"]["entryPoints"][0]["uri"]
    return link


def dump() -> dict[str, list[dict[str, Any]]]:
    """Every row of our own tables."""
    models = [
        model
        for label in ("accounts", "bookings", "calendar_sync")
        for model in apps.get_app_config(label).get_models()
    ]
    return {model._meta.label: list(model.objects.order_by("pk").values()) for model in models}
