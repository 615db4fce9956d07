"""domain/sales/buying.py: places are held, paid and lost, beside code, line and cancelling."""

import pytest

from bookings.domain.classes.cancelling import cancel_class, leave_class
from bookings.domain.exceptions import (
    BookingError,
    ClassFullError,
    ClassNotFoundError,
    PlaceHeldError,
    PriceChangedError,
)
from bookings.domain.money.refunds import send_due_refunds
from bookings.domain.places.joining import join_class
from bookings.domain.places.waiting_list import claim_place, wait_for_open_class
from bookings.domain.sales.buying import hold_place, pay_place_by_hand, release_place
from bookings.domain.sales.open_classes import list_open_classes
from bookings.models import (
    BookingRules,
    ClassLog,
    Notice,
    Payment,
    PaymentStatus,
    PurchaseState,
    Refund,
    RefundReason,
    ReviewReason,
    WaitingState,
)
from tests.factories import VirtualClassFactory
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


def events(open_class):
    return list(
        ClassLog.objects.filter(virtual_class=open_class.pk).values_list("event", flat=True)
    )


# --- Holding -------------------------------------------------------------------------------------


def test_a_held_place_has_a_payment_and_keeps_its_place(mercadopago, open_class, student):
    place = hold(open_class, student)

    assert (place.state, place.price) == (PurchaseState.KEPT, PRICE)
    assert place.payment.checkout_url
    assert place.payment.amount == PRICE
    [preference] = mercadopago.preferences
    assert preference["items"][0]["title"] == "Lugar en «Conversación B1»"
    assert find_places_left(open_class) == 5
    assert [one.held for one in list_open_classes()] == [1]


def test_a_held_place_is_not_paid_at_another_price_than_the_page_shows(
    mercadopago, open_class, student
):
    """The page of another tab shows a price that the held place does not have."""
    held = hold(open_class, student)

    with pytest.raises(PriceChangedError):
        hold_place(user=student, open_class_id=open_class.pk, seen=held.price // 2)


def test_no_more_places_are_held_than_there_are_places(mercadopago, teacher, student):
    open_class = store(teacher, places=1, minimum=1)
    hold(open_class)

    with pytest.raises(PlaceHeldError):
        hold(open_class, student)

    assert Payment.objects.count() == 1


def test_a_free_place_is_taken_at_once(mercadopago, teacher, student):
    open_class = store(teacher, place_price=0)

    place = hold(open_class, student)

    assert place.state == PurchaseState.PAID
    assert not Payment.objects.exists()
    assert student.pk in people(open_class)


def test_an_ordinary_class_has_no_places(mercadopago, student):
    with pytest.raises(ClassNotFoundError):
        hold_place(user=student, open_class_id=VirtualClassFactory(scheduled=True).pk)


def test_a_released_place_is_free_again(mercadopago, open_class, student, stranger):
    place = hold(open_class, student)
    with pytest.raises(ClassNotFoundError):
        release_place(user=stranger, purchase_id=place.pk)

    release_place(user=student, purchase_id=place.pk)

    assert find_places_left(open_class) == 6


# --- Paying --------------------------------------------------------------------------------------


def test_a_paid_place_is_a_place_in_the_class(mercadopago, open_class, student):
    place = pay(mercadopago, hold(open_class, student))
    look(place)
    look(place)

    assert place.state == PurchaseState.PAID
    assert place.paid_at == place.payment.approved_at
    assert student.pk in people(open_class)
    assert place.virtual_class.current_participants == 2
    assert events(open_class)[-2:] == ["joined", "seat_paid"]
    assert Notice.objects.filter(user=student, kind="joined").count() == 1
    assert not Refund.objects.exists()


def test_a_late_payment_takes_a_place_that_is_free(mercadopago, open_class, student):
    place = hold(open_class, student)
    expire(place)

    assert pay(mercadopago, place).state == PurchaseState.PAID


def test_a_late_payment_without_a_place_goes_back(mercadopago, teacher, student):
    open_class = store(teacher, places=1, minimum=1)
    late = hold(open_class, student)
    expire(late)
    take(mercadopago, open_class)

    late = pay(mercadopago, late)
    look(late)

    assert late.state == PurchaseState.LOST
    assert is_refunded(late, RefundReason.SEAT_LOST)
    assert events(open_class).count("seat_lost") == 1
    assert student.pk not in people(open_class)


def test_two_places_of_one_person_are_paid_once(mercadopago, open_class, student):
    first = hold(open_class, student)
    expire(first)
    second = hold(open_class, student)

    first, second = pay(mercadopago, first), pay(mercadopago, second)

    assert (first.state, second.state) == (PurchaseState.PAID, PurchaseState.LOST)
    assert is_refunded(second, RefundReason.PAID_TWICE)
    assert not Refund.objects.filter(charge__payment=first.payment).exists()
    assert find_places_left(open_class) == 5


def test_a_chargeback_gives_the_place_back(mercadopago, open_class, student):
    place = hold(open_class, student)
    charge = mercadopago.pay(place.payment.preference_id)
    look(place)
    mercadopago.settle(charge["id"], "charged_back")

    place = look(place)

    assert place.payment.status == PaymentStatus.CHARGED_BACK
    assert place.payment.review == ReviewReason.DISPUTE
    assert place.state == PurchaseState.ENDED
    assert student.pk not in people(open_class)
    assert find_places_left(open_class) == 6
    assert not Refund.objects.exists()
    assert Notice.objects.filter(kind="seat_to_review").exists()


# --- By hand -------------------------------------------------------------------------------------


def test_the_teacher_confirms_a_place_that_was_paid_otherwise(teacher, student):
    open_class = store(teacher)
    place = hold(open_class, student)
    assert not Payment.objects.exists()

    pay_place_by_hand(purchase_id=place.pk, actor=teacher)
    pay_place_by_hand(purchase_id=place.pk, actor=teacher)

    place = read(place)
    assert place.state == PurchaseState.PAID
    assert place.paid_at
    assert events(open_class).count("seat_paid") == 1


def test_the_teacher_cannot_confirm_a_place_without_a_place(teacher, student):
    open_class = store(teacher, places=1, minimum=1)
    late = hold(open_class, student)
    expire(late)
    hold(open_class)

    with pytest.raises(ClassFullError):
        pay_place_by_hand(purchase_id=late.pk, actor=teacher)

    assert read(late).paid_at is None


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
