"""Receivers of the signals that accounts and calendar_sync send."""

from typing import Any
from uuid import UUID

from allauth.socialaccount.models import SocialAccount
from django.dispatch import Signal, receiver
from django.utils import timezone

from accounts.management.key_rotation import values_forgotten
from accounts.models import User
from accounts.services import account_reactivated, account_suspended, calendar_granted
from accounts.sign_in.identities import identity_connected, identity_disconnected
from bookings.domain.calendar.grant import note_refusal
from bookings.domain.calendar.guests import request_guests
from bookings.domain.calendar.repairing import compare_soon, open_channel_soon
from bookings.domain.classes.finishing import resume_schedulings
from bookings.domain.places.participants import pass_on_offers_to
from bookings.models import NoticeKind, VirtualClass, WebhookEndpoint
from bookings.notices.due import record_alert
from bookings.webhooks.endpoints import rotate_secrets
from calendar_sync import access_refused, calendar_changed


@receiver(calendar_granted)
def on_calendar_granted(**kwargs: Any) -> None:
    resume_schedulings()
    # A service account without delegation may have replaced the grant: it cannot invite guests.
    request_guests(VirtualClass.objects.filter(end_time__gt=timezone.now()))
    open_channel_soon()


@receiver(values_forgotten, sender=WebhookEndpoint)
def on_secrets_forgotten(field: str, keys: list[UUID], **kwargs: Any) -> None:
    if field == "secret":
        rotate_secrets(keys)


@receiver(account_suspended)
def on_account_suspended(user: User, **kwargs: Any) -> None:
    pass_on_offers_to(user)


@receiver([account_suspended, account_reactivated])
def on_account_closed_or_opened(user: User, **kwargs: Any) -> None:
    """Invite active people only; suspended ones keep their places."""
    request_guests(VirtualClass.objects.filter(activities__user=user))


@receiver([identity_connected, identity_disconnected])
def on_identity_changed(signal: Signal, user: User, account: SocialAccount, **kwargs: Any) -> None:
    is_new = signal is identity_connected
    kind = NoticeKind.IDENTITY_ADDED if is_new else NoticeKind.IDENTITY_REMOVED
    record_alert(kind, user, f"{account.provider} {account.pk}")


@receiver(calendar_changed)
def on_calendar_changed(**kwargs: Any) -> None:
    compare_soon()


@receiver(access_refused)
def on_access_refused(refresh_token: str | None, **kwargs: Any) -> None:
    note_refusal(refresh_token)
