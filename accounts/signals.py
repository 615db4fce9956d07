"""Receivers of sign-in."""

import logging
from typing import Any, cast

from allauth.account.signals import user_logged_in
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.signals import social_account_added
from django.conf import settings
from django.contrib.auth import signals
from django.dispatch import receiver
from django.http import HttpRequest

from accounts.models import USER_AGENT_LENGTH, User
from accounts.selectors import GOOGLE
from accounts.services import (
    admit_administrator,
    bind_identity,
    choose_language,
    dismiss_administrator,
    remember_refresh_token,
)
from accounts.sessions.engine import SessionStore
from accounts.sessions.languages import language_chosen_in_browser
from accounts.sign_in.authorization import granted_scopes, note_missing_token
from accounts.sign_in.fresh_sign_in import note_sign_in
from accounts.sign_in.identities import identity_connected

logger = logging.getLogger(__name__)


@receiver(user_logged_in)
def on_signed_in(request: HttpRequest, user: User, sociallogin: SocialLogin, **kwargs: Any) -> None:
    account = sociallogin.account
    note_sign_in(request.session, provider=account.provider, uid=account.uid)
    _recognise_administrator(request, user, sociallogin)
    if user.is_staff:
        bind_identity(user=user, subject=account.uid)
    if language := language_chosen_in_browser(request):
        choose_language(user=user, language=language)


@receiver(signals.user_logged_in)
def on_session_begun(request: HttpRequest, **kwargs: Any) -> None:
    said = filter(str.isprintable, request.headers.get("User-Agent", ""))
    cast(SessionStore, request.session).user_agent = "".join(said)[:USER_AGENT_LENGTH]


@receiver(social_account_added)
def on_identity_connected(request: HttpRequest, sociallogin: SocialLogin, **kwargs: Any) -> None:
    user, account = sociallogin.user, sociallogin.account
    _recognise_administrator(request, user, sociallogin)
    if user.is_staff:
        # Only this identity opens the panel from now on, and this browser has just proved it.
        note_sign_in(request.session, provider=account.provider, uid=account.uid)
        request.session.cycle_key()
    identity_connected.send(sender=User, user=user, account=account)


def _recognise_administrator(request: HttpRequest, user: User, sociallogin: SocialLogin) -> None:
    """Admit the owner of ADMIN_EMAIL; only Google's verified address counts.

    Dismiss a superuser with another address. Spec: Authentication, 1, 2 and 7.
    """
    if user.email != settings.ADMIN_EMAIL:
        if user.is_superuser:
            dismiss_administrator(user=user)
        return
    verified = {address.email for address in sociallogin.email_addresses}
    if sociallogin.account.provider != GOOGLE or settings.ADMIN_EMAIL not in verified:
        return
    if not admit_administrator(user=user, subject=sociallogin.account.uid):
        logger.warning("Another account of the provider claims the administrator's address.")
        return
    _keep_grant(request, user, sociallogin)


def _keep_grant(request: HttpRequest, user: User, sociallogin: SocialLogin) -> None:
    if settings.CALENDAR_SCOPE not in sociallogin.state.get("asked_scope", []):
        return
    if settings.CALENDAR_SCOPE not in granted_scopes(sociallogin):
        logger.warning("The administrator signed in without granting the calendar.")
    elif sociallogin.token.token_secret:
        remember_refresh_token(user=user, refresh_token=sociallogin.token.token_secret)
    elif not user.provider_refresh_token:
        # Google sends one with the first consent only, and a new database has lost that.
        logger.warning("The calendar was granted without a refresh token, and none is stored.")
        note_missing_token(request, sociallogin)
