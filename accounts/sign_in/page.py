"""The sign-in page."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.selectors import list_providers
from accounts.sign_in.redirects import error_text, local_path


def show_sign_in(request: HttpRequest) -> HttpResponse:
    """Spec: Authentication, 4."""
    # login_required sends ``next``, NextAuth's clients send ``callbackUrl``.
    wanted = request.GET.get("callbackUrl") or request.GET.get("next")
    context = {
        "providers": list_providers(),
        "callback_url": local_path(wanted, default=settings.LOGIN_REDIRECT_URL),
        "error": error_text(request.GET.get("error")),
    }
    return render(request, "accounts/sign_in.html", context)
