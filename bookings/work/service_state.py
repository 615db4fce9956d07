"""What the teacher is told of the service itself: does it work by itself, or does it need her?"""

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
    """The state of the work behind the requests.

    waiting: classes whose scheduling was asked for and is not done, the first at waiting_since.
    owner: whose grant opens the calendar, if somebody's does. refused_since: since when Google
    refuses that, or the service account in its place.
    """

    work: WorkHealth
    waiting: int
    waiting_since: datetime | None
    owner: User | None
    refused_since: datetime | None

    @property
    def is_at_risk(self) -> bool:
        """Whether the grant may end in the next days."""
        return is_at_risk(self.owner)

    @property
    def is_connected(self) -> bool:
        """Whether there is anything to open the calendar with."""
        return self.owner is not None or bool(settings.CALENDAR_SERVICE_ACCOUNT)

    @property
    def calendar_down_since(self) -> datetime | None:
        """Since when the calendar fails, as far as is known: it is only asked while a class waits.

        With the last one cancelled, or over, nobody learns that the outage ended.
        """
        return self.work.calendar_down_since if self.waiting else None

    @property
    def needs_somebody(self) -> bool:
        """Whether the service does not mend itself."""
        return not self.work.is_alive or self.refused_since is not None


def load_service_state() -> ServiceState:
    """Read the state of the service; three queries, one more with a service account."""
    owner = find_calendar_owner()
    waiting = (
        list_awaiting_scheduling(timezone.now())
        .order_by()
        .aggregate(count=Count("pk"), since=Min("scheduling_requested_at"))
    )
    return ServiceState(
        work=check_work(),
        waiting=waiting["count"],
        waiting_since=waiting["since"],
        owner=owner,
        refused_since=refused_since(owner),
    )
