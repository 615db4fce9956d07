"""What the tests of refunds do and look at."""

from datetime import timedelta

import time_machine
from django.utils import timezone

from bookings.domain.money.refunds import (
    request_partial_refund,
)
from tests.payments import PRICE

PESOS = PRICE / 100


def ask_for_part(charge, amount, by, *, left=PRICE):
    return request_partial_refund(
        charge_id=charge.pk, amount=amount, left=left, by=by, fresh_sign_in=True
    )


def later(**units):
    return time_machine.travel(timezone.now() + timedelta(**units))


def posts(mercadopago):
    return [call for call in mercadopago.requests if call.route == "refunds.create"]
