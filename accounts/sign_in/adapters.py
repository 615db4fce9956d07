"""allauth's hooks, and timings of calls to the identity providers."""

import logging
from time import perf_counter
from typing import Any, NoReturn
from urllib.parse import urlsplit

import requests
from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from allauth.socialaccount.providers.base import AuthError, AuthProcess
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from prometheus_client import Histogram
from requests.adapters import HTTPAdapter

from accounts.models import User
from accounts.selectors import find_user_by_email
from accounts.services import may_open_panel
from accounts.sessions.languages import language_of
from accounts.sign_in.fresh_sign_in import confirm_address
from accounts.sign_in.identities import find_obstacle
from accounts.sign_in.redirects import ERROR_PAGE, SIGN_IN_PAGE, error_redirect
from config.lib.provider_calls import outcome_of

logger = logging.getLogger(__name__)


def _refuse(code: str, *, page: str = ERROR_PAGE, next_path: str = "") -> NoReturn:
    raise ImmediateHttpResponse(error_redirect(code, page=page, next_path=next_path))


def _find_next(sociallogin: SocialLogin) -> str:
    """Return where the sign-in was to end, empty for the usual page."""
    next_path: str = sociallogin.state.get("next") or ""
    return next_path if next_path != settings.LOGIN_REDIRECT_URL else ""


class AccountAdapter(DefaultAccountAdapter):
    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """The next page shows the result."""

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        return error_redirect("AccessDenied")


class SocialAccountAdapter(DefaultSocialAccountAdapter):
    """An e-mail address alone links no identity."""

    def get_app(
        self, request: HttpRequest, provider: str, client_id: str | None = None
    ) -> SocialApp:
        return SocialApp(provider=provider, **settings.SOCIALACCOUNT_PROVIDERS[provider]["APP"])

    def get_requests_session(self) -> requests.Session:
        session: requests.Session = super().get_requests_session()
        session.max_redirects = 0
        for scheme in ("https://", "http://"):
            session.mount(scheme, TimedAdapter())
        return session

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: Any,
        exception: Any,
        extra_context: dict[str, Any],
    ) -> None:
        if exception:
            # Its text may hold the token endpoint's answer.
            logger.warning("Sign-in with %s failed: %s", provider.id, type(exception).__name__)
        state = extra_context.get("state") or {}
        is_refusal = error == AuthError.CANCELLED or request.GET.get("error") == "access_denied"
        if not is_refusal:
            _refuse("OAuthCallback")
        next_path = state.get("next", settings.LOGIN_REDIRECT_URL)
        if request.user.is_authenticated:
            # They refused only the calendar, the confirmation or the connection.
            raise ImmediateHttpResponse(HttpResponseRedirect(next_path))
        _refuse("Cancelled", page=SIGN_IN_PAGE, next_path=next_path)

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        state, user = sociallogin.state, sociallogin.user
        if state.get("process") == AuthProcess.CONNECT:
            if sociallogin.is_existing and user != request.user:
                _refuse("OAuthAccountNotLinked", page=reverse("profile"))
            if request.user.is_authenticated and (obstacle := find_obstacle(request)):
                raise ImmediateHttpResponse(HttpResponseRedirect(obstacle))
        elif state.get("must_be") and str(user.pk) != state["must_be"]:
            page = confirm_address(state.get("next", "/"), error="AnotherAccount")
            raise ImmediateHttpResponse(HttpResponseRedirect(page))
        elif user.is_staff and not may_open_panel(
            user=user, provider=sociallogin.account.provider, subject=sociallogin.account.uid
        ):
            _refuse("PanelIdentity", page=SIGN_IN_PAGE, next_path=_find_next(sociallogin))

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        if not sociallogin.email_addresses:
            _refuse("AccessDenied")
        owner = find_user_by_email(sociallogin.email_addresses[0].email)
        if owner and owner.is_active:
            code = "PanelIdentity" if owner.is_staff else "OAuthAccountNotLinked"
            _refuse(code, page=SIGN_IN_PAGE, next_path=_find_next(sociallogin))
        if owner:
            _refuse("AccessDenied")
        return True

    def populate_user(
        self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, str]
    ) -> User:
        user: User = sociallogin.user
        user.email = data.get("email", "")
        user.name = data["name"]
        user.image = data["image"]
        # A new person keeps the language of the first visit.
        user.language = language_of(request)
        return user

    save_user = transaction.atomic(DefaultSocialAccountAdapter.save_user)

    def serialize_instance(self, instance: Any) -> NoReturn:
        """Refuse to store an unfinished sign-in: the session would hold its tokens in clear."""
        _refuse("OAuthCreateAccount")

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: Any) -> str:
        return reverse("profile")


SECONDS = Histogram(
    "classes_sign_in_call_seconds",
    "How long calls to the identity providers took, by host and outcome.",
    ["host", "outcome"],
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2, 4),
)


class TimedAdapter(HTTPAdapter):
    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> Any:
        began, status = perf_counter(), 0
        try:
            response = super().send(request, *args, **kwargs)
            status = response.status_code
            return response
        finally:
            host = urlsplit(request.url or "").hostname or ""
            SECONDS.labels(host, outcome_of(status)).observe(perf_counter() - began)
