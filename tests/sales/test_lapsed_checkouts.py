"""Purchases lapse, unless money is on its way; who lets many lapse has a pause."""

from datetime import timedelta
from itertools import product

import pytest
from django.utils import timezone

from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.exceptions import TooManyChosenError, TooManyLapsedError
from bookings.domain.sales.buying import release_place
from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.holds import MAX_CHOSEN, MAX_LAPSED, PAUSE, RECENTLY, hold_slot
from bookings.models import (
    ClassStatus,
    ClassType,
    Notice,
    Payment,
    PaymentCharge,
    Purchase,
    PurchaseState,
)
from bookings.notices.rendering import render_mail
from tests.factories import (
    BankTransferFactory,
    PaymentFactory,
    PlaceFactory,
    PurchaseFactory,
    VirtualClassFactory,
)
from tests.pages.moments import tuesday
from tests.sales.open_classes import end_everything, expire, hold, in_days, pay, store

pytestmark = pytest.mark.django_db


def let_lapse(user, open_class, times=MAX_LAPSED):
    for _ in range(times):
        expire(hold(open_class, user))
        past = timezone.now() - timedelta(minutes=1)
        Payment.objects.filter(purchase__person=user).update(expires_at=past)


def let_go(user, open_class):
    for _ in range(MAX_LAPSED):
        release_place(user=user, purchase_id=hold(open_class, user).pk)


def choose(user, start):
    return hold_slot(user=user, start=start, minutes=60, class_type=ClassType.INDIVIDUAL)


def book(user, start):
    hold_id = choose(user, start).pk
    return check_out_hold(user=user, hold_id=hold_id, students_count=1)


def let_classes_lapse(user, open_class):
    for number in range(MAX_LAPSED):
        booked = book(user, tuesday("10:00") + timedelta(hours=number % 2))
        if number:
            end_everything()
        else:
            cancel_class(class_id=booked.pk, actor=user)


@pytest.mark.parametrize("give_up", [let_lapse, let_go, let_classes_lapse])
@pytest.mark.usefixtures("agenda")
def test_unpaid_checkouts_end_in_a_pause_for_places_and_times(
    mercadopago, open_class, student, stranger, give_up
):
    give_up(student, open_class)

    with pytest.raises(TooManyLapsedError) as refusal:
        hold(open_class, student)
    with pytest.raises(TooManyLapsedError):
        hold_slot(user=student, start=tuesday("12:00"), minutes=60, class_type=ClassType.INDIVIDUAL)

    assert PAUSE.total_seconds() - 120 < refusal.value.wait_seconds < 2 * PAUSE.total_seconds()
    assert hold(open_class, stranger)


def test_after_the_pause_one_is_kept_and_the_teacher_is_told_once(
    mercadopago, teacher, open_class, student, django_capture_on_commit_callbacks
):
    let_lapse(student, open_class)
    assert not Notice.objects.exists()
    end_everything(ago=PAUSE)

    with django_capture_on_commit_callbacks(execute=True):
        hold(open_class, student)

    with pytest.raises(TooManyLapsedError):
        hold(store(teacher, start=in_days(8)), student)
    [told] = Notice.objects.all()
    assert (told.kind, told.user) == ("holds_lapse", teacher)
    assert student.email in render_mail(told).body


def test_the_teacher_is_told_of_one_such_person_a_day(
    mercadopago, teacher, open_class, student, stranger, django_capture_on_commit_callbacks
):
    for person in (student, stranger):
        let_lapse(person, open_class)
        end_everything(ago=PAUSE)
        with django_capture_on_commit_callbacks(execute=True):
            hold(open_class, person)

    assert Notice.objects.get().user == teacher


def test_a_payment_makes_up_for_the_lapsed_ones(mercadopago, teacher, open_class, student):
    let_lapse(student, open_class, MAX_LAPSED - 1)
    pay(mercadopago, hold(open_class, student))
    let_lapse(student, store(teacher, start=in_days(8)), MAX_LAPSED - 1)

    assert hold(store(teacher, start=in_days(9)), student)


def test_lapsed_ones_are_forgotten_after_a_day(mercadopago, open_class, student):
    let_lapse(student, open_class)
    Payment.objects.update(created_at=timezone.now() - RECENTLY)

    assert hold(open_class, student)


def test_a_voucher_that_may_still_be_paid_is_not_lapsed(mercadopago, open_class, student):
    let_lapse(student, open_class, MAX_LAPSED - 1)
    pay(mercadopago, hold(open_class, student), status="pending", method="ticket")
    end_everything()

    assert hold(open_class, student)


def test_the_teachers_cancelling_is_no_lapse(mercadopago, teacher, student):
    for day in range(MAX_LAPSED):
        open_class = store(teacher, start=in_days(7 + day))
        hold(open_class, student)
        cancel_class(class_id=open_class.pk, actor=teacher)

    assert hold(store(teacher, start=in_days(20)), student)


@pytest.mark.usefixtures("agenda")
def test_times_are_not_chosen_for_ever(mercadopago, student):
    for _ in range(MAX_CHOSEN):
        choose(student, tuesday("10:00"))

    with pytest.raises(TooManyChosenError):
        choose(student, tuesday("10:00"))


NOW = timezone.now()
OVER = NOW - timedelta(minutes=1)


def make_one_of_each() -> list[Purchase]:
    """Store a purchase of each kind, state and end, with each way of money."""
    kinds = ["class", "requested", "scheduled", "place", "unbooked"]
    states = [PurchaseState.KEPT, PurchaseState.LAPSED, PurchaseState.ENDED]
    ends = [None, OVER, NOW + timedelta(hours=1)]
    moneys = ["", "announced", "refused", "pending", "rejected"]
    return [make(*each) for each in product(kinds, states, ends, moneys)]


def make(kind: str, state: PurchaseState, until, money: str) -> Purchase:
    sale = {"state": state, "kept_until": until}
    if kind == "place":
        purchase = PlaceFactory(**sale)
    elif kind == "unbooked":
        purchase = PurchaseFactory(**sale)
    else:
        requested_at = NOW if kind == "requested" else None
        booked = {"status": ClassStatus.PENDING, "scheduling_requested_at": requested_at}
        booked = {"scheduled": True} if kind == "scheduled" else booked
        purchase = VirtualClassFactory(**booked, **sale).purchase
    if money in {"announced", "refused"}:
        BankTransferFactory(purchase=purchase, state=money)
    elif money:
        payment = PaymentFactory(purchase=purchase, status="pending")
        PaymentCharge.objects.create(
            provider="mercadopago",
            payment=payment,
            charge_id=purchase.pk.hex,
            status=money,
            amount=1,
            currency="ARS",
            account_id="1",
            provider_updated_at=NOW,
        )
    return purchase


def test_row_and_query_agree():
    made = make_one_of_each()

    rows = Purchase.objects.filter(pk__in=[one.pk for one in made])
    lapsed, awaited = set(rows.lapsed(NOW)), set(rows.awaited())
    stored = list(rows.select_related("virtual_class"))

    assert {one for one in stored if one.has_lapsed(NOW)} == lapsed
    assert {one for one in stored if one.is_awaited()} == awaited
    assert 0 < len(lapsed) < len(stored)
