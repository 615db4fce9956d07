"""POST /api/webhooks/<provider>: notifications from the payment provider. Our own addition."""

import logging

from django.http import UnreadablePostError
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bookings.domain.sales.notifications import (
    ForgedNotificationError,
    TooManyNotificationsError,
    accept_notification,
)
from bookings.payments.backend import PROVIDERS
from bookings.payments.gateway import MAX_NOTIFICATION_BYTES
from config.lib.addresses import client_address
from config.lib.api import BODY_TOO_LARGE, Refusal, operation
from config.lib.throttling import WINDOW_SECONDS

logger = logging.getLogger(__name__)

FORGED = "La firma no es válida."
WHAT_COMES = "The JSON of Mercado Pago, with `type`, `action` and `data`, up to 16 KiB."
TOO_MANY = "Demasiados avisos sin una firma válida."


class PaymentWebhookView(APIView):
    provider = ""
    authentication_classes = []
    permission_classes = [AllowAny]
    refusals = {
        ForgedNotificationError: Refusal(401, FORGED),
        TooManyNotificationsError: Refusal(429, TOO_MANY, retry_after=WINDOW_SECONDS),
    }

    @property
    def provider_label(self) -> str:
        return PROVIDERS[self.provider].label.replace(" ", "")

    @operation(
        "receive{view.provider_label}Notice",
        auth=[],
        request={"*/*": {"description": WHAT_COMES}},
        responses={200: None},
        texts={413: [BODY_TOO_LARGE]},
    )
    def post(self, request: Request) -> Response:
        if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_NOTIFICATION_BYTES:
            return Response({"error": BODY_TOO_LARGE}, status=413)
        try:
            body = request.body
        except UnreadablePostError:
            body = b""  # the address says the same
        try:
            accept_notification(
                provider=self.provider,
                query=request.GET,
                headers=request.headers,
                body=body,
                address=client_address(request),
            )
        except ForgedNotificationError:
            logger.warning("A payment notice with a wrong signature was refused.")
            raise
        return Response()
