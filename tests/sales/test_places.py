"""domain/sales/buying.py: places are held, paid and lost."""

from datetime import timedelta

import pytest
from django.utils import timezone

from bookings.domain.classes.booking import BookingRequest, book_class
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.exceptions import (
    BookingError,
    ClassCancelledError,
    ClassFullError,
    ClassNotFoundError,
    OwnClassError,
    PlaceHeldError,
    PreferenceTakenError,
    PriceChangedError,
    TooManyHoldsError,
)
from bookings.domain.money.prices import Quote
from bookings.domain.sales.buying import hold_place, pay_place_by_hand, release_place
from bookings.domain.sales.open_classes import list_open_classes
from bookings.domain.sales.settling import settle_due_payments
from bookings.models import (
    ClassLog,
    Notice,
    Payment,
    PaymentStatus,
    Purchase,
    PurchaseState,
    Refund,
    RefundReason,
    ReviewReason,
    VirtualClass,
)
from bookings.payments.gateway import PaymentError
from tests.factories import VirtualClassFactory
from tests.sales.open_classes import (
    PRICE,
    expire,
    find_places_left,
    hold,
    in_days,
    is_refunded,
    look,
    pay,
    people,
    read,
    store,
    take,
)
from tests.standins import Fault

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


def test_a_repeat_gives_the_same_place(mercadopago, open_class, student):
    assert hold(open_class, student) == hold(open_class, student)
    assert len(mercadopago.preferences) == 1


def test_a_held_place_is_not_paid_at_another_price_than_the_page_shows(
    mercadopago, open_class, student
):
    """The page of another tab shows a price that the held place does not have."""
    held = hold(open_class, student)

    with pytest.raises(PriceChangedError):
        hold_place(user=student, open_class_id=open_class.pk, seen=held.price // 2)


def test_an_expired_place_is_replaced(mercadopago, open_class, student):
    first = hold(open_class, student)
    expire(first)

    second = hold(open_class, student)

    assert second != first
    assert read(first).state == PurchaseState.LAPSED


def test_no_more_places_are_held_than_there_are_places(mercadopago, teacher, student):
    open_class = store(teacher, places=1, minimum=1)
    hold(open_class)

    with pytest.raises(PlaceHeldError):
        hold(open_class, student)

    assert Payment.objects.count() == 1


def test_a_provider_that_is_down_keeps_no_place(mercadopago, open_class, student):
    mercadopago.fault("preferences.create", *[Fault.status(500)] * 9)

    with pytest.raises(PaymentError):
        hold(open_class, student)

    assert Purchase.objects.places().get().state == PurchaseState.LAPSED
    assert find_places_left(open_class) == 6


def test_a_free_place_is_taken_at_once(mercadopago, teacher, student):
    open_class = store(teacher, place_price=0)

    place = hold(open_class, student)

    assert place.state == PurchaseState.PAID
    assert not Payment.objects.exists()
    assert student.pk in people(open_class)


def test_the_teacher_cannot_hold_a_place(mercadopago, open_class, teacher):
    with pytest.raises(OwnClassError):
        hold(open_class, teacher)


def test_an_ordinary_class_has_no_places(mercadopago, student):
    with pytest.raises(ClassNotFoundError):
        hold_place(user=student, open_class_id=VirtualClassFactory(scheduled=True).pk)


def test_a_cancelled_class_has_no_places(mercadopago, open_class, teacher, student):
    cancel_class(class_id=open_class.pk, actor=teacher)

    with pytest.raises(ClassCancelledError):
        hold(open_class, student)


def test_a_class_that_began_has_no_places(mercadopago, open_class, student):
    VirtualClass.objects.update(start_time=timezone.now() - timedelta(minutes=1))

    with pytest.raises(BookingError):
        hold(open_class, student)


def test_a_person_holds_only_so_many_places(mercadopago, teacher, student, settings):
    settings.MAX_UNPAID_HOLDS = 1
    hold(store(teacher), student)

    with pytest.raises(TooManyHoldsError):
        hold(store(teacher, start=in_days(8)), student)


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


def test_a_late_payment_takes_no_place_that_another_is_paying(mercadopago, teacher, student):
    open_class = store(teacher, places=1, minimum=1)
    late = hold(open_class, student)
    expire(late)
    hold(open_class)

    assert pay(mercadopago, late).state == PurchaseState.LOST


def test_two_places_of_one_person_are_paid_once(mercadopago, open_class, student):
    first = hold(open_class, student)
    expire(first)
    second = hold(open_class, student)

    first, second = pay(mercadopago, first), pay(mercadopago, second)

    assert (first.state, second.state) == (PurchaseState.PAID, PurchaseState.LOST)
    assert is_refunded(second, RefundReason.PAID_TWICE)
    assert not Refund.objects.filter(charge__payment=first.payment).exists()
    assert find_places_left(open_class) == 5


def test_the_sweep_settles_a_paid_place_that_a_crash_left(mercadopago, open_class, student):
    place = hold(open_class, student)
    mercadopago.pay(place.payment.preference_id)
    Payment.objects.update(next_check_at=timezone.now())

    settle_due_payments()

    assert read(place).state == PurchaseState.PAID


def test_a_place_after_the_class_goes_back(mercadopago, open_class, student):
    place = hold(open_class, student)
    now = timezone.now()
    VirtualClass.objects.update(start_time=now - timedelta(hours=2), end_time=now)

    place = pay(mercadopago, place)

    assert place.state == PurchaseState.LOST
    assert is_refunded(place, RefundReason.CLASS_OVER)


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


def test_a_disputed_place_waits(mercadopago, open_class, student):
    place = hold(open_class, student)
    charge = mercadopago.pay(place.payment.preference_id)
    mercadopago.settle(charge["id"], "in_mediation")

    assert look(place).state == PurchaseState.KEPT


def test_a_places_preference_books_no_class(mercadopago, open_class, student):
    place = hold(open_class, student)
    quote = place.payment.quote
    start = place.virtual_class.start_time
    end, students = place.virtual_class.end_time, quote["students_count"]
    request = BookingRequest(
        Quote(start, end, is_group_class=True, students_count=students, price=PRICE),
        preference_id=place.payment.preference_id,
    )

    with pytest.raises(PreferenceTakenError):
        book_class(user=student, request=request)


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
