"""Requests to the provider when a sign-in starts, and where it ends."""

from collections.abc import Callable
from enum import StrEnum

from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.base import AuthProcess
from django.conf import settings
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse

from accounts.selectors import GITHUB, GOOGLE
from accounts.sign_in.redirects import error_redirect

# Parameters that callers may pass on, as the third argument of NextAuth's signIn().
PASSED_ON = {
    GOOGLE: ("prompt", "login_hint", "hd"),
    GITHUB: ("prompt", "login", "allow_signup"),
}
MAX_LENGTH = 254
# In the session: the calendar was granted without a refresh token.
CONSENT_NEEDED = "consent_needed"


class Purpose(StrEnum):
    """The form field ``process``."""

    LOGIN = "login"
    CONNECT = "connect"
    CONFIRM = "confirm"
    CALENDAR = "calendar"


def find_purpose(request: HttpRequest, provider_id: str) -> Purpose:
    """Return LOGIN for a purpose that the person may not choose."""
    wanted = request.POST.get("process")
    may_connect = provider_id == GOOGLE and request.user.is_superuser
    may = request.user.is_authenticated and (wanted != Purpose.CALENDAR or may_connect)
    return Purpose(wanted) if may and wanted in set(Purpose) else Purpose.LOGIN


def authorize_url(
    request: HttpRequest, provider_id: str, purpose: Purpose, *, next_path: str = ""
) -> str:
    """Store the flow's state in the session. Spec: Authentication, 2."""
    provider = get_adapter().get_provider(request, provider_id)
    scope = provider.get_scope()
    params = {**provider.get_auth_params(), **_params(request, provider_id, purpose)}
    if provider_id == GOOGLE and (
        purpose == Purpose.CALENDAR or settings.CALENDAR_CONSENT == "everyone"
    ):
        scope.append(settings.CALENDAR_SCOPE)
        params["access_type"] = "offline"
    if purpose == Purpose.CALENDAR and settings.MEET_ACCESS == "open":
        scope.append(settings.MEET_SCOPE)
    is_bound = purpose in {Purpose.CONFIRM, Purpose.CALENDAR}
    response = provider.redirect(
        request,
        process=AuthProcess.CONNECT if purpose == Purpose.CONNECT else AuthProcess.LOGIN,
        next_url=next_path or settings.LOGIN_REDIRECT_URL,
        auth_params=params,
        scope=scope,
        asked_scope=scope,
        prompt=params.get("prompt"),
        must_be=str(request.user.pk) if is_bound else None,
    )
    return str(response.url)


def note_missing_token(request: HttpRequest, sociallogin: SocialLogin) -> None:
    """Let ``lead_on`` ask for the consent page, unless the person has just seen it."""
    if sociallogin.state.get("prompt") != "consent":
        request.session[CONSENT_NEEDED] = True


def lead_on(request: HttpRequest, target: str) -> str:
    """Return where a completed sign-in leads: people of the panel go there by default."""
    if target == settings.LOGIN_REDIRECT_URL and request.user.is_staff:
        target = settings.PANEL_REDIRECT_URL
    if request.session.pop(CONSENT_NEEDED, False):
        return authorize_url(request, GOOGLE, Purpose.CALENDAR, next_path=target)
    return target


def finish(request: HttpRequest, complete: Callable[[HttpRequest], HttpResponse]) -> HttpResponse:
    """Sign the proven person in, and lead on."""
    try:
        response = complete(request)
    except IntegrityError:
        # A second tab has just stored the same person, or connected the same identity.
        return error_redirect("OAuthCreateAccount")
    response["Location"] = lead_on(request, response["Location"])
    return response


def granted_scopes(sociallogin: SocialLogin) -> frozenset[str]:
    """By default those asked for (RFC 6749, 5.1)."""
    granted: frozenset[str] | None = sociallogin.token.granted_scopes
    return frozenset(sociallogin.state.get("asked_scope", [])) if granted is None else granted


def _params(request: HttpRequest, provider_id: str, purpose: Purpose) -> dict[str, str]:
    user = request.user
    if user.is_authenticated and purpose == Purpose.CALENDAR:
        # By default the provider sends a refresh token only with the first consent.
        return {"prompt": "consent", "login_hint": user.email}
    if user.is_authenticated and purpose == Purpose.CONFIRM:
        # Google has no prompt=login: it decides by itself whether to ask for the password.
        hint = {"login_hint": user.email} if provider_id == GOOGLE else {}
        return {"prompt": "select_account", **hint}
    given = ((name, request.GET.get(name, "")) for name in PASSED_ON[provider_id])
    return {
        name: value for name, value in given if 0 < len(value) <= MAX_LENGTH and value.isprintable()
    }
