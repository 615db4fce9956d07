"""domain/sales/checkout.py: from a kept time to the provider's checkout."""

from datetime import datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.exceptions import (
    HoldExpiredError,
    NoPriceError,
)
from bookings.domain.queries import list_next_classes_of
from bookings.domain.sales import checkout
from bookings.domain.sales.holds import find_hand_hold_end
from bookings.domain.sales.settling import settle
from bookings.models import (
    PAY_WITHIN,
    BookingRules,
    ClassStatus,
    ClassType,
    Hold,
    Payment,
    PaymentStatus,
    Price,
    VirtualClass,
)
from bookings.payments.gateway import PaymentError
from tests.bookings.checkouts import add_prices, check_out, keep
from tests.factories import VirtualClassFactory
from tests.sales.open_classes import end_everything
from tests.standins import Fault


@pytest.fixture(autouse=True)
def _prices(db):
    add_prices()


def test_a_kept_time_becomes_a_class_and_its_preference(mercadopago, host):
    hold = keep(host, minutes=3)

    done = check_out(host, hold)

    payment = Payment.objects.get()
    [preference] = mercadopago.preferences
    assert done.purchase.payment.checkout_url == payment.checkout_url == preference["init_point"]
    assert done == payment.purchase.virtual_class
    assert done.preference_id == payment.preference_id == preference["id"]
    assert done.status == ClassStatus.PENDING
    assert done.learning_focus == "Travel"
    assert done.class_price == payment.amount == 1_250_050
    assert preference["items"][0]["unit_price"] == 12500.5
    assert preference["external_reference"] == payment.reference
    assert payment.status == PaymentStatus.PENDING


def test_the_time_is_kept_as_long_as_the_preference(mercadopago, host):
    hold = keep(host, minutes=1)

    check_out(host, hold)

    hold.refresh_from_db()
    payment = Payment.objects.get()
    assert hold.ends_at == payment.expires_at
    left = payment.expires_at - timezone.now()
    assert timedelta(minutes=14) < left <= timedelta(minutes=BookingRules.load().hold_minutes)


def test_a_group_pays_the_price_of_its_size(mercadopago, host):
    check_out(host, keep(host, class_type=ClassType.GROUP), students=3)

    assert Payment.objects.get().amount == 2_400_000
    assert VirtualClass.objects.get().max_participants == 3


def test_paying_at_the_checkout_schedules_the_class(mercadopago, teacher, host):
    done = check_out(host, keep(host))
    mercadopago.pay(done.preference_id)

    settle(done.preference_id)

    assert VirtualClass.objects.get().is_scheduled


def test_checking_out_twice_is_checking_out_once(mercadopago, host):
    hold = keep(host)

    first, second = check_out(host, hold), check_out(host, hold)

    assert first == second
    assert len(mercadopago.preferences) == Payment.objects.count() == 1


def test_two_requests_at_once_book_one_class(mercadopago, host, monkeypatch):
    hold = keep(host)
    first = []
    inner = checkout.make_preference

    def overtaken(payment, quote):
        if not first:
            first.append(None)
            first.append(check_out(host, hold))
        return inner(payment, quote)

    monkeypatch.setattr(checkout, "make_preference", overtaken)

    assert check_out(host, hold) == first[1]
    assert VirtualClass.objects.count() == 1


def test_a_provider_that_is_down_books_nothing_and_keeps_the_time(mercadopago, host):
    hold = keep(host)
    mercadopago.fault("preferences.create", Fault.status(503))

    with pytest.raises(PaymentError):
        check_out(host, hold)

    assert not VirtualClass.objects.exists()
    assert Hold.objects.get(pk=hold.pk).purchase is None
    assert check_out(host, hold).purchase.payment.checkout_url


def test_a_time_that_is_no_longer_kept_books_nothing(mercadopago, host, stranger):
    hold = keep(host)
    with pytest.raises(HoldExpiredError):
        check_out(stranger, hold)
    Hold.objects.update(expires_at=timezone.now())
    with pytest.raises(HoldExpiredError):
        check_out(host, hold)

    assert mercadopago.preferences == []


def test_a_time_that_is_let_go_while_the_provider_answers_books_nothing(
    mercadopago, host, monkeypatch
):
    hold = keep(host)
    inner = checkout.make_preference

    def slow(payment, quote):
        Hold.objects.all().delete()
        return inner(payment, quote)

    monkeypatch.setattr(checkout, "make_preference", slow)

    with pytest.raises(HoldExpiredError):
        check_out(host, hold)
    assert not VirtualClass.objects.exists()


def test_a_class_without_a_price_is_not_offered(mercadopago, host):
    Price.objects.all().delete()

    with pytest.raises(NoPriceError):
        check_out(host, keep(host))


@pytest.mark.parametrize(
    ("days", "excluded"), [(2, ["ticket", "atm"]), (4, [""])], ids=["near", "far"]
)
def test_cash_is_not_offered_for_a_class_that_is_near(mercadopago, host, days, excluded):
    check_out(host, keep(host, start=timezone.now() + timedelta(days=days)))

    types = mercadopago.preferences[0]["payment_methods"]["excluded_payment_types"]
    assert [one["id"] for one in types] == excluded


@pytest.mark.parametrize(
    ("days", "until"), [(4, 2), (5, 3), (40, 3)], ids=["two days before it", "both", "three days"]
)
def test_a_voucher_lasts_until_its_money_would_come_too_late(mercadopago, host, days, until):
    now = timezone.now()
    with time_machine.travel(now, tick=False):
        check_out(host, keep(host, start=now + timedelta(days=days)))

    lasts = datetime.fromisoformat(mercadopago.preferences[0]["date_of_expiration"])
    assert abs(lasts - now - timedelta(days=until)) < timedelta(seconds=1)


def test_a_class_that_costs_nothing_counts_as_paid(mercadopago, teacher, host):
    Price.objects.update(amount=0)

    done = check_out(host, keep(host))

    assert not Payment.objects.exists()
    assert mercadopago.preferences == []
    assert done.is_scheduled
    assert done.purchase.paid_at is not None


def test_a_free_class_is_finished_later_when_the_calendar_is_down(
    mercadopago, google, teacher, host
):
    Price.objects.update(amount=0)
    google.fault("events.insert", *[Fault.status(503)] * 9)

    virtual_class = check_out(host, keep(host))

    assert virtual_class.status == ClassStatus.PENDING
    assert VirtualClass.objects.get().scheduling_requested_at is not None


def test_without_a_provider_the_class_waits_for_the_teachers_word(host):
    done = check_out(host, keep(host))

    assert not Payment.objects.exists()
    assert not done.has_preference
    assert not Payment.objects.exists()
    assert abs(Hold.objects.get().ends_at - timezone.now() - PAY_WITHIN) < timedelta(minutes=1)


@pytest.mark.parametrize(
    ("hours", "kept"),
    [
        (72, PAY_WITHIN),
        (40, timedelta(hours=28)),
        (12, timedelta(minutes=15)),
    ],
    ids=["far", "until the minimum notice", "long enough to choose"],
)
def test_a_class_paid_by_hand_waits_until_the_minimum_notice_at_most(db, hours, kept):
    BookingRules.objects.update_or_create(
        pk=1, defaults={"minimum_notice_minutes": 720, "hold_minutes": 15}
    )
    now = timezone.now()

    assert find_hand_hold_end(now + timedelta(hours=hours), now) == now + kept


def test_a_class_lapses_with_its_preference(mercadopago, host):
    virtual_class = check_out(host, keep(host))
    assert list(list_next_classes_of(host)) == [virtual_class]

    # The stored status is the provider's last answer, from before it expired.
    end_everything()

    virtual_class.refresh_from_db()
    assert virtual_class.has_lapsed
    assert list(list_next_classes_of(host)) == []


def test_the_name_of_a_preference_lets_no_class_lapse(host):
    named = VirtualClassFactory(booked_by=host, preference_id="manual-of-a-client")

    assert not named.has_lapsed
    assert list_next_classes_of(host).get() == named


def test_a_class_does_not_lapse_while_an_attempt_is_under_way(mercadopago, host):
    virtual_class = check_out(host, keep(host))
    mercadopago.pay(virtual_class.preference_id, "pending", method="ticket")
    end_everything()

    settle(virtual_class.preference_id)

    [kept] = list_next_classes_of(host)
    assert not kept.has_lapsed
