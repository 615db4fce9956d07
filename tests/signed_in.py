"""Lets Django's ``force_login`` begin a session as a sign-in with the person's identity does."""

from typing import Any

from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest

from accounts.models import User
from accounts.services import bind_identity
from accounts.sign_in.fresh_sign_in import note_sign_in


@receiver(user_logged_in)
def on_forced_sign_in(request: HttpRequest, user: User, **kwargs: Any) -> None:
    """Note a sign-in with Google, for the empty request of ``force_login`` only."""
    if request.method:
        return
    if user.is_staff:
        bind_identity(user=user, subject=f"subject-of-{user.pk}")
    note_sign_in(request.session, provider="google", uid=user.provider_subject)
