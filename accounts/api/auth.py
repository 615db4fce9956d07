"""Views of ``/api/auth``: the paths of the specification, with the bodies of NextAuth.js 4.

Spec: Endpoints, Authentication endpoints.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import urlencode

from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import IntegrityError
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    JsonResponse,
)
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.views import View
from django.views.decorators.csrf import csrf_exempt
from rest_framework.authentication import CSRFCheck

from accounts.models import User
from accounts.provider import callback_address, provider_classes
from accounts.selectors import list_providers
from accounts.sessions.engine import SessionStore
from accounts.sign_in.authorization import Purpose, authorize_url, find_purpose
from accounts.sign_in.errors import TEXTS, page_for
from accounts.sign_in.identities import find_obstacle
from accounts.sign_in.redirects import SIGN_IN_PAGE, absolute, error_redirect, local_path
from accounts.sign_in.signing_out import sign_out
from config.lib.api_texts import BODY_TOO_LARGE, TOO_MANY_STARTS
from config.lib.origins import is_from_elsewhere
from config.lib.throttling import has_started_too_often, seconds_left

# As NextAuth says it. Django's own besides writes the date of each answer into ``Expires``.
NEVER_CACHE = "private, no-cache, no-store, max-age=0, must-revalidate"
METHOD_NOT_ALLOWED = "Método no permitido."
ADAPTERS = {provider.id: provider.oauth2_adapter_class for provider in provider_classes}


class AuthView(View):
    """What all of these share: nothing is cached, and errors are JSON.

    Django's own check of the CSRF token is off because NextAuth's clients call theirs
    ``csrfToken``; each POST that does something asks ``has_csrf_token`` instead.
    """

    http_method_names = ["get", "post", "head"]  # others are refused, as at the other addresses

    @classmethod
    def as_view(cls, **options: Any) -> Callable[..., HttpResponseBase]:
        return csrf_exempt(super().as_view(**options))

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            response = super().dispatch(request, *args, **kwargs)
        except RequestDataTooBig:  # raised where the form is first read
            status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
            response = JsonResponse({"error": BODY_TOO_LARGE}, status=status)
        response.headers["Cache-Control"] = NEVER_CACHE
        return response

    def http_method_not_allowed(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        refusal = super().http_method_not_allowed(request, *args, **kwargs)
        return JsonResponse(
            {"error": METHOD_NOT_ALLOWED},
            status=refusal.status_code,
            headers={"Allow": refusal["Allow"]},
        )


class ProvidersView(AuthView):
    """``GET /api/auth/providers``"""

    def get(self, request: HttpRequest) -> HttpResponse:
        """List the providers that are configured, keyed by id."""
        return JsonResponse(
            {
                provider.id: {
                    "id": provider.id,
                    "name": provider.name,
                    "type": "oauth",
                    "signinUrl": absolute(f"/api/auth/signin/{provider.id}"),
                    "callbackUrl": callback_address(provider.id),
                }
                for provider in list_providers()
            }
        )


class SessionView(AuthView):
    """``GET`` and ``POST /api/auth/session``"""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Say who is signed in and until when; an empty object for a stranger.

        Spec: Authentication, 5.
        """
        user, store = request.user, cast(SessionStore, request.session)
        # In this order: looking at the person loads the session, which may renew it.
        if not user.is_authenticated or not (expires_at := store.expires_at):
            return JsonResponse({})
        return JsonResponse({"user": _session_user(user), "expires": _milliseconds(expires_at)})

    def post(self, request: HttpRequest) -> HttpResponse:
        """Answer NextAuth's ``update()`` with the session; the body changes nothing."""
        return self.get(request)


class CsrfView(AuthView):
    """``GET /api/auth/csrf``"""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Hand out the token that the POSTs below ask for, and its cookie."""
        return JsonResponse({"csrfToken": get_token(request)})


class LogView(AuthView):
    """``POST /api/auth/_log``"""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Swallow what NextAuth's client reports about itself."""
        return HttpResponse(status=HTTPStatus.NO_CONTENT)


class SignInView(AuthView):
    """``GET /api/auth/signin``"""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the sign-in page. Spec: Authentication, 4."""
        target = local_path(request.GET.get("callbackUrl"), default=settings.LOGIN_REDIRECT_URL)
        query = {"callbackUrl": target}
        if "csrf" in request.GET:
            query["error"] = "MissingCSRF"
        elif request.GET.get("error") in TEXTS:
            query["error"] = request.GET["error"]
        return HttpResponseRedirect(f"{SIGN_IN_PAGE}?{urlencode(query)}")


class ProviderSignInView(SignInView):
    """``GET`` and ``POST /api/auth/signin/<provider>``"""

    def get(self, request: HttpRequest, provider_id: str = "") -> HttpResponse:
        """Show the sign-in page: no link sends anybody to a provider."""
        return super().get(request)

    def post(self, request: HttpRequest, provider_id: str) -> HttpResponse:
        """Send the person to the provider, or tell a JSON client where to send them.

        ``process=connect`` adds the identity to the account that is signed in; ``confirm`` makes
        the sign-in fresh; ``calendar`` asks the administrator for the calendar. The query may hold
        what NextAuth's ``signIn()`` passes on to the provider (``accounts.sign_in.authorization``).
        """
        _require_configured(provider_id)
        if not has_csrf_token(request):
            return _go(request, "/api/auth/signin?csrf=true")
        if has_started_too_often(request):
            return JsonResponse(
                {"error": TOO_MANY_STARTS},
                status=HTTPStatus.TOO_MANY_REQUESTS,
                headers={"Retry-After": str(seconds_left())},
            )
        return _go(request, _begin(request, provider_id))


class CallbackView(AuthView):
    """``GET /api/auth/callback/<provider>``"""

    # No HEAD: a code is good for one exchange, and looking must not use it up.
    http_method_names = ["get"]

    def get(self, request: HttpRequest, provider_id: str) -> HttpResponse:
        """Finish the sign-in: exchange the code, store the person, set the session cookie."""
        _require_configured(provider_id)
        finish = OAuth2CallbackView.adapter_view(ADAPTERS[provider_id])
        try:
            return cast(HttpResponse, finish(request))
        except IntegrityError:
            # A second tab has just stored the same person, or connected the same identity.
            return error_redirect("OAuthCreateAccount")


class SignOutView(AuthView):
    """``GET`` and ``POST /api/auth/signout``"""

    # No HEAD: looking must not sign anybody out.
    http_method_names = ["get", "post"]

    def get(self, request: HttpRequest) -> HttpResponse:
        """Sign the person out, or ask first when it may not have been their own wish."""
        target = local_path(
            request.GET.get("callbackUrl"), default=settings.ACCOUNT_LOGOUT_REDIRECT_URL
        )
        if "csrf" in request.GET or not _is_deliberate(request):
            return render(request, "accounts/sign_out.html", {"callback_url": target})
        return sign_out(request, HttpResponseRedirect(target))

    def post(self, request: HttpRequest) -> HttpResponse:
        """Sign the person out on this device."""
        if not has_csrf_token(request):
            return _go(request, "/api/auth/signout?csrf=true")
        target = local_path(
            request.POST.get("callbackUrl"), default=settings.ACCOUNT_LOGOUT_REDIRECT_URL
        )
        return sign_out(request, _go(request, target))


class ErrorView(AuthView):
    """``GET /api/auth/error``"""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Lead to the page that explains the error; an unknown code is not passed on."""
        code = request.GET.get("error", "")
        return error_redirect(code if code in TEXTS else "Default", page=page_for(code))


def has_csrf_token(request: HttpRequest) -> bool:
    """Whether the form holds this browser's token, as ``csrfToken`` or ``csrfmiddlewaretoken``.

    Django's own check does the work, the origin included.
    """
    if token := request.POST.get("csrfToken"):
        request.META[settings.CSRF_HEADER_NAME] = token
    check = CSRFCheck(_view_to_protect)
    check.process_request(request)
    return check.process_view(request, _view_to_protect, (), {}) is None


def _view_to_protect(request: HttpRequest) -> HttpResponse:
    """Stand for a view that is not exempt from the check."""
    return HttpResponse()


def _begin(request: HttpRequest, provider_id: str) -> str:
    """Return where a start leads: to the provider, or to a page that says why not yet."""
    purpose = find_purpose(request, provider_id)
    if purpose == Purpose.CONNECT and (obstacle := find_obstacle(request)):
        return obstacle
    return authorize_url(request, provider_id, purpose)


def _go(request: HttpRequest, target: str) -> HttpResponse:
    """Redirect a browser; tell a script, NextAuth's or Auth.js's, where to go."""
    if request.POST.get("json") == "true" or "X-Auth-Return-Redirect" in request.headers:
        return JsonResponse({"url": absolute(target)})
    return HttpResponseRedirect(target)


def _is_deliberate(request: HttpRequest) -> bool:
    """Whether a GET is the person's own click: not a link elsewhere, not a browser's guess."""
    purpose = request.headers.get("Sec-Purpose", "") + request.headers.get("Purpose", "")
    return "prefetch" not in purpose and not is_from_elsewhere(request)


def _require_configured(provider_id: str) -> None:
    """Raise Http404 for a provider without credentials."""
    if provider_id not in {provider.id for provider in list_providers()}:
        raise Http404


def _session_user(user: User) -> dict[str, str]:
    shown = {"id": str(user.pk), "name": str(user), "email": user.email, "image": user.image}
    return {key: value for key, value in shown.items() if value}


def _milliseconds(moment: datetime) -> str:
    """Write a time as JavaScript does: ``2026-12-20T08:10:00.000Z``."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
