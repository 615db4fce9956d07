"""A button tapped twice: one purchase that counts, one checkout to pay, one person."""

from datetime import timedelta
from functools import partial

import pytest
import time_machine
from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from bookings.domain.sales import buying, checkout, her_bookings
from bookings.domain.sales.buying import hold_place
from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.holds import MAX_LAPSED, hold_slot
from bookings.domain.sales.notifications import process_notifications
from bookings.domain.sales.settling import settle_due_payments
from bookings.models import (
    ClassType,
    Payment,
    PaymentStatus,
    Purchase,
    PurchaseState,
    Refund,
    VirtualClass,
)
from tests.concurrency.racing import SHORT_PATIENCE, Gate, race
from tests.pages.moments import tuesday
from tests.payments import posting
from tests.sales.open_classes import end_everything, in_days, store

pytestmark = pytest.mark.concurrency

TAPS = MAX_LAPSED + 1


@pytest.fixture(autouse=True)
def _open_checkouts_together(monkeypatch, mercadopago):
    """Have all taps reach the provider before any of them goes on."""
    for module in (checkout, buying, her_bookings):
        gate, make = Gate(TAPS, SHORT_PATIENCE), module.make_preference
        monkeypatch.setattr(module, "make_preference", partial(_wait_and_make, gate, make))


def _wait_and_make(gate, make, *args, **kwargs):
    gate.wait()
    return make(*args, **kwargs)


def choose(user, clock):
    return hold_slot(
        user=user, start=tuesday(clock), minutes=60, class_type=ClassType.INDIVIDUAL
    ).pk


@pytest.fixture
def tapped(agenda, student):
    """The class of a time whose details were sent so often at once."""
    hold_id = choose(student, "10:00")
    tap = partial(check_out_hold, user=student, hold_id=hold_id, students_count=1)
    [booked] = set(race(*[tap] * TAPS))
    return booked


def test_taps_for_a_time_leave_one_purchase_that_counts(tapped, student):
    assert Payment.objects.count() == TAPS  # they did race
    [kept] = Purchase.objects.kept(timezone.now())
    assert kept == tapped.purchase
    [watched] = Payment.objects.filter(next_check_at__isnull=False)
    assert (watched.purchase, watched.status) == (kept, PaymentStatus.PENDING)

    end_everything()
    assert choose(student, "11:00")


def test_money_for_a_checkout_that_was_never_shown_goes_back(mercadopago, tapped, make_client):
    unshown = Payment.objects.filter(status=PaymentStatus.EXPIRED).first()
    mercadopago.pay(unshown.preference_id)
    mercadopago.deliver(post=posting(make_client()))
    process_notifications()

    with time_machine.travel(timezone.now() + settings.UNBOOKED_PAYMENT_AGE + timedelta(hours=1)):
        settle_due_payments()

    assert Refund.objects.get().purchase == unshown.purchase
    assert len(mercadopago.refunds) == 1


def test_taps_for_a_place_make_one_purchase_and_show_one_checkout(mercadopago, teacher, student):
    open_class = store(teacher)

    held = race(*[partial(hold_place, user=student, open_class_id=open_class.pk)] * TAPS)

    kept = Purchase.objects.get()
    assert (set(held), kept.state) == ({kept}, PurchaseState.KEPT)
    assert {one.payment.checkout_url for one in held} == {kept.payment.checkout_url}
    made = [one for one in mercadopago.requests if one.route == "preferences.create"]
    assert len(made) == TAPS  # they did race


@pytest.mark.parametrize("paid", [{}, {"is_paid": "on"}], ids=["to be paid", "paid"])
def test_taps_for_a_new_person_leave_one_person(client_of, google, teacher, paid):
    form = {
        "who": "Lucía Lagos",
        "phone": "0341 15 555-0199",
        "email": "",
        "day": f"{timezone.localdate(in_days(7))}",
        "clock": "10:00",
        "kind": "otra",
        "minutes": "60",
        "students": "1",
        "price": "1.000",
        **paid,
    }
    clients = [client_of(teacher) for _ in range(TAPS)]
    page = reverse("admin:book_for")

    answers = race(*[partial(client.post, page, form) for client in clients])

    assert sorted(one.status_code for one in answers) == [200] * (TAPS - 1) + [302]
    booked = VirtualClass.objects.get()
    assert User.objects.get(status="placeholder") == booked.booked_by
    assert Purchase.objects.get() == booked.purchase
