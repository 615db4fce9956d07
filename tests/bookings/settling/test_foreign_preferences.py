"""A preference that another system made pays the class that came with it."""

import pytest

from bookings.domain.settling import settle
from bookings.models import ClassStatus, PaymentStatus, Price, ReviewReason, VirtualClass
from tests.factories import VirtualClassFactory

pytestmark = pytest.mark.usefixtures("teacher")


@pytest.fixture
def foreign(mercadopago, host):
    """A class that came with a preference which another system of the teacher's made."""
    preference = mercadopago.add_preference()
    return VirtualClassFactory(
        booked_by=host, preference_id=preference["id"], class_price=1_500_000
    )


def test_a_preference_of_another_system_pays_its_class(mercadopago, foreign):
    mercadopago.pay(foreign.preference_id)

    payment = settle(foreign.preference_id)

    foreign.refresh_from_db()
    assert foreign.is_scheduled
    assert payment.made_elsewhere
    assert payment.user == foreign.booked_by


def test_whoever_booked_cannot_name_a_price_below_the_list(mercadopago, foreign):
    Price.objects.create(
        class_type="grupal",
        minutes=60,
        students_up_to=5,
        amount=1_500_001,
        valid_from="2026-01-01",
    )
    VirtualClass.objects.update(class_price=1)
    mercadopago.pay(foreign.preference_id)

    payment = settle(foreign.preference_id)

    assert (payment.status, payment.review) == (PaymentStatus.PENDING, ReviewReason.SHORT)
    assert VirtualClass.objects.get().status == ClassStatus.PENDING


def test_a_class_that_names_no_price_is_not_paid_by_nothing(mercadopago, foreign):
    VirtualClass.objects.update(class_price=0)

    assert settle(foreign.preference_id) is None
    assert VirtualClass.objects.get().paid_at is None
