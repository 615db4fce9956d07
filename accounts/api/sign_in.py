"""Views of ``/api/auth`` that sign people in and out. Spec: Authentication endpoints."""

from http import HTTPStatus
from typing import cast
from urllib.parse import urlencode

from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from django.conf import settings
from django.db import IntegrityError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse
from rest_framework.authentication import CSRFCheck

from accounts.api.auth import TOKEN, AuthView, describe
from accounts.api.serializers import SignInFormSerializer, SignOutFormSerializer, UrlSerializer
from accounts.provider import provider_classes
from accounts.selectors import list_providers
from accounts.sign_in.authorization import Purpose, authorize_url, find_purpose, lead_on
from accounts.sign_in.errors import TEXTS, page_for
from accounts.sign_in.identities import find_obstacle
from accounts.sign_in.redirects import SIGN_IN_PAGE, absolute, error_redirect, local_path
from accounts.sign_in.signing_out import sign_out
from config.lib.addresses import client_address
from config.lib.api.schema import answer, from_settings, header, refusal, retry_after
from config.lib.api.texts import NOT_FOUND, TOO_MANY_STARTS
from config.lib.origins import is_from_elsewhere
from config.lib.throttling import is_too_often, seconds_left

ADAPTERS = {provider.id: provider.oauth2_adapter_class for provider in provider_classes}
FORM = "application/x-www-form-urlencoded"
PROVIDER = OpenApiParameter(
    "provider_id",
    str,
    OpenApiParameter.PATH,
    enum=list(ADAPTERS),
    description="One of those that `GET /api/auth/providers` lists.",
    examples=[OpenApiExample("one", "google")],
)
CALLBACK_URL = OpenApiParameter(
    "callbackUrl", str, description="Where to go afterwards: a path of ours, or its address."
)
ERROR_CODE = OpenApiParameter("error", str, description="One of NextAuth's error codes.")
TO_GO_ON = header(
    "X-Auth-Return-Redirect", "With any value the same as `json=true`; what Auth.js sends."
)
PASSED_ON = [
    OpenApiParameter(name, str, description=f"Passed on to {provider}.")
    for name, provider in {
        "prompt": "the provider",
        "login_hint": "Google",
        "hd": "Google",
        "login": "GitHub",
        "allow_signup": "GitHub",
    }.items()
]
REDIRECT = OpenApiResponse(description="Go on there.")
GO_ON = "Where to go on, for `json=true`: as with 302."
NO_PROVIDER = refusal("There is no such provider, or it has no credentials here.", NOT_FOUND)


def _location(description: str) -> OpenApiParameter:
    return header("Location", description, required=True, response=[302])


def _form_example(callback_url: str) -> OpenApiExample:
    form = {"csrfToken": TOKEN, "callbackUrl": callback_url, "json": "true"}
    return OpenApiExample("a form", form, media_type=FORM)


class SignInView(AuthView):
    @describe(
        operation_id="showSignIn",
        summary="Go to the sign-in page",
        parameters=[_location("The sign-in page, `/inicio`."), CALLBACK_URL, ERROR_CODE],
        responses={302: REDIRECT},
    )
    def get(self, request: HttpRequest) -> HttpResponse:
        return _sign_in_page(request)


class ProviderSignInView(AuthView):
    @describe(
        operation_id="showProviderSignIn",
        summary="Go to the sign-in page, from a provider's address",
        description="A link leads to the sign-in page only; the POST leads to the provider.",
        parameters=[_location("The sign-in page, `/inicio`."), PROVIDER, CALLBACK_URL, ERROR_CODE],
        responses={302: REDIRECT, 404: NO_PROVIDER},
    )
    def get(self, request: HttpRequest, provider_id: str) -> HttpResponse:
        return _sign_in_page(request)

    @describe(
        operation_id="signIn",
        summary="Begin to sign in with a provider",
        parameters=[
            _location(
                "The provider; the sign-in page, where the token is wrong; or a page that asks "
                "for a fresh sign-in first."
            ),
            PROVIDER,
            TO_GO_ON,
            *PASSED_ON,
            retry_after(),
        ],
        request={FORM: SignInFormSerializer},
        examples=[_form_example("/inicio")],
        responses={
            200: answer(
                UrlSerializer,
                GO_ON,
                {"url": "http://localhost:8101/o/oauth2/v2/auth?client_id=demo-google"},
            ),
            302: REDIRECT,
            404: NO_PROVIDER,
            429: refusal(
                from_settings("Over {MAX_SIGN_IN_STARTS} begun in a minute from one address."),
                TOO_MANY_STARTS,
            ),
        },
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

    @describe(
        operation_id="finishSignIn",
        summary="Come back from the provider",
        description="For the provider's redirect. It sets the session cookie.",
        parameters=[
            _location("Where the person wanted to go, or the page that explains what went wrong."),
            PROVIDER,
            OpenApiParameter("code", str, description="Good for one exchange."),
            OpenApiParameter(
                "state", str, description="Ties the answer to the browser that asked."
            ),
            OpenApiParameter("error", str, description="What the provider refused."),
        ],
        responses={302: REDIRECT, 404: NO_PROVIDER},
    )
    def get(self, request: HttpRequest, provider_id: str) -> HttpResponse:
        _require_configured(provider_id)
        finish = OAuth2CallbackView.adapter_view(ADAPTERS[provider_id])
        try:
            response = cast(HttpResponse, finish(request))
        except IntegrityError:
            # A second tab has just stored the same person, or connected the same identity.
            return error_redirect("OAuthCreateAccount")
        response["Location"] = lead_on(request, response["Location"])
        return response


class SignOutView(AuthView):
    # No HEAD: a preview must not sign the person out.
    http_method_names = ["get", "post"]

    @describe(
        operation_id="signOutByLink",
        summary="Sign out, by a link",
        description="From another site, or when a browser only looks ahead, a page asks first.",
        parameters=[_location("`callbackUrl`, by default `/`."), CALLBACK_URL],
        responses={
            (200, "text/html"): OpenApiResponse(
                {"type": "string"}, description="A page that asks."
            ),
            302: REDIRECT,
        },
    )
    def get(self, request: HttpRequest) -> HttpResponse:
        target = _target(request.GET.get("callbackUrl"))
        purpose = request.headers.get("Sec-Purpose", "") + request.headers.get("Purpose", "")
        is_deliberate = "prefetch" not in purpose and not is_from_elsewhere(request)
        if "csrf" in request.GET or not is_deliberate:
            return render(request, "accounts/sign_out.html", {"callback_url": target})
        return sign_out(request, HttpResponseRedirect(target))

    @describe(
        operation_id="signOut",
        summary="Sign out",
        parameters=[_location("`callbackUrl`, by default `/`."), TO_GO_ON],
        request={FORM: SignOutFormSerializer},
        examples=[_form_example("/")],
        responses={
            200: answer(UrlSerializer, GO_ON, {"url": "http://localhost:8000/"}),
            302: REDIRECT,
        },
    )
    def post(self, request: HttpRequest) -> HttpResponse:
        if not has_csrf_token(request):
            return _go(request, "/api/auth/signout?csrf=true")
        return sign_out(request, _go(request, _target(request.POST.get("callbackUrl"))))


class ErrorView(AuthView):
    @describe(
        operation_id="showSignInError",
        summary="Go to the page that explains an error",
        parameters=[_location("`/inicio` or `/`, with the code."), ERROR_CODE],
        responses={302: REDIRECT},
    )
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
