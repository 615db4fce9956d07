"""Requests without a session to schedule a paid class."""

import hmac

from django.conf import settings

from bookings.domain.checkout.settling import (
    carry_out_class,
    find_payment,
    look_up,
    schedule_or_refund,
)
from bookings.domain.exceptions import (
    ClassCancelledError,
    NotPaidError,
    PriceNotAgreedError,
    TooManyLookUpsError,
    TriggerRefusedError,
)
from bookings.domain.queries import get_class_by_preference, list_money_gone
from bookings.domain.teacher_alerts import ask_for_agreement
from bookings.domain.trigger_policy import TriggerPolicy, get_trigger_policy
from bookings.models import ClassStatus, Payment, VirtualClass
from bookings.payments.gateway import PaymentUnavailableError
from config.lib.single_flight import SingleFlight
from config.lib.throttling import is_too_often, seconds_left

_look_ups: SingleFlight[None] = SingleFlight()


def trigger_scheduling(*, preference_id: str, secret: str = "") -> VirtualClass:
    """Schedule a class if CALENDAR_TRIGGER_POLICY permits; return one that was scheduled as it is.

    Raises TriggerRefusedError, PaymentError, TooManyLookUpsError, or as ``schedule_class``.
    """
    virtual_class = get_class_by_preference(preference_id)
    if virtual_class.status in {ClassStatus.SCHEDULED, ClassStatus.COMPLETED}:
        return virtual_class
    policy = get_trigger_policy()
    if policy == TriggerPolicy.CLOSED or (
        policy == TriggerPolicy.SECRET
        and not hmac.compare_digest(secret.encode(), settings.CALENDAR_TRIGGER_SECRET.encode())
    ):
        raise TriggerRefusedError
    if policy == TriggerPolicy.PAID:
        if list_money_gone(virtual_class.pk).exists():
            carry_out_class(virtual_class)
            raise ClassCancelledError
        if not virtual_class.is_paid:
            _refuse_unpaid(preference_id)
    return schedule_or_refund(virtual_class)


def _refuse_unpaid(preference_id: str) -> None:
    payment = find_payment(preference_id)
    if payment:
        _look_up_together(payment)
    current = get_class_by_preference(preference_id)
    if not current.is_paid:
        if payment is None and current.is_undecided:  # it is free
            ask_for_agreement(current)
            raise PriceNotAgreedError
        raise NotPaidError


def _look_up_together(payment: Payment) -> None:
    # Once for all concurrent callers of the process. A look-up that began before this call does
    # not count: the person may have paid since.
    def work() -> None:
        if is_too_often("look-ups", payment.purchase.person_id, limit=settings.MAX_LOOK_UPS):
            raise TooManyLookUpsError(wait_seconds=seconds_left())
        look_up(payment)

    try:
        _look_ups.run_anew(payment.preference_id, work, patience=settings.MERCADOPAGO_TIMEOUT)
    except TimeoutError as error:
        raise PaymentUnavailableError("The payment provider's answer took too long.") from error
