"""domain/sales/settling.py: who may schedule, by CALENDAR_TRIGGER_POLICY."""

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.classes.scheduling import TriggerPolicy, get_trigger_policy
from bookings.domain.exceptions import (
    ClassNotFoundError,
    NotPaidError,
    SlotTakenError,
    TooManyLookUpsError,
    TriggerRefusedError,
)
from bookings.domain.sales.settling import trigger_scheduling
from bookings.models import ClassStatus, Payment, VirtualClass
from tests.factories import VirtualClassFactory
from tests.payments import make_payment

SECRET = "s3cr3t"

pytestmark = pytest.mark.usefixtures("teacher")


@pytest.fixture
def pending(host):
    """A booked class with a preference that nobody here made."""
    return VirtualClassFactory(booked_by=host)


@pytest.fixture
def payment(mercadopago, host):
    """Ana's booked class with a preference of ours."""
    return make_payment(host)


def trigger(virtual_class, secret=""):
    return trigger_scheduling(preference_id=virtual_class.preference_id, secret=secret)


def calls(mercadopago):
    return [one.route for one in mercadopago.requests if one.route != "preferences.create"]


# --- The policies ---------------------------------------------------------------------------------


def test_auto_is_open_without_a_provider(pending):
    assert get_trigger_policy() == TriggerPolicy.OPEN
    assert trigger(pending).is_scheduled


def test_auto_asks_for_payment_with_a_provider(mercadopago, pending):
    assert get_trigger_policy() == TriggerPolicy.PAID
    with pytest.raises(NotPaidError):
        trigger(pending)


def test_open_asks_for_nothing_even_with_a_provider(mercadopago, pending, settings):
    settings.CALENDAR_TRIGGER_POLICY = "open"

    assert trigger(pending).is_scheduled
    assert mercadopago.requests == []


@pytest.mark.parametrize("secret", ["", "S3CR3T", "s3cr3t ", "sécret"])
def test_secret_refuses_who_does_not_know_it(pending, settings, secret):
    settings.CALENDAR_TRIGGER_POLICY, settings.CALENDAR_TRIGGER_SECRET = "secret", SECRET

    with pytest.raises(TriggerRefusedError):
        trigger(pending, secret)

    assert VirtualClass.objects.get().status == ClassStatus.PENDING


def test_secret_lets_in_who_knows_it(pending, settings):
    settings.CALENDAR_TRIGGER_POLICY, settings.CALENDAR_TRIGGER_SECRET = "secret", SECRET

    assert trigger(pending, SECRET).is_scheduled


@pytest.mark.parametrize("policy", ["open", "paid", "secret", "closed"])
def test_a_scheduled_class_answers_the_same_to_everybody(mercadopago, settings, policy):
    scheduled = VirtualClassFactory(scheduled=True)
    settings.CALENDAR_TRIGGER_POLICY, settings.CALENDAR_TRIGGER_SECRET = policy, SECRET

    assert trigger(scheduled) == scheduled
    assert mercadopago.requests == []


def test_an_unknown_preference_is_not_found_and_not_asked_about(mercadopago):
    with pytest.raises(ClassNotFoundError):
        trigger_scheduling(preference_id="unknown")

    assert mercadopago.requests == []


# --- Paid, by the provider's word -----------------------------------------------------------------


def test_a_paid_preference_is_enough(mercadopago, google, payment):
    mercadopago.pay(payment.preference_id)

    assert trigger(payment).is_scheduled
    assert trigger(payment).is_scheduled

    assert len(google.live_events()) == 1


def test_a_flood_of_calls_asks_the_provider_at_a_rate(mercadopago, payment, settings):
    settings.MAX_LOOK_UPS = 3
    with time_machine.travel(timezone.now().replace(second=20), tick=False):
        for _ in range(3):
            with pytest.raises(NotPaidError):
                trigger(payment)
        asked = len(calls(mercadopago))
        with pytest.raises(TooManyLookUpsError) as refused:
            trigger(payment)

    assert len(calls(mercadopago)) == asked
    assert refused.value.wait_seconds == 40


def test_money_for_a_lost_time_goes_back_by_itself(mercadopago, google, payment):
    mercadopago.pay(payment.preference_id)
    VirtualClassFactory(
        scheduled=True, owns_time=True, start_time=payment.purchase.virtual_class.start_time
    )

    with pytest.raises(SlotTakenError):
        trigger(payment.purchase.virtual_class)

    assert len(mercadopago.refunds) == 1
    assert Payment.objects.get().purchase.virtual_class.status == ClassStatus.CANCELLED
    assert google.live_events() == []
