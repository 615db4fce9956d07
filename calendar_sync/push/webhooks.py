"""POST /api/webhooks/calendar: the provider's push messages.

https://developers.google.com/workspace/calendar/api/guides/push
"""

from django.http import Http404
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from calendar_sync.backend import forget_upcoming_events
from calendar_sync.push.channels import accept_message
from calendar_sync.signals import calendar_changed
from config.lib.api import NOT_FOUND, operation

# The third state, ``sync``, only confirms that the channel is open.
CHANGES = frozenset({"exists", "not_exists"})
LONGEST_NUMBER = 18


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
        state = request.headers.get("X-Goog-Resource-State", "")
        number = request.headers.get("X-Goog-Message-Number", "")
        is_number = number.isascii() and number.isdigit() and len(number) <= LONGEST_NUMBER
        is_news = accept_message(
            channel_id=request.headers.get("X-Goog-Channel-ID", ""),
            token=request.headers.get("X-Goog-Channel-Token", ""),
            number=int(number) if is_number else 0,
        )
        if is_news is None:
            raise Http404  # as for any unknown address, so that callers learn nothing
        if is_news and state in CHANGES:
            forget_upcoming_events()
            calendar_changed.send_robust(sender=CalendarWebhookView)
        return Response(status=204)
