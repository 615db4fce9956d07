"""POST /api/webhooks/<provider>: notifications from the payment provider. Not in the spec."""

import logging

from django.http import UnreadablePostError
from rest_framework import exceptions, status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bookings.api.openapi.payments import describe_notification
from bookings.api.texts import FORGED_NOTIFICATION, TOO_MANY_NOTIFICATIONS
from bookings.domain.checkout.notifications import (
    ForgedNotificationError,
    TooManyNotificationsError,
    accept_notification,
)
from bookings.payments.gateway import MAX_NOTIFICATION_BYTES
from config.lib.addresses import client_address
from config.lib.api.texts import BODY_TOO_LARGE
from config.lib.throttling import WINDOW_SECONDS

logger = logging.getLogger(__name__)


class TooLargeError(exceptions.APIException):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = BODY_TOO_LARGE


class ForgedError(exceptions.APIException):
    status_code = status.HTTP_401_UNAUTHORIZED
    default_detail = FORGED_NOTIFICATION


class TooManyError(exceptions.APIException):
    """wait: seconds, for a header."""

    status_code = status.HTTP_429_TOO_MANY_REQUESTS
    default_detail = TOO_MANY_NOTIFICATIONS
    wait = WINDOW_SECONDS


class PaymentWebhookView(APIView):
    """Takes notifications without a session or a cookie."""

    authentication_classes = []
    permission_classes = [AllowAny]

    @describe_notification
    def post(self, request: Request) -> Response:
        """Store a notification; its payment is read afterwards."""
        try:
            accept_notification(
                query=request.GET,
                headers=request.headers,
                body=_read_body(request),
                address=client_address(request),
            )
        except ForgedNotificationError as error:
            logger.warning("A payment notice with a wrong signature was refused.")
            raise ForgedError from error
        except TooManyNotificationsError as error:
            raise TooManyError from error
        return Response()


def _read_body(request: Request) -> bytes:
    """Return an empty body if it breaks off: the address says the same."""
    if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_NOTIFICATION_BYTES:
        raise TooLargeError
    try:
        return request.body
    except UnreadablePostError:
        return b""
