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

from accounts.addresses import client_address
from accounts.throttling import WINDOW_SECONDS, is_too_often
from bookings.api.openapi.payments import describe_notice
from bookings.domain.noticing import record_notification
from bookings.models import SignatureState
from bookings.payments.notifications import Notification, read_notification
from bookings.payments.signatures import is_signed

logger = logging.getLogger(__name__)

MAX_BYTES = 16 * 1024
# Notices without a valid signature that are looked at in one minute: of one address, and of all.
# Whatever is refused the provider repeats, and the sweep finds out by itself.
MAX_UNVERIFIED, MAX_UNVERIFIED_OF_ALL = 120, 1200


class TooLargeError(exceptions.APIException):
    """The body is larger than any notice."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = "El cuerpo es demasiado grande."


class ForgedError(exceptions.APIException):
    """Somebody signed with another secret what the provider signs with ours."""

    status_code = status.HTTP_401_UNAUTHORIZED
    default_detail = "La firma no es válida."


class TooManyError(exceptions.APIException):
    """Too much arrives that does not prove to be the provider's. wait: seconds, for a header."""

    status_code = status.HTTP_429_TOO_MANY_REQUESTS
    default_detail = "Demasiados avisos sin una firma válida."
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
    is_too_much = is_too_often(
        "notices", client_address(request), limit=MAX_UNVERIFIED
    ) or is_too_often("notices", "everybody", limit=MAX_UNVERIFIED_OF_ALL)
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
