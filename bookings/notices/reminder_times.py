"""When people are reminded of a class, and of which start."""

from datetime import UTC, datetime, timedelta

from bookings.models import NoticeKind

# How long before the class each reminder is due.
LEADS = {
    NoticeKind.REMINDER_DAY: timedelta(hours=24),
    NoticeKind.REMINDER_HOUR: timedelta(minutes=60),
}
GRACE_AFTER_START = timedelta(minutes=10)


def name_occasion(start: datetime) -> str:
    """Name the start that a reminder is about: a class that moves reminds anew."""
    return f"{start.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def list_reminders_after(start: datetime, now: datetime) -> dict[NoticeKind, datetime]:
    """Give the reminders of a class that lie ahead, and when each is due.

    Whoever hears of a class three hours ahead needs no reminder of the day before.
    """
    times = {kind: start - lead for kind, lead in LEADS.items()}
    return {kind: due_at for kind, due_at in times.items() if due_at > now}


def find_useful_end(kind: NoticeKind, start: datetime) -> datetime:
    """Give the instant from which on a late reminder is of no use any more.

    That of the day gives way to that of the hour; that one serves whoever still looks for the link
    in the first minutes of the class.
    """
    if kind == NoticeKind.REMINDER_DAY:
        return start - LEADS[NoticeKind.REMINDER_HOUR]
    return start + GRACE_AFTER_START
