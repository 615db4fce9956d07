"""Triggering: a caller without a session asks to have a class scheduled."""

import hmac

from django.conf import settings

from bookings.domain.exceptions import NotPaidError, TriggerRefusedError
from bookings.domain.queries import get_class_by_preference
from bookings.domain.scheduling import UNSCHEDULABLE, schedule_class
from bookings.domain.settling import carry_out, find_payment, look_up, may_look_up
from bookings.domain.trigger_policy import TriggerPolicy, get_trigger_policy
from bookings.models import Payment, VirtualClass


def trigger_scheduling(*, preference_id: str, secret: str = "") -> VirtualClass:
    """Schedule the class of a preference, if CALENDAR_TRIGGER_POLICY lets this caller.

    secret: what the caller sent along. A class that is scheduled already is returned as it is,
    whoever asks. Raises TriggerRefusedError, what ``schedule_class`` raises, and PaymentError when
    the provider cannot tell whether the class is paid.
    """
    virtual_class = get_class_by_preference(preference_id)
    if virtual_class.is_scheduled:
        return virtual_class
    _refuse_caller(secret)
    _refuse_unpaid(virtual_class)
    try:
        return schedule_class(preference_id=preference_id)
    except UNSCHEDULABLE:
        _return_money(virtual_class)
        raise


def _refuse_caller(secret: str) -> None:
    policy = get_trigger_policy()
    if policy == TriggerPolicy.CLOSED:
        raise TriggerRefusedError
    if policy == TriggerPolicy.SECRET and not hmac.compare_digest(
        secret.encode(), settings.CALENDAR_TRIGGER_SECRET.encode()
    ):
        raise TriggerRefusedError


def _return_money(virtual_class: VirtualClass) -> None:
    """Give back what was paid for a class that can never be scheduled."""
    payment = Payment.objects.filter(virtual_class=virtual_class, approved_at__isnull=False).first()
    if payment is not None:
        carry_out(payment.pk)


def _refuse_unpaid(virtual_class: VirtualClass) -> None:
    """Ask the provider, unless the class is known to be paid; not at every call."""
    if get_trigger_policy() != TriggerPolicy.PAID or virtual_class.paid_at is not None:
        return
    preference_id = virtual_class.preference_id
    payment = find_payment(preference_id)
    if payment and may_look_up(preference_id):
        look_up(payment)
    if get_class_by_preference(preference_id).paid_at is None:
        raise NotPaidError
