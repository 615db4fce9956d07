"""POST /api/webhooks/mercadopago: what the payment provider tells. No endpoint of the spec."""

import logging
from typing import NoReturn

from django.conf import settings
from django.http import HttpRequest, UnreadablePostError
from rest_framework import exceptions, status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bookings.api.openapi.payments import describe_notice
from bookings.api.texts import FORGED_NOTICE, TOO_MANY_NOTIFICATIONS
from bookings.domain.checkout.notifications import record_notification
from bookings.models import SignatureState
from bookings.payments.notifications import MAX_BYTES, Notification, read_notification
from bookings.payments.signatures import is_signed
from config.lib.addresses import client_address
from config.lib.api_texts import BODY_TOO_LARGE
from config.lib.throttling import WINDOW_SECONDS, is_too_often

logger = logging.getLogger(__name__)


class TooLargeError(exceptions.APIException):
    """The body is larger than any notice."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = BODY_TOO_LARGE


class ForgedError(exceptions.APIException):
    """Somebody signed with another secret what the provider signs with ours."""

    status_code = status.HTTP_401_UNAUTHORIZED
    default_detail = FORGED_NOTICE


class TooManyError(exceptions.APIException):
    """Too much arrives that does not prove to be the provider's. wait: seconds, for a header."""

    status_code = status.HTTP_429_TOO_MANY_REQUESTS
    default_detail = TOO_MANY_NOTIFICATIONS
    wait = WINDOW_SECONDS


class MercadoPagoWebhookView(APIView):
    """Takes what Mercado Pago tells. Nobody needs a session, and no cookie is read."""

    authentication_classes = []
    permission_classes = [AllowAny]

    @describe_notice
    def post(self, request: Request) -> Response:
        """Store a notice and answer; the payment is looked at afterwards.

        The answer never waits for the provider, who repeats what is not answered soon. What cannot
        be looked up is taken and forgotten: repeating it would change nothing.
        """
        body = _read_body(request._request)
        notification = read_notification(request.GET, body)
        if notification:
            signature = _check_signature(request._request)
            if signature != SignatureState.VALID:
                _refuse_flood(request._request)
            _take(notification, signature)
        return Response()


def _take(notification: Notification, signature: SignatureState) -> None:
    """Store a notice that is worth a look at the provider.

    By the policy ``prefer`` each is. By ``require`` one without a valid signature is dropped,
    IPN among them, which never has one; the sweep finds out by itself.
    """
    must_be_signed = settings.MERCADOPAGO_WEBHOOK_SIGNATURE == "require"
    if not must_be_signed or signature in {SignatureState.VALID, SignatureState.UNCONFIGURED}:
        record_notification(notification, signature)
    elif notification.is_webhook and signature == SignatureState.INVALID:
        _refuse()


def _refuse_flood(request: HttpRequest) -> None:
    """Bound what strangers can have stored and looked up. Signed notices never come here."""
    address = client_address(request)
    is_too_much = is_too_often(
        "notices", address, limit=settings.MAX_UNVERIFIED_NOTICES
    ) or is_too_often("notices", "everybody", limit=settings.MAX_UNVERIFIED_NOTICES_OF_ALL)
    if is_too_much:
        raise TooManyError


def _refuse() -> NoReturn:
    logger.warning("A payment notice with a wrong signature was refused.")
    raise ForgedError


def _read_body(request: HttpRequest) -> bytes:
    """Read the body. One that breaks off is read as empty: the address says the same."""
    if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_BYTES:
        raise TooLargeError
    try:
        return request.body
    except UnreadablePostError:
        return b""


def _check_signature(request: HttpRequest) -> SignatureState:
    if not settings.MERCADOPAGO_WEBHOOK_SECRET:
        return SignatureState.UNCONFIGURED
    header = request.headers.get("x-signature", "")
    if not header:
        return SignatureState.ABSENT
    is_valid = is_signed(
        header=header,
        request_id=request.headers.get("x-request-id", ""),
        resource_id=request.GET.get("data.id", ""),
        secret=settings.MERCADOPAGO_WEBHOOK_SECRET,
    )
    return SignatureState.VALID if is_valid else SignatureState.INVALID
