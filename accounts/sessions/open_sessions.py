"""The browsers a person is signed in with: seen, and closed one by one."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Case, QuerySet, When
from django.utils import timezone
from django.utils.crypto import salted_hmac

from accounts.models import Session, User
from accounts.sessions.browsers import name_browser

# A longer list helps nobody; whoever has more closes all the others at once.
MAX_SHOWN = 50


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session as its person sees it. handle: names it in a form, and opens nothing."""

    handle: str
    browser: str
    began_at: datetime
    used_at: datetime
    is_this_one: bool


def list_sessions(*, user: User, current: str | None) -> list[OpenSession]:
    """List where the person is signed in, this browser before all, then the latest first.

    current: the key of this browser's row.
    """
    is_another = Case(When(session_key=current or "", then=0), default=1)
    return [
        OpenSession(
            handle=_handle(session),
            browser=name_browser(session.user_agent),
            began_at=session.began_at,
            used_at=session.used_at,
            is_this_one=session.session_key == current,
        )
        for session in _open_sessions(user).order_by(is_another, "-used_at", "pk")[:MAX_SHOWN]
    ]


def end_session(*, user: User, handle: str) -> bool:
    """Sign one browser of the person out. False when none of theirs has this handle."""
    for session in _open_sessions(user):
        if _handle(session) == handle:
            session.delete()
            return True
    return False


def end_other_sessions(*, user: User, current: str | None) -> None:
    """Sign the person out everywhere but in the browser whose row has this key."""
    Session.objects.filter(user=user).exclude(session_key=current).delete()


def _open_sessions(user: User) -> QuerySet[Session]:
    now = timezone.now()
    rows = Session.objects.filter(user=user, expire_date__gt=now)
    return rows.filter(used_at__gte=now - settings.PANEL_SESSION_AGE) if user.is_staff else rows


def _handle(session: Session) -> str:
    """Name a session without its key: that one stays between cookie and database."""
    return salted_hmac("accounts.sessions.open_sessions", session.session_key).hexdigest()
