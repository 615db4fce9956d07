"""The JSON of an occupied time, without DRF."""

from typing import Any

from calendar_sync import BusySlot


def present_slot(slot: BusySlot) -> dict[str, Any]:
    """Spec: Resources, Calendar event."""
    return {
        "start": _present_instant(slot.start.isoformat(), slot.start_time_zone),
        "end": _present_instant(slot.end.isoformat(), slot.end_time_zone),
        "status": slot.status,
    }


def _present_instant(date_time: str, time_zone: str | None) -> dict[str, str]:
    return {"dateTime": date_time} | ({"timeZone": time_zone} if time_zone else {})
