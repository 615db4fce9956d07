"""The state of the service for the panel's first page."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Count, Min
from django.utils import timezone

from accounts.models import User
from accounts.selectors import find_calendar_owner
from bookings.domain.calendar.access import refused_since
from bookings.domain.calendar.grants import is_at_risk
from bookings.models import list_awaiting_scheduling
from bookings.work.health import WorkHealth, check_work


@dataclass(frozen=True, slots=True)
class ServiceState:
    """owner: the calendar's. refused_since: since when Google refuses grant or service account.

    is_at_risk: the grant may expire in the next days. calendar_down_since: None if no class waits,
    because the calendar is not asked then.
    """

    work: WorkHealth
    waiting: int
    waiting_since: datetime | None
    owner: User | None
    refused_since: datetime | None
    is_at_risk: bool
    is_connected: bool
    calendar_down_since: datetime | None
    needs_attention: bool


def load_service_state() -> ServiceState:
    """Read the state in three queries, four with a service account."""
    owner, work = find_calendar_owner(), check_work()
    refused_at = refused_since(owner)
    rows = list_awaiting_scheduling(timezone.now()).order_by()
    waiting = rows.aggregate(count=Count("pk"), since=Min("scheduling_requested_at"))
    return ServiceState(
        work=work,
        waiting=waiting["count"],
        waiting_since=waiting["since"],
        owner=owner,
        refused_since=refused_at,
        is_at_risk=is_at_risk(owner),
        is_connected=owner is not None or bool(settings.CALENDAR_SERVICE_ACCOUNT),
        calendar_down_since=work.calendar_down_since if waiting["count"] else None,
        needs_attention=bool(work.late or refused_at),
    )
