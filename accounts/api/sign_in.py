"""Views of ``/api/auth`` that sign people in and out. Spec: Authentication endpoints."""

from http import HTTPStatus
from urllib.parse import urlencode

from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from rest_framework.authentication import CSRFCheck

from accounts.api.auth import AuthView
from accounts.api.serializers import SignInFormSerializer, SignOutFormSerializer, UrlSerializer
from accounts.provider import oauth_classes
from accounts.selectors import list_providers
from accounts.sessions.open_sessions import sign_out
from accounts.sign_in.authorization import Purpose, authorize_url, find_purpose, finish
from accounts.sign_in.identities import find_obstacle
from accounts.sign_in.redirects import (
    SIGN_IN_PAGE,
    TEXTS,
    absolute,
    error_redirect,
    local_path,
    page_for,
)
from config.lib.addresses import client_address, is_from_elsewhere
from config.lib.api import NOT_FOUND, TOO_MANY_STARTS, operation
from config.lib.throttling import is_too_often, seconds_left

ADAPTERS = {provider.id: provider.oauth2_adapter_class for provider in oauth_classes}
NO_PROVIDER = {404: [NOT_FOUND]}
FORM = "application/x-www-form-urlencoded"


class SignInView(AuthView):
    @operation("showSignIn", responses={302: None})
    def get(self, request: HttpRequest) -> HttpResponse:
        return _sign_in_page(request)


class ProviderSignInView(AuthView):
    @operation("showProviderSignIn", responses={302: None}, texts=NO_PROVIDER)
    def get(self, request: HttpRequest, provider_id: str) -> HttpResponse:
        return _sign_in_page(request)

    @operation(
        "signIn",
        request={FORM: SignInFormSerializer},
        responses={200: UrlSerializer, 302: None},
        texts={**NO_PROVIDER, 429: [TOO_MANY_STARTS]},
    )
    def post(self, request: HttpRequest, provider_id: str) -> HttpResponse:
        _require_configured(provider_id)
        if not has_csrf_token(request):
            return _go(request, "/api/auth/signin?csrf=true")
        address, limit = client_address(request), settings.MAX_SIGN_IN_STARTS
        if is_too_often("sign-in-starts", address, limit=limit):
            return JsonResponse(
                {"error": TOO_MANY_STARTS},
                status=HTTPStatus.TOO_MANY_REQUESTS,
                headers={"Retry-After": str(seconds_left())},
            )
        purpose = find_purpose(request, provider_id)
        if purpose == Purpose.CONNECT and (obstacle := find_obstacle(request)):
            return _go(request, obstacle)
        wanted = local_path(request.POST.get("callbackUrl"), default="")
        return _go(request, authorize_url(request, provider_id, purpose, next_path=wanted))


class CallbackView(AuthView):
    # No HEAD: a code is good for one exchange, and a preview must not use it up.
    http_method_names = ["get"]

    @operation("finishSignIn", responses={302: None}, texts=NO_PROVIDER)
    def get(self, request: HttpRequest, provider_id: str) -> HttpResponse:
        _require_configured(provider_id)
        return finish(request, OAuth2CallbackView.adapter_view(ADAPTERS[provider_id]))


class SignOutView(AuthView):
    # No HEAD: a preview must not sign the person out.
    http_method_names = ["get", "post"]

    @operation("signOutByLink", responses={(200, "text/html"): str, 302: None})
    def get(self, request: HttpRequest) -> HttpResponse:
        target = _target(request.GET.get("callbackUrl"))
        purpose = request.headers.get("Sec-Purpose", "") + request.headers.get("Purpose", "")
        is_deliberate = "prefetch" not in purpose and not is_from_elsewhere(request)
        if "csrf" in request.GET or not is_deliberate:
            return render(request, "accounts/sign_out.html", {"callback_url": target})
        return sign_out(request, HttpResponseRedirect(target))

    @operation(
        "signOut",
        request={FORM: SignOutFormSerializer},
        responses={200: UrlSerializer, 302: None},
    )
    def post(self, request: HttpRequest) -> HttpResponse:
        if not has_csrf_token(request):
            return _go(request, "/api/auth/signout?csrf=true")
        return sign_out(request, _go(request, _target(request.POST.get("callbackUrl"))))


class ErrorView(AuthView):
    @operation("showSignInError", responses={302: None})
    def get(self, request: HttpRequest) -> HttpResponse:
        code = request.GET.get("error", "")
        return error_redirect(code if code in TEXTS else "Default", page=page_for(code))


def has_csrf_token(request: HttpRequest) -> bool:
    """True if Django accepts the origin and ``csrfToken`` or ``csrfmiddlewaretoken``."""
    if token := request.POST.get("csrfToken"):
        request.META[settings.CSRF_HEADER_NAME] = token
    check = CSRFCheck(HttpResponse)
    check.process_request(request)
    # The class takes the place of a view that is not exempt; it is not called.
    return check.process_view(request, HttpResponse, (), {}) is None


def _sign_in_page(request: HttpRequest) -> HttpResponse:
    target = local_path(request.GET.get("callbackUrl"), default=settings.LOGIN_REDIRECT_URL)
    query = {"callbackUrl": target}
    if "csrf" in request.GET:
        query["error"] = "MissingCSRF"
    elif request.GET.get("error") in TEXTS:
        query["error"] = request.GET["error"]
    return HttpResponseRedirect(f"{SIGN_IN_PAGE}?{urlencode(query)}")


def _target(callback_url: str | None) -> str:
    return local_path(callback_url, default=settings.ACCOUNT_LOGOUT_REDIRECT_URL)


def _go(request: HttpRequest, target: str) -> HttpResponse:
    """Redirect, or answer NextAuth's scripts with the address."""
    if request.POST.get("json") == "true" or "X-Auth-Return-Redirect" in request.headers:
        return JsonResponse({"url": absolute(target)})
    return HttpResponseRedirect(target)


def _require_configured(provider_id: str) -> None:
    if provider_id not in list_providers():
        raise Http404
