"""A person's open sessions, with the names of their browsers, and how they end."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.db.models import Case, QuerySet, When
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from accounts.models import Session, User
from accounts.sessions.languages import remember_in_browser

MAX_SHOWN = 50
# Not cookies: browsers would delete those of every other site of the domain too.
FORGET = '"cache", "storage"'


@dataclass(frozen=True, slots=True)
class OpenSession:
    """handle: names the session in a form."""

    handle: str
    browser: str
    began_at: datetime
    used_at: datetime
    is_this_one: bool


def sign_out(request: HttpRequest, answer: HttpResponse, *, text: str = "") -> HttpResponse:
    """End the session and clear the browser's cache and storage.

    text: the message on the next page.
    """
    if request.user.is_authenticated:
        messages.success(request, text or _("Cerraste tu sesión."))
        remember_in_browser(answer, request.user.language)
    logout(request)
    answer["Clear-Site-Data"] = FORGET
    return answer


def list_sessions(*, user: User, current: str | None) -> list[OpenSession]:
    """List the session with key ``current`` first, the others by last use."""
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
    """Return False if no session has this handle."""
    for session in _open_sessions(user):
        if _handle(session) == handle:
            session.delete()
            return True
    return False


def end_other_sessions(*, user: User, current: str | None) -> None:
    Session.objects.filter(user=user).exclude(session_key=current).delete()


def _open_sessions(user: User) -> QuerySet[Session]:
    now = timezone.now()
    rows = Session.objects.filter(user=user, expire_date__gt=now)
    return rows.filter(used_at__gte=now - settings.PANEL_SESSION_AGE) if user.is_staff else rows


def _handle(session: Session) -> str:
    return salted_hmac("accounts.sessions.open_sessions", session.session_key).hexdigest()


# In this order: most browsers also claim to be those further down.
BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser": "Samsung Internet",
    "Firefox/": "Firefox",
    "FxiOS": "Firefox",
    "CriOS": "Chrome",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "Macintosh": "Mac",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


def name_browser(user_agent: str) -> str:
    """Return ``Chrome en Android``."""
    browser = _first_known(BROWSERS, user_agent) or _("Navegador desconocido")
    system = _first_known(SYSTEMS, user_agent)
    if not system:
        return browser
    return _("%(browser)s en %(system)s") % {"browser": browser, "system": system}


def _first_known(names: dict[str, str], text: str) -> str:
    return next((name for mark, name in names.items() if mark in text), "")
