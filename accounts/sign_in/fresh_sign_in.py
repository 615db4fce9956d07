"""How this browser signed in, and when: what the panel and sensitive steps ask for.

The session keeps the identity of its latest sign-in. A step that needs a fresh one sends the person
to a page that asks them to sign in again, and brings them back.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from http import HTTPStatus
from typing import Any, TypeVar, cast
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.selectors import GOOGLE
from accounts.sign_in.redirects import local_path

View = TypeVar("View", bound=Callable[..., HttpResponseBase])
SESSION_ENTRY = "sign_in"


@dataclass(frozen=True, slots=True)
class SignIn:
    """A sign-in. provider: ``google`` or ``github``; uid: the provider's own id of the person."""

    provider: str
    uid: str
    at: datetime

    @property
    def is_fresh(self) -> bool:
        """True within FRESH_SIGN_IN_AGE; a time far ahead, of a wrong clock, is not fresh."""
        return abs(timezone.now() - self.at) < settings.FRESH_SIGN_IN_AGE


class SeeOther(HttpResponseRedirect):
    """Redirect to a page that is opened by GET; the panel's log counts only 302 as an act done."""

    status_code = HTTPStatus.SEE_OTHER


def note_sign_in(session: SessionBase, *, provider: str, uid: str) -> None:
    """Store the identity of a sign-in that has just been completed."""
    at = timezone.now().timestamp()
    session[SESSION_ENTRY] = {"provider": provider, "uid": uid, "at": at}


def find_sign_in(session: SessionBase) -> SignIn | None:
    """Return the session's latest sign-in; None if it began before sessions kept it."""
    entry = session.get(SESSION_ENTRY)
    if not entry:
        return None
    return SignIn(entry["provider"], entry["uid"], datetime.fromtimestamp(entry["at"], UTC))


def is_panel_identity(user: User, *, provider: str, uid: str) -> bool:
    """True for the one identity that opens the panel: Google's, with the subject bound to it."""
    return provider == GOOGLE and uid == user.provider_subject != ""


def is_panel_session(session: SessionBase, user: User) -> bool:
    """True if the session began with the identity that opens the panel."""
    sign_in = find_sign_in(session)
    return sign_in is not None and is_panel_identity(
        user, provider=sign_in.provider, uid=sign_in.uid
    )


def is_fresh(request: HttpRequest) -> bool:
    """True if this browser signed in within FRESH_SIGN_IN_AGE."""
    sign_in = find_sign_in(request.session)
    return sign_in is not None and sign_in.is_fresh


def confirm_address(next_path: str, *, error: str = "") -> str:
    """Return the path of the page that asks for a fresh sign-in and leads to ``next_path``."""
    query = {"next": next_path} | ({"error": error} if error else {})
    return f"{reverse('confirm_sign_in')}?{urlencode(query)}"


def ask_to_confirm(request: HttpRequest, *, page: str = "") -> HttpResponse:
    """Send the person to sign in again and then back to ``page``, by default the one they are on.

    A form is not sent again by itself: the person sees its page once more and presses the button.
    """
    if not page and request.method in {"GET", "HEAD"}:
        page = request.get_full_path()
    if not page:
        page = local_path(request.headers.get("Referer"), default=settings.LOGIN_REDIRECT_URL)
    return SeeOther(confirm_address(page))


def fresh_sign_in_required(view: View) -> View:
    """Let a view run only after a fresh sign-in; ``method_decorator`` fits it to methods."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not is_fresh(request):
            return ask_to_confirm(request)
        return view(request, *args, **kwargs)

    return cast(View, guarded)
