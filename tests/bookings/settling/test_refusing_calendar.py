"""A calendar that refuses a paid class: a person asks again, or the money goes back."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.sales.her_bookings import confirm_payment
from bookings.models import ClassStatus, Refund, RefundReason
from tests.bookings.settling.steps import look
from tests.factories import VirtualClassFactory
from tests.standins import Fault

pytestmark = pytest.mark.usefixtures("teacher")


@pytest.fixture
def refused(mercadopago, google, payment):
    """Ana's payment, made; the calendar refused the event of its class."""
    google.fault("events.insert", Fault.status(400))
    mercadopago.pay(payment.preference_id)
    looked = look(payment)
    assert looked.purchase.virtual_class.scheduling_refusal == "calendar_refused"
    return looked


def inserts(google):
    return [call for call in google.requests if call.route == "events.insert"]


def test_a_calendar_that_refused_is_asked_again_by_a_person_only(google, refused, teacher):
    look(refused)
    assert len(inserts(google)) == 1

    assert confirm_payment(class_id=refused.purchase.virtual_class.pk, actor=teacher).is_scheduled
    assert not Refund.objects.exists()


def test_money_for_a_class_that_nobody_scheduled_goes_back_in_the_end(google, refused):
    with time_machine.travel(timezone.now() + timedelta(days=8)):
        assert look(refused).purchase.virtual_class.status == ClassStatus.CANCELLED

    assert Refund.objects.get().reason == RefundReason.CLASS_OVER
    assert len(inserts(google)) == 1


def test_money_for_a_refused_class_that_lost_its_time_goes_back(google, refused):
    VirtualClassFactory(scheduled=True, start_time=refused.purchase.virtual_class.start_time)

    look(refused)

    assert Refund.objects.get().reason == RefundReason.SLOT_LOST
