"""Who may see the pages."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache

from accounts.sign_in.redirects import local_path


def signed_in(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Let people in whom we know; others sign in first. What they see is kept in no cache."""
    # The parameter's name is the one that /api/auth/signin documents.
    guarded = login_required(view, redirect_field_name="callbackUrl")

    @wraps(view)
    def guard(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated or request.method in {"GET", "HEAD"}:
            return guarded(request, *args, **kwargs)
        # Back from signing in the browser asks with GET, which a form's address may not answer; the
        # page that it was sent from does.
        page = local_path(request.headers.get("Referer"), default="/inicio")
        return redirect(f"/inicio?{urlencode({'callbackUrl': page})}")

    return never_cache(guard)
