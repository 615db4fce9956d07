"""The state of the service for the panel."""

from enum import StrEnum
from typing import Any

from django.conf import settings
from django.db.models import Count, Min
from django.utils import timezone

from accounts.selectors import find_calendar_owner
from bookings.domain.calendar.grants import is_at_risk, refused_since
from bookings.models import list_awaiting_scheduling
from bookings.work.health import check_work


class Look(StrEnum):
    GREEN = "green"
    AMBER = "amber"
    RED = "red"


def load_service_state() -> dict[str, Any]:
    """Return the context of the panel's state, in three queries; a service account adds one.

    owner: the calendar's. refused_since: when Google began to refuse grant or service account.
    is_at_risk: the grant may expire soon. calendar_down_since: None while no class waits.
    look: the worst state, as a colour.
    """
    owner, work = find_calendar_owner(), check_work()
    refused_at = refused_since(owner)
    rows = list_awaiting_scheduling(timezone.now()).order_by()
    waiting = rows.aggregate(count=Count("pk"), since=Min("scheduling_requested_at"))
    down_since = work.calendar_down_since if waiting["count"] else None
    at_risk = is_at_risk(owner)
    look = Look.AMBER if at_risk or down_since or work.failing else Look.GREEN
    return {
        "work": work,
        "waiting": waiting["count"],
        "waiting_since": waiting["since"],
        "owner": owner,
        "refused_since": refused_at,
        "is_at_risk": at_risk,
        "is_connected": owner is not None or bool(settings.CALENDAR_SERVICE_ACCOUNT),
        "calendar_down_since": down_since,
        "look": Look.RED if work.late or refused_at else look,
    }
