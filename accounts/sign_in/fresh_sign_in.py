"""The session's latest sign-in, which the panel and sensitive steps check."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.selectors import GOOGLE
from accounts.sign_in.redirects import local_path

View = Callable[..., HttpResponseBase]
SESSION_ENTRY = "sign_in"


def note_sign_in(session: SessionBase, *, provider: str, uid: str) -> None:
    at = timezone.now().timestamp()
    session[SESSION_ENTRY] = {"provider": provider, "uid": uid, "at": at}


def is_panel_identity(user: User, *, provider: str, uid: str) -> bool:
    """True for Google's with the bound subject."""
    return provider == GOOGLE and uid == user.provider_subject != ""


def is_panel_session(session: SessionBase, user: User) -> bool:
    entry = session.get(SESSION_ENTRY, {"provider": "", "uid": ""})
    return is_panel_identity(user, provider=entry["provider"], uid=entry["uid"])


def is_fresh(request: HttpRequest) -> bool:
    """False for a time far ahead, of a wrong clock."""
    at: float = request.session.get(SESSION_ENTRY, {"at": 0})["at"]
    return abs(timezone.now().timestamp() - at) < settings.FRESH_SIGN_IN_AGE.total_seconds()


def confirm_address(next_path: str, *, error: str = "") -> str:
    query = {"next": next_path} | ({"error": error} if error else {})
    return f"{reverse('confirm_sign_in')}?{urlencode(query)}"


def ask_to_confirm(request: HttpRequest, *, page: str = "") -> HttpResponse:
    """page: where to lead back, by default the current page; for a form, its page."""
    if not page and request.method in {"GET", "HEAD"}:
        page = request.get_full_path()
    page = page or local_path(request.headers.get("Referer"), default=settings.LOGIN_REDIRECT_URL)
    return HttpResponseRedirect(confirm_address(page), status=HTTPStatus.SEE_OTHER)


def fresh_sign_in_required(view: View) -> View:
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not is_fresh(request):
            return ask_to_confirm(request)
        return view(request, *args, **kwargs)

    return guarded
