"""Money that came before its class: the booking finds it, or it goes back."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.exceptions import BookingError, PreferenceTakenError
from bookings.models import PaymentStatus, Refund
from tests.booking import book_class
from tests.bookings.settling.steps import PESOS, look, sweep_money
from tests.payments import PRICE

pytestmark = pytest.mark.usefixtures("teacher")


def book(user, payment, **changes):
    quote = payment.quote
    values = {
        "start": timezone.datetime.fromtimestamp(
            quote["start"], tz=timezone.get_default_timezone()
        ),
        "end": timezone.datetime.fromtimestamp(quote["end"], tz=timezone.get_default_timezone()),
        "is_group_class": quote["is_group_class"],
        "students_count": quote["students_count"],
        "price": quote["price"],
        "preference_id": payment.preference_id,
    }
    return book_class(user=user, **values | changes)


def test_a_class_that_is_booked_after_paying_is_scheduled(mercadopago, early, host):
    mercadopago.pay(early.preference_id)
    assert look(early).status == PaymentStatus.APPROVED

    virtual_class = book(host, early)
    sweep_money()

    virtual_class.refresh_from_db()
    assert virtual_class.is_scheduled
    assert virtual_class.purchase.paid_at == look(early).approved_at


def test_money_that_nobody_books_with_goes_back_after_a_day(mercadopago, early, settings):
    mercadopago.pay(early.preference_id)
    look(early)
    assert not Refund.objects.exists()

    with time_machine.travel(timezone.now() + settings.UNBOOKED_PAYMENT_AGE):
        sweep_money()
        sweep_money()

    assert [refund["amount"] for refund in mercadopago.refunds] == [PESOS]
    early.refresh_from_db()
    assert early.status == PaymentStatus.REFUNDED
    assert early.next_check_at is None or early.next_check_at > timezone.now()


def test_a_preference_whose_money_went_back_books_nothing(mercadopago, early, host, settings):
    mercadopago.pay(early.preference_id)
    look(early)
    with time_machine.travel(timezone.now() + settings.UNBOOKED_PAYMENT_AGE):
        sweep_money()
        with pytest.raises(BookingError, match="no corresponde"):
            book(host, early)


@pytest.mark.parametrize(
    "changes",
    [
        {"price": PRICE - 1},
        {"students_count": 4},
        {"is_group_class": False},
    ],
    ids=str,
)
def test_a_booking_must_be_what_its_preference_was_made_for(early, host, changes):
    with pytest.raises(BookingError, match="no corresponde"):
        book(host, early, **changes)


@pytest.mark.parametrize("moved", ["start", "end"])
def test_a_booking_must_be_when_its_preference_was_made_for(early, host, moved):
    instant = timezone.datetime.fromtimestamp(
        early.quote[moved], tz=timezone.get_default_timezone()
    )

    with pytest.raises(BookingError, match="no corresponde"):
        book(host, early, **{moved: instant + timedelta(minutes=5)})


def test_a_booking_with_somebody_elses_preference_is_refused(mercadopago, early, stranger):
    mercadopago.pay(early.preference_id)
    look(early)

    with pytest.raises(BookingError, match="no corresponde"):
        book(stranger, early)


def test_a_preference_books_one_class(payment, host):
    with pytest.raises(PreferenceTakenError):
        book(host, payment)


def test_a_dispute_that_is_won_after_the_rest_went_back_goes_back_too(mercadopago, early, settings):
    disputed, _ = (mercadopago.pay(early.preference_id, amount=PESOS / 2) for _ in range(2))
    look(early)
    mercadopago.settle(disputed["id"], "charged_back")
    with time_machine.travel(timezone.now() + settings.UNBOOKED_PAYMENT_AGE):
        look(early)
        assert [refund["amount"] for refund in mercadopago.refunds] == [PESOS / 2]

        mercadopago.settle(disputed["id"], "approved")
        for _ in range(2):
            look(early)

    assert [refund["amount"] for refund in mercadopago.refunds] == [PESOS / 2] * 2
