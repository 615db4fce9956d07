"""domain/sales/checkout.py: from a kept time, or a program's wish, to the provider's checkout."""

from datetime import datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.exceptions import (
    BookingError,
    HoldExpiredError,
    NoPriceError,
    PaymentsOffError,
    SlotTakenError,
    TooManyHoldsError,
)
from bookings.domain.sales import checkout
from bookings.domain.sales.checkout import check_out_hold, request_preference
from bookings.domain.sales.holds import find_hand_hold_end
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
from tests.factories import HoldFactory, VirtualClassFactory
from tests.standins import Fault

START = (timezone.now() + timedelta(days=7)).replace(minute=0, second=0, microsecond=0)
END = START + timedelta(hours=1)


def add_prices():
    for class_type, students, amount in (("individual", 1, 1_250_050), ("grupal", 4, 2_400_000)):
        Price.objects.create(
            class_type=class_type,
            minutes=60,
            students_up_to=students,
            amount=amount,
            valid_from="2026-01-01",
        )


def keep(user, *, start=START, class_type=ClassType.INDIVIDUAL, minutes=15):
    return HoldFactory(
        user=user,
        start_time=start,
        class_type=class_type,
        expires_at=timezone.now() + timedelta(minutes=minutes),
    )


def check_out(user, hold, students=1):
    return check_out_hold(
        user=user, hold_id=hold.pk, students_count=students, words={"learning_focus": "Travel"}
    )


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


def test_checking_out_twice_is_checking_out_once(mercadopago, host):
    hold = keep(host)

    first, second = check_out(host, hold), check_out(host, hold)

    assert first == second
    assert len(mercadopago.preferences) == Payment.objects.count() == 1


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


def test_without_a_provider_the_class_waits_for_the_teachers_word(host):
    done = check_out(host, keep(host))

    assert not Payment.objects.exists()
    assert not done.has_preference
    assert not Payment.objects.exists()
    assert abs(Hold.objects.get().ends_at - timezone.now() - PAY_WITHIN) < timedelta(minutes=1)


@pytest.mark.parametrize(
    ("hours", "kept"),
    [(72, PAY_WITHIN), (40, timedelta(hours=28)), (12, timedelta(minutes=15))],
    ids=["far", "until the minimum notice", "long enough to choose"],
)
def test_a_class_paid_by_hand_waits_until_the_minimum_notice_at_most(db, hours, kept):
    BookingRules.objects.update_or_create(
        pk=1, defaults={"minimum_notice_minutes": 720, "hold_minutes": 15}
    )
    now = timezone.now()

    assert find_hand_hold_end(now + timedelta(hours=hours), now) == now + kept


def wish(user, **changes):
    values = {"start": START, "end": END, "is_group_class": False, "students_count": 1}
    return request_preference(user=user, **values | changes)


def test_a_preference_is_made_at_the_price_of_the_list(mercadopago, host):
    payment = wish(host, is_group_class=True, students_count=4)

    assert payment.amount == 2_400_000
    assert payment.purchase.virtual_class is None
    assert payment.checkout_url == mercadopago.preferences[0]["init_point"]


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"end": START}, "después de empezar"),
        (
            {
                "start": timezone.now() - timedelta(days=2),
                "end": timezone.now() - timedelta(days=1),
            },
            "ya terminó",
        ),
        ({"end": START + timedelta(minutes=30)}, "No ofrecemos"),
        ({"end": END + timedelta(seconds=1)}, "No ofrecemos"),
        ({"is_group_class": True, "students_count": 5}, "No ofrecemos"),
    ],
    ids=["nothing", "past", "other length", "odd length", "too many"],
)
def test_a_class_that_is_not_offered_gets_no_preference(mercadopago, host, changes, refusal):
    with pytest.raises(BookingError, match=refusal):
        wish(host, **changes)

    assert mercadopago.preferences == []


def test_a_time_that_is_taken_gets_no_preference(mercadopago, host):
    VirtualClassFactory(scheduled=True, start_time=START)

    with pytest.raises(SlotTakenError):
        wish(host)


def test_a_time_that_is_kept_for_somebody_else_gets_no_preference(mercadopago, host, stranger):
    HoldFactory(user=stranger, start_time=START)

    with pytest.raises(SlotTakenError):
        wish(host)
    assert wish(stranger).preference_id
    assert len(mercadopago.preferences) == 1


def test_nobody_asks_for_payments_without_end(mercadopago, host, stranger, settings):
    settings.MAX_UNPAID_PREFERENCES = 2
    for _ in range(2):
        wish(host)

    with pytest.raises(TooManyHoldsError):
        wish(host)
    assert wish(stranger, start=END, end=END + timedelta(hours=1)).preference_id
    with time_machine.travel(timezone.now() + timedelta(minutes=20)):
        assert wish(host).preference_id


def test_a_preference_ends_with_its_class_at_the_latest(mercadopago, host):
    with time_machine.travel(END - timedelta(minutes=5), tick=False):
        assert wish(host).expires_at == END


def test_a_class_that_costs_nothing_needs_no_preference(mercadopago, host):
    Price.objects.update(amount=0)

    with pytest.raises(BookingError, match="no tiene costo"):
        wish(host)


def test_without_a_provider_there_are_no_preferences(host):
    with pytest.raises(PaymentsOffError):
        wish(host)
