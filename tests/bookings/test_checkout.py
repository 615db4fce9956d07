"""domain/checkout/checkout.py: from a kept time to the provider's checkout."""

from datetime import datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.checkout import checkout
from bookings.domain.checkout.checkout import check_out_hold, request_preference
from bookings.domain.checkout.holds import find_hold_end
from bookings.domain.checkout.settling import settle
from bookings.domain.exceptions import (
    BookingError,
    HoldExpiredError,
    NoPriceError,
    PaymentsOffError,
    SlotTakenError,
    TooManyHoldsError,
)
from bookings.domain.queries import has_lapsed, list_dropped_classes_of, list_next_classes_of
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
from tests.booking import book_class
from tests.factories import HoldFactory, VirtualClassFactory
from tests.standins import Fault

START = (timezone.now() + timedelta(days=7)).replace(minute=0, second=0, microsecond=0)
END = START + timedelta(hours=1)


@pytest.fixture(autouse=True)
def _prices(db):
    """An hour alone, and one for up to four."""
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
        end_time=start + timedelta(hours=1),
        class_type=class_type,
        expires_at=timezone.now() + timedelta(minutes=minutes),
    )


def check_out(user, hold, students=1):
    return check_out_hold(user=user, hold_id=hold.pk, students_count=students, text="Travel")


# --- From the pages -------------------------------------------------------------------------------


def test_a_kept_time_becomes_a_class_and_its_preference(mercadopago, host):
    hold = keep(host, minutes=3)

    done = check_out(host, hold)

    payment = Payment.objects.get()
    [preference] = mercadopago.preferences
    assert done.payment.checkout_url == payment.checkout_url == preference["init_point"]
    assert done == payment.virtual_class
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
    assert hold.expires_at == payment.expires_at
    left = hold.expires_at - timezone.now()
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
    assert Hold.objects.get(pk=hold.pk).virtual_class is None
    assert check_out(host, hold).payment.checkout_url


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
    assert done.paid_at is not None


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
    assert abs(Hold.objects.get().expires_at - timezone.now() - PAY_WITHIN) < timedelta(minutes=1)


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

    assert find_hold_end(now + timedelta(hours=hours), now, by_hand=True) == now + kept


def test_a_class_lapses_with_its_preference(mercadopago, host):
    virtual_class = check_out(host, keep(host))
    assert list(list_next_classes_of(host)) == [virtual_class]

    Hold.objects.all().delete()
    # The stored status is the provider's last answer, from before it expired.
    Payment.objects.update(expires_at=timezone.now() - timedelta(minutes=1))

    [lapsed] = list_dropped_classes_of(host)
    assert has_lapsed(lapsed)
    assert list(list_next_classes_of(host)) == []


def test_the_name_of_a_preference_lets_no_class_lapse(host):
    named = VirtualClassFactory(booked_by=host, preference_id="manual-of-a-client")

    assert not has_lapsed(named)
    assert list_next_classes_of(host).get() == named


def test_a_class_does_not_lapse_while_an_attempt_is_under_way(mercadopago, host):
    virtual_class = check_out(host, keep(host))
    mercadopago.pay(virtual_class.preference_id, "pending", method="ticket")
    Payment.objects.update(expires_at=timezone.now() - timedelta(minutes=1))

    settle(virtual_class.preference_id)

    [kept] = list_next_classes_of(host)
    assert not has_lapsed(kept)


# --- For JS clients -------------------------------------------------------------------------------


def wish(user, **changes):
    values = {"start": START, "end": END, "is_group_class": False, "students_count": 1}
    return request_preference(user=user, **values | changes)


def test_a_preference_is_made_at_the_price_of_the_list(mercadopago, host):
    payment = wish(host, is_group_class=True, students_count=4)

    assert payment.amount == 2_400_000
    assert payment.virtual_class is None
    assert payment.checkout_url == mercadopago.preferences[0]["init_point"]


def test_what_a_preference_was_made_for_can_be_booked(mercadopago, host):
    payment = wish(host)

    virtual_class = book_class(
        user=host,
        start=START,
        end=END,
        is_group_class=False,
        students_count=1,
        price=payment.amount,
        preference_id=payment.preference_id,
    )

    assert Payment.objects.get().virtual_class == virtual_class


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


def test_the_time_of_a_paid_class_that_waits_for_the_calendar_gets_no_preference(mercadopago, host):
    now = timezone.now()
    VirtualClassFactory(start_time=START, paid_at=now, scheduling_requested_at=now)

    with pytest.raises(SlotTakenError):
        wish(host)
    assert mercadopago.preferences == []


def test_a_time_that_is_kept_for_somebody_else_gets_no_preference(mercadopago, host, stranger):
    HoldFactory(
        user=stranger,
        start_time=START,
        end_time=END,
        class_type="individual",
        expires_at=timezone.now() + timedelta(minutes=15),
    )

    with pytest.raises(SlotTakenError):
        wish(host)
    assert wish(stranger).preference_id
    assert len(mercadopago.preferences) == 1


def test_overlaps_that_are_allowed_get_a_preference(mercadopago, host, settings):
    settings.PREVENT_OVERLAPS = False
    VirtualClassFactory(scheduled=True, start_time=START, end_time=END)

    assert wish(host).preference_id


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
