"""The description of Mercado Pago's webhook."""

from django.conf import settings
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from bookings.api.texts import FORGED_NOTIFICATION, TOO_MANY_NOTIFICATIONS
from bookings.payments.gateway import MAX_NOTIFICATION_BYTES as MAX_BYTES
from config.lib.api.schema import from_settings, header, refusal, retry_after, say_bytes
from config.lib.api.texts import BODY_TOO_LARGE


def _in_query(name: str, description: str, value: str) -> OpenApiParameter:
    example = OpenApiExample("one", value)
    return OpenApiParameter(name, str, description=description, examples=[example])


describe_notification = extend_schema(
    operation_id="receiveMercadoPagoNotice",
    tags=["Webhooks we receive"],
    summary="Take a notice of Mercado Pago",
    description=(
        "For Mercado Pago's webhooks and IPN. It is stored, answered, and looked into afterwards; "
        "nothing in it is believed: Mercado Pago is asked. A notice that names nothing we could "
        "look up is answered 200 as well, for repeating it would change nothing."
    ),
    auth=[],
    request={
        "*/*": {
            "description": (
                f"Whatever Mercado Pago sends, up to {say_bytes(MAX_BYTES)}: `type`, `action`, "
                "`data`."
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
        200: OpenApiResponse(description="It is taken."),
        401: refusal("The signature is wrong.", FORGED_NOTIFICATION),
        413: refusal(f"The body is over {say_bytes(MAX_BYTES)}.", BODY_TOO_LARGE),
        429: refusal(
            from_settings(
                lambda: (
                    f"Over {settings.MAX_UNVERIFIED_NOTICES:,} a minute without a valid signature "
                    f"from one address, or {settings.MAX_UNVERIFIED_NOTICES_OF_ALL:,} from all."
                )
            ),
            TOO_MANY_NOTIFICATIONS,
        ),
    },
)
