"""A bought place among others: code, capacity, waiting list, leaving and cancelling."""

import pytest

from bookings.domain.classes.cancelling import cancel_class, leave_class
from bookings.domain.classes.changing import change_capacity
from bookings.domain.exceptions import (
    BookingError,
    ClassFullError,
    PlaceHeldError,
)
from bookings.domain.money.refunds import send_due_refunds
from bookings.domain.places.joining import join_class
from bookings.domain.places.waiting_list import claim_place, wait_for_open_class
from bookings.models import (
    BookingRules,
    Payment,
    PurchaseState,
    Refund,
    RefundReason,
    WaitingState,
)
from tests.sales.open_classes import (
    PRICE,
    expire,
    find_places_left,
    hold,
    is_refunded,
    look,
    pay,
    people,
    read,
    store,
    take,
)

pytestmark = pytest.mark.django_db


# --- Code, capacity and waiting list -------------------------------------------------------------


def test_the_code_takes_no_place_that_is_being_paid(mercadopago, teacher, student):
    open_class = store(teacher, places=1, minimum=1)
    place = hold(open_class)
    code = open_class.virtual_class.access_code

    with pytest.raises(PlaceHeldError):
        join_class(user=student, access_code=code)
    expire(place)
    join_class(user=student, access_code=code)

    assert student.pk in people(open_class)


def test_the_capacity_never_falls_below_held_places(mercadopago, open_class, teacher):
    hold(open_class)
    hold(open_class)

    with pytest.raises(BookingError):
        change_capacity(class_id=open_class.pk, capacity=2, actor=teacher)


def test_a_freed_place_is_offered_and_has_to_be_paid(mercadopago, teacher, student, stranger):
    open_class = store(teacher, places=1, minimum=1)
    [place] = take(mercadopago, open_class)
    entry = wait_for_open_class(user=student, class_id=open_class.pk)

    leave_class(class_id=open_class.pk, user=place.person)

    entry.refresh_from_db()
    assert entry.state == WaitingState.OFFERED
    with pytest.raises(BookingError, match="se paga"):
        claim_place(user=student, entry_id=entry.pk)
    with pytest.raises(ClassFullError):
        hold(open_class, stranger)
    held = hold(open_class, student)
    entry.refresh_from_db()
    assert entry.state == WaitingState.CLAIMED
    assert pay(mercadopago, held).state == PurchaseState.PAID


def test_no_held_place_is_offered(mercadopago, teacher, student):
    open_class = store(teacher, places=1, minimum=1)
    hold(open_class)

    entry = wait_for_open_class(user=student, class_id=open_class.pk)

    assert entry.state == WaitingState.WAITING


# --- Leaving and cancelling ----------------------------------------------------------------------


def test_leaving_in_time_refunds_the_place(mercadopago, open_class, student):
    place = pay(mercadopago, hold(open_class, student))

    leave_class(class_id=open_class.pk, user=student)

    place = read(place)
    assert place.state == PurchaseState.ENDED
    assert is_refunded(place, RefundReason.CANCELLED)
    assert student.pk not in people(open_class)
    assert find_places_left(open_class) == 6


def test_leaving_late_keeps_the_money(mercadopago, open_class, student):
    place = pay(mercadopago, hold(open_class, student))
    BookingRules.objects.update_or_create(pk=1, defaults={"change_cutoff_minutes": 60 * 24 * 30})

    leave_class(class_id=open_class.pk, user=student)
    look(place)

    place = read(place)
    assert (place.state, place.amount_kept) == (PurchaseState.ENDED, PRICE)
    assert not Refund.objects.exists()


def test_a_guest_with_the_code_leaves_without_a_place(mercadopago, open_class, student):
    join_class(user=student, access_code=open_class.virtual_class.access_code)

    leave_class(class_id=open_class.pk, user=student)

    assert student.pk not in people(open_class)


def test_cancelling_refunds_every_place_once(mercadopago, open_class, teacher, student):
    paid = take(mercadopago, open_class, 2)
    held = hold(open_class, student)

    cancel_class(class_id=open_class.pk, actor=teacher, fresh_sign_in=True)
    cancel_class(class_id=open_class.pk, actor=teacher)
    send_due_refunds()
    late = pay(mercadopago, held)
    send_due_refunds()

    assert {read(one).state for one in [*paid, held]} == {PurchaseState.ENDED}
    assert all(is_refunded(one, RefundReason.CANCELLED) for one in [*paid, late])
    assert len(mercadopago.refunds) == 3
    assert {one.status for one in Payment.objects.all()} <= {"refunded", "approved"}
