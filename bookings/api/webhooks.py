"""POST /api/webhooks/<provider>: notifications from the payment provider. Our own addition."""

import logging

from django.http import UnreadablePostError
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bookings.domain.checkout.notifications import (
    ForgedNotificationError,
    TooManyNotificationsError,
    accept_notification,
)
from bookings.payments.gateway import MAX_NOTIFICATION_BYTES
from config.lib.addresses import client_address
from config.lib.api.schema import from_settings, header, refusal, retry_after, say_bytes
from config.lib.api.texts import BODY_TOO_LARGE
from config.lib.api.views import Refusal
from config.lib.throttling import WINDOW_SECONDS

logger = logging.getLogger(__name__)

FORGED = "La firma no es válida."
TOO_MANY = "Demasiados avisos sin una firma válida."


def _in_query(name: str, description: str, value: str) -> OpenApiParameter:
    example = OpenApiExample("one", value)
    return OpenApiParameter(name, str, description=description, examples=[example])


class PaymentWebhookView(APIView):
    authentication_classes = []
    permission_classes = [AllowAny]
    refusals = {
        ForgedNotificationError: Refusal(401, FORGED),
        TooManyNotificationsError: Refusal(429, TOO_MANY, retry_after=WINDOW_SECONDS),
    }

    @extend_schema(
        operation_id="receiveMercadoPagoNotice",
        tags=["Webhooks we receive"],
        summary="Receive a notification from Mercado Pago",
        description=(
            "For webhooks and IPN of Mercado Pago. The service stores the notification, answers, "
            "and then asks Mercado Pago about the payment; it trusts nothing that the notification "
            "says. A notification that names nothing to ask about gets 200 as well, because a "
            "repeat would change nothing."
        ),
        auth=[],
        request={
            "*/*": {
                "description": (
                    "The JSON of Mercado Pago, with `type`, `action` and `data`, up to "
                    f"{say_bytes(MAX_NOTIFICATION_BYTES)}."
                ),
            }
        },
        parameters=[
            _in_query("data.id", "The payment, of a webhook.", "1300000001"),
            _in_query("type", "What `data.id` is.", "payment"),
            OpenApiParameter("topic", str, description="What `id` is, of an IPN."),
            OpenApiParameter("id", str, description="The payment or order, of an IPN."),
            header("x-signature", "`ts=...,v1=...`, HMAC-SHA256."),
            header("x-request-id", "A part of what is signed."),
            retry_after(),
        ],
        responses={
            200: OpenApiResponse(description="The notification is stored."),
            401: refusal("The signature is wrong.", FORGED),
            413: refusal(f"The body is over {say_bytes(MAX_NOTIFICATION_BYTES)}.", BODY_TOO_LARGE),
            429: refusal(
                from_settings(
                    "Over {MAX_UNVERIFIED_NOTIFICATIONS:,} a minute without a valid signature from "
                    "one address, or {MAX_UNVERIFIED_NOTIFICATIONS_OF_ALL:,} from all."
                ),
                TOO_MANY,
            ),
        },
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
                query=request.GET,
                headers=request.headers,
                body=body,
                address=client_address(request),
            )
        except ForgedNotificationError:
            logger.warning("A payment notice with a wrong signature was refused.")
            raise
        return Response()
