"""The session's latest sign-in, which the panel and sensitive steps check."""

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
    """A sign-in. provider: ``google`` or ``github``; uid: the provider's id of the person."""

    provider: str
    uid: str
    at: datetime

    @property
    def is_fresh(self) -> bool:
        """True within FRESH_SIGN_IN_AGE; a time far ahead, of a wrong clock, is not fresh."""
        return abs(timezone.now() - self.at) < settings.FRESH_SIGN_IN_AGE


class SeeOther(HttpResponseRedirect):
    """A 303; the panel's log counts 302 as a completed action."""

    status_code = HTTPStatus.SEE_OTHER


def note_sign_in(session: SessionBase, *, provider: str, uid: str) -> None:
    at = timezone.now().timestamp()
    session[SESSION_ENTRY] = {"provider": provider, "uid": uid, "at": at}


def find_sign_in(session: SessionBase) -> SignIn | None:
    """Return None for sessions older than this entry."""
    entry = session.get(SESSION_ENTRY)
    if not entry:
        return None
    return SignIn(entry["provider"], entry["uid"], datetime.fromtimestamp(entry["at"], UTC))


def is_panel_identity(user: User, *, provider: str, uid: str) -> bool:
    """True for Google's with the bound subject."""
    return provider == GOOGLE and uid == user.provider_subject != ""


def is_panel_session(session: SessionBase, user: User) -> bool:
    sign_in = find_sign_in(session)
    return sign_in is not None and is_panel_identity(
        user, provider=sign_in.provider, uid=sign_in.uid
    )


def is_fresh(request: HttpRequest) -> bool:
    sign_in = find_sign_in(request.session)
    return sign_in is not None and sign_in.is_fresh


def confirm_address(next_path: str, *, error: str = "") -> str:
    """Return the page that asks for a fresh sign-in and leads to ``next_path``."""
    query = {"next": next_path} | ({"error": error} if error else {})
    return f"{reverse('confirm_sign_in')}?{urlencode(query)}"


def ask_to_confirm(request: HttpRequest, *, page: str = "") -> HttpResponse:
    """Redirect to a fresh sign-in that leads back to ``page``, by default the current one.

    A form is not sent again: the person sees its page again.
    """
    if not page and request.method in {"GET", "HEAD"}:
        page = request.get_full_path()
    if not page:
        page = local_path(request.headers.get("Referer"), default=settings.LOGIN_REDIRECT_URL)
    return SeeOther(confirm_address(page))


def fresh_sign_in_required(view: View) -> View:
    """Run a view only after a fresh sign-in."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not is_fresh(request):
            return ask_to_confirm(request)
        return view(request, *args, **kwargs)

    return cast(View, guarded)
