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
    """owner: the calendar's. refused_since: since when Google refuses grant or service account."""

    work: WorkHealth
    waiting: int
    waiting_since: datetime | None
    owner: User | None
    refused_since: datetime | None

    @property
    def is_at_risk(self) -> bool:
        return is_at_risk(self.owner)

    @property
    def is_connected(self) -> bool:
        """True if a grant or a service account opens the calendar."""
        return self.owner is not None or bool(settings.CALENDAR_SERVICE_ACCOUNT)

    @property
    def calendar_down_since(self) -> datetime | None:
        """Since when the calendar fails. None if no class waits: the calendar is not asked then."""
        return self.work.calendar_down_since if self.waiting else None

    @property
    def needs_attention(self) -> bool:
        return not self.work.is_alive or self.refused_since is not None


def load_service_state() -> ServiceState:
    """Read the state in three queries, four with a service account."""
    owner = find_calendar_owner()
    rows = list_awaiting_scheduling(timezone.now()).order_by()
    waiting = rows.aggregate(count=Count("pk"), since=Min("scheduling_requested_at"))
    return ServiceState(
        work=check_work(),
        waiting=waiting["count"],
        waiting_since=waiting["since"],
        owner=owner,
        refused_since=refused_since(owner),
    )
