"""Push messages: the provider reports changes, through a channel that lasts a week.

Has the channels, the view that takes the messages, and its URLconf.

https://developers.google.com/workspace/calendar/api/guides/push
"""

import hashlib
import logging
import secrets
from datetime import timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import Http404
from django.urls import path, reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from calendar_sync.backend import forget_upcoming_events, use_calendar
from calendar_sync.interface import CalendarError, calendar_changed, name_calendar
from calendar_sync.models import WatchChannel
from config.lib.api import NOT_FOUND, operation

logger = logging.getLogger(__name__)

# The third state, ``sync``, only confirms that the channel is open.
CHANGES = frozenset({"exists", "not_exists"})
RENEW_BEFORE_END = timedelta(days=2)
# After this a channel without an answer is deleted.
OPENING_TIME = timedelta(hours=1)
# Compared with the token of an unknown channel, so that both take as long.
NO_HASH = "0" * 64


class CalendarWebhookView(APIView):
    authentication_classes = []
    permission_classes = [AllowAny]

    @operation(
        "receiveCalendarPush",
        request=None,
        responses={204: None},
        texts={404: [NOT_FOUND]},
        auth=[],
    )
    def post(self, request: Request) -> Response:
        channel_id = request.headers.get("X-Goog-Channel-ID", "")
        if not is_ours(channel_id, token=request.headers.get("X-Goog-Channel-Token", "")):
            raise Http404  # as for any unknown address, so that callers learn nothing
        if request.headers.get("X-Goog-Resource-State") in CHANGES:
            forget_upcoming_events()
            calendar_changed.send_robust(sender=CalendarWebhookView)
        return Response(status=204)


app_name = "calendar_sync"
urlpatterns = [path("api/webhooks/calendar", CalendarWebhookView.as_view(), name="webhook")]


def keep_channel(*, refresh_token: str | None) -> int:
    """Open a channel before the last one ends; return the number opened.

    For two days both report each change, which does no harm.
    """
    if not settings.BASE_URL.startswith("https://"):
        logger.info("No push channel: the provider only calls a BASE_URL with https.")
        return 0
    now = timezone.now()
    ended = Q(expires_at__lte=now) | Q(expires_at=None, created_at__lte=now - OPENING_TIME)
    WatchChannel.objects.filter(ended).delete()
    address = settings.BASE_URL + reverse("calendar_sync:webhook")
    lasting = WatchChannel.objects.filter(expires_at__gt=now + RENEW_BEFORE_END)
    if lasting.filter(calendar_id=name_calendar(), address=address).exists():
        return 0
    return _open(address, refresh_token)


def has_open_channel() -> bool:
    return WatchChannel.objects.filter(
        calendar_id=name_calendar(), expires_at__gt=timezone.now()
    ).exists()


def is_ours(channel_id: str, *, token: str) -> bool:
    try:
        channel = WatchChannel.objects.filter(pk=channel_id).first()
    except ValidationError:  # not an id of ours
        channel = None
    known = channel.token_hash if channel else NO_HASH
    return constant_time_compare(known, _hash(token))


def _open(address: str, refresh_token: str | None) -> int:
    token = secrets.token_urlsafe(32)
    channel = WatchChannel.objects.create(
        calendar_id=name_calendar(), address=address, token_hash=_hash(token)
    )
    try:
        with use_calendar(refresh_token) as calendar:
            expires_at = calendar.open_channel(
                channel_id=str(channel.pk), token=token, address=address
            )
    except CalendarError as error:
        # If it was opened all the same, its messages are refused until it ends.
        logger.warning("No push channel could be opened: %s", error)
        channel.delete()
        return 0
    WatchChannel.objects.filter(pk=channel.pk).update(expires_at=expires_at)
    return 1


def _hash(token: str) -> str:
    """The token's 256 random bits need no salt."""
    return hashlib.sha256(token.encode()).hexdigest()
