"""The description of what is below /api/payments, and of Mercado Pago's webhook."""

from django.conf import settings
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from bookings.api.serializers import PaymentSerializer, PreferenceSerializer
from bookings.api.texts import (
    FORGED_NOTICE,
    PREFERENCE_FAILED,
    PROVIDER_DOWN,
    TOO_MANY_NOTIFICATIONS,
)
from bookings.domain.exceptions import (
    ClassEndedError,
    NoPriceError,
    PaymentsOffError,
    SlotTakenError,
    TooManyPaymentsError,
)
from bookings.payments.gateway import MAX_NOTIFICATION_BYTES as MAX_BYTES
from config.lib.api_schema import answer, from_settings, refusal, retry_after, say_bytes
from config.lib.api_texts import BODY_TOO_LARGE

WISH = {
    "start": "2030-01-07T15:00:00-03:00",
    "end": "2030-01-07T16:00:00-03:00",
    "isGroupClass": False,
    "studentsCount": 1,
}
PREFERENCE = {
    "preferenceId": "1000000001-5f0c9a36-5f1e-4b0c-a3b3-0a6f2f4f7a10",
    "initPoint": "https://www.mercadopago.com.ar/checkout/v1/redirect?pref_id=1000000001-5f0c9a36",
    "price": 1500000,
    "expiresAt": "2030-01-05T15:30:00-03:00",
}

describe_preference = extend_schema(
    operation_id="createPaymentPreference",
    tags=["Payments"],
    summary="Ask for a payment",
    description=(
        "Makes a Mercado Pago preference for the signed-in person, at the price of the list. The "
        "person pays at `initPoint`; `POST /api/booking` with the same class, `price` and "
        "`preferenceId` books it, before or after. The time is kept for nobody meanwhile."
    ),
    request=PreferenceSerializer,
    parameters=[retry_after()],
    examples=[OpenApiExample("one student", WISH, request_only=True)],
    responses={
        200: answer(PaymentSerializer, "What the person pays with.", PREFERENCE),
        400: refusal(
            "Not offered, free, over, or malformed.", NoPriceError.text, ClassEndedError.text
        ),
        409: refusal("The time is taken, or kept for somebody else.", SlotTakenError.text),
        429: refusal(
            from_settings(
                lambda: (
                    f"{settings.MAX_UNPAID_PREFERENCES} payments of this person wait already; "
                    "they expire."
                )
            ),
            TooManyPaymentsError.text,
        ),
        500: refusal("It could not be stored.", PREFERENCE_FAILED),
        503: refusal(
            "No payments are configured, or Mercado Pago does not answer.",
            PaymentsOffError.text,
            PROVIDER_DOWN,
        ),
    },
)


def _in_query(name: str, description: str, value: str) -> OpenApiParameter:
    example = OpenApiExample("one", value)
    return OpenApiParameter(name, str, description=description, examples=[example])


describe_notice = extend_schema(
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
        OpenApiParameter(
            "x-signature", str, OpenApiParameter.HEADER, description="`ts=...,v1=...`, HMAC-SHA256."
        ),
        OpenApiParameter(
            "x-request-id", str, OpenApiParameter.HEADER, description="A part of what is signed."
        ),
        retry_after(),
    ],
    responses={
        200: OpenApiResponse(description="It is taken."),
        401: refusal("The signature is wrong.", FORGED_NOTICE),
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
