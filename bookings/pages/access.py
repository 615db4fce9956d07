"""Access to the pages."""

import uuid
from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache

from accounts.models import User
from accounts.sign_in.redirects import local_path
from bookings.domain.queries import list_classes_of
from bookings.models import VirtualClass


def signed_in(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Send strangers to the sign-in first; no cache keeps the page."""
    # The parameter's name is the one that /api/auth/signin documents.
    guarded = login_required(view, redirect_field_name="callbackUrl")

    @wraps(view)
    def guard(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated or request.method in {"GET", "HEAD"}:
            return guarded(request, *args, **kwargs)
        # After the sign-in the browser sends a GET, which a form's address may refuse; so return
        # to the page with the form.
        page = local_path(request.headers.get("Referer"), default="/inicio")
        return redirect(f"/inicio?{urlencode({'callbackUrl': page})}")

    return never_cache(guard)


def get_own_class(user: User, class_id: uuid.UUID) -> VirtualClass:
    """Return a class in which the person takes part. Raises Http404 for any other."""
    return get_object_or_404(list_classes_of(user), pk=class_id)
