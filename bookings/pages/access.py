"""Access to the pages, and what a stranger chose before signing in: done once afterwards."""

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache

from accounts.sign_in.redirects import local_path
from bookings.domain.exceptions import ClassNotFoundError
from config.lib.addresses import client_address
from config.lib.throttling import is_too_often

SESSION_ENTRY = "chosen"
LASTS = timedelta(minutes=30)


def signed_in(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Send strangers to the sign-in; forbid caches; ClassNotFoundError becomes a 404."""
    # /api/auth/signin documents the parameter under this name.
    guarded = login_required(view, redirect_field_name="callbackUrl")

    @wraps(view)
    def guard(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated or request.method in {"GET", "HEAD"}:
            try:
                return guarded(request, *args, **kwargs)
            except ClassNotFoundError:
                raise Http404 from None
        # After the sign-in the browser sends a GET, which a form's address may refuse; so return
        # to the page with the form.
        page = local_path(request.headers.get("Referer"), default="/inicio")
        return redirect(reverse("bookings:inicio", query={"callbackUrl": page}))

    return never_cache(guard)


def sign_in_first(
    request: HttpRequest, *, address: str, what: str, form: dict[str, str]
) -> HttpResponse:
    """Redirect to the sign-in, and from there to ``address``.

    what: the choice in words, for the sign-in's page. form: for ``take_chosen`` at the address.
    """
    # Like the start of a sign-in this stores a session, so the same limit applies.
    limit = settings.MAX_SIGN_IN_STARTS
    if not is_too_often("choices", client_address(request), limit=limit):
        until = (timezone.now() + LASTS).timestamp()
        chosen = {"address": address, "what": what, "form": form, "until": until}
        request.session[SESSION_ENTRY] = chosen
    return redirect(reverse("bookings:inicio", query={"callbackUrl": address}))


def take_chosen(request: HttpRequest) -> dict[str, str] | None:
    """Return the form of this address, once: a link can name any address."""
    chosen = _find(request, request.get_full_path())
    request.session.pop(SESSION_ENTRY, None)
    return chosen["form"] if chosen else None


def name_chosen(request: HttpRequest) -> str:
    """Say what the person chose, if the sign-in leads back to it."""
    chosen = _find(request, request.GET.get("callbackUrl", ""))
    return chosen["what"] if chosen else ""


def _find(request: HttpRequest, address: str) -> dict[str, Any] | None:
    chosen: dict[str, Any] | None = request.session.get(SESSION_ENTRY)
    is_here = chosen is not None and chosen["address"] == address
    return chosen if chosen and is_here and timezone.now().timestamp() < chosen["until"] else None
