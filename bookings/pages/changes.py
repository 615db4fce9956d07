"""What a person may change about a class, and what was changed. Templates decide nothing."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from accounts.models import User
from bookings.domain.change_policy import find_change_deadline, is_in_charge
from bookings.models import ClassEvent, ClassLog, ClassStatus, VirtualClass
from bookings.pages.presenting import ClassCard

# Not in the calendar yet: whoever booked it may still think better of it.
UNSCHEDULED = {"pending", "preparing", "refused"}


@dataclass(frozen=True, slots=True)
class Changes:
    """What one person may do about a class now.

    deadline: until when whoever booked a scheduled class may change it. is_late: whether that is
    over, so that only the teacher may.
    """

    can_move: bool = False
    can_cancel: bool = False
    can_leave: bool = False
    is_late: bool = False
    deadline: datetime | None = None

    def __bool__(self) -> bool:
        """Whether there is anything to say."""
        return self.can_cancel or self.can_leave or self.is_late


def present_changes(card: ClassCard, user: User) -> Changes:
    """Say what the person may do about the class."""
    if card.is_host and card.state in UNSCHEDULED:
        return Changes(can_cancel=True)
    now = timezone.now()
    if card.state != "scheduled" or card.start <= now:
        return Changes()
    if not card.is_host:
        return Changes(can_leave=True)
    if is_in_charge(user):
        return Changes(can_move=True, can_cancel=True)
    deadline = find_change_deadline(card.start)
    may = now < deadline
    return Changes(can_move=may, can_cancel=may, is_late=not may, deadline=deadline)


@dataclass(frozen=True, slots=True)
class LastChange:
    """How a class came to be as it is.

    by: ``you``, ``host``, ``teacher``, or nobody for the service itself. earlier_start: of a class
    that was moved.
    """

    at: datetime
    by: str
    earlier_start: datetime | None = None


def find_last_change(virtual_class: VirtualClass, user: User) -> LastChange | None:
    """Find who cancelled or last moved the class; most classes cost no query."""
    if virtual_class.ics_sequence == 0:
        return None
    is_cancelled = virtual_class.status == ClassStatus.CANCELLED
    event = ClassEvent.CANCELLED if is_cancelled else ClassEvent.RESCHEDULED
    line = virtual_class.log.filter(event=event).order_by("at", "id").last()
    if line is None:
        return None
    earlier = line.details.get("from")
    return LastChange(line.at, _name_actor(line, user), earlier and datetime.fromisoformat(earlier))


def _name_actor(line: ClassLog, user: User) -> str:
    if line.actor_id is None:
        return ""
    if line.actor_id == user.pk:
        return "you"
    return "host" if line.actor_id == line.virtual_class.booked_by_id else "teacher"
