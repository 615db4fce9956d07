"""Open, renew and close push channels, and verify their messages.

https://developers.google.com/workspace/calendar/api/guides/push
"""

import hashlib
import logging
import secrets
from datetime import timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from calendar_sync.backend import use_calendar
from calendar_sync.interface import CalendarError, name_calendar
from calendar_sync.models import WatchChannel

logger = logging.getLogger(__name__)

# Google's channels last a week.
RENEW_BEFORE_END = timedelta(days=2)
# After this a channel without an answer is deleted.
OPENING_TIME = timedelta(hours=1)
# Compared with the token of an unknown channel, so that both take as long.
NO_HASH = "0" * 64


def keep_channel(*, refresh_token: str | None) -> int:
    """Open a channel before the last one ends, close the others; return the number opened."""
    if not settings.BASE_URL.startswith("https://"):
        logger.info("No push channel: the provider only calls a BASE_URL with https.")
        return 0
    now = timezone.now()
    address = settings.BASE_URL + reverse("calendar_sync:webhook")
    wanted = WatchChannel.objects.filter(calendar_id=name_calendar(), address=address)
    opened = 0
    if not wanted.filter(expires_at__gt=now + RENEW_BEFORE_END).exists():
        opened = _open(address, refresh_token)
    newest = wanted.filter(expires_at__gt=now).order_by("-expires_at").first()
    _close_all_but(newest, refresh_token)
    return opened


def has_open_channel() -> bool:
    return WatchChannel.objects.filter(
        calendar_id=name_calendar(), expires_at__gt=timezone.now()
    ).exists()


def accept_message(*, channel_id: str, token: str, number: int) -> bool | None:
    """Return True for a new message of our channel, False for a repeated one, else None."""
    try:
        channel = WatchChannel.objects.filter(pk=channel_id).first()
    except ValidationError:  # not an id of ours
        channel = None
    known = channel.token_hash if channel else NO_HASH
    is_ours = constant_time_compare(known, _hash(token))
    if channel is None or not is_ours:
        return None
    newer = WatchChannel.objects.filter(pk=channel.pk, last_message__lt=number)
    return bool(newer.update(last_message=number, notified_at=timezone.now()))


def _open(address: str, refresh_token: str | None) -> int:
    token = secrets.token_urlsafe(32)
    channel = WatchChannel.objects.create(
        calendar_id=name_calendar(), address=address, token_hash=_hash(token)
    )
    try:
        with use_calendar(refresh_token) as calendar:
            resource_id, expires_at = calendar.open_channel(
                channel_id=str(channel.pk), token=token, address=address
            )
    except CalendarError as error:
        # If it was opened all the same, its messages are refused until it ends.
        logger.warning("No push channel could be opened: %s", error)
        channel.delete()
        return 0
    WatchChannel.objects.filter(pk=channel.pk).update(
        resource_id=resource_id, expires_at=expires_at
    )
    return 1


def _close_all_but(kept: WatchChannel | None, refresh_token: str | None) -> None:
    now = timezone.now()
    ended = Q(expires_at__lte=now) | Q(expires_at=None, created_at__lte=now - OPENING_TIME)
    WatchChannel.objects.filter(ended).delete()
    if kept is None:
        return
    for channel in WatchChannel.objects.filter(expires_at__lte=kept.expires_at).exclude(pk=kept.pk):
        try:
            with use_calendar(refresh_token) as calendar:
                calendar.close_channel(channel_id=str(channel.pk), resource_id=channel.resource_id)
        except CalendarError as error:
            logger.info("A push channel stays open until it ends: %s", error)
        else:
            channel.delete()


def _hash(token: str) -> str:
    """The token's 256 random bits need no salt."""
    return hashlib.sha256(token.encode()).hexdigest()
