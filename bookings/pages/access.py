"""Access to the pages."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache

from accounts.sign_in.redirects import local_path
from bookings.domain.exceptions import ClassNotFoundError


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
