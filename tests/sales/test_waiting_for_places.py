"""No place of an open class is withheld without paying for it."""

import os
from datetime import timedelta

import pytest
from django.utils import timezone

from bookings.domain.classes.cancelling import leave_class
from bookings.domain.exceptions import BookingError, OfferLapsedError
from bookings.domain.places.participants import pass_on_offers
from bookings.domain.places.waiting_list import PAUSE, leave_line, wait_again, wait_for_open_class
from bookings.domain.sales.buying import hold_place
from bookings.models import Purchase, PurchaseState, WaitingListEntry, WaitingState
from tests.sales.open_classes import expire, hold, pay, store, take

pytestmark = pytest.mark.django_db

# As a command: ORDERS=100 pytest tests/sales/test_waiting_for_places.py
ORDERS = int(os.environ.get("ORDERS", "3"))


@pytest.fixture
def full(mercadopago, teacher):
    """An open class of one place, which is paid."""
    open_class = store(teacher, places=1, minimum=1)
    take(mercadopago, open_class)
    return open_class


@pytest.fixture
def offer(full, student):
    """The freed place, offered to the student."""
    entry = wait_for_open_class(user=student, class_id=full.pk)
    place = Purchase.objects.places().get(state=PurchaseState.PAID)
    leave_class(class_id=full.pk, user=place.person)
    entry.refresh_from_db()
    return entry


def end(offer, ago=timedelta()):
    WaitingListEntry.objects.filter(pk=offer.pk).update(offer_expires_at=timezone.now() - ago)
    pass_on_offers()


def test_nobody_waits_for_a_place_that_can_be_bought(open_class, student):
    with pytest.raises(BookingError, match="Todavía queda lugar"):
        wait_for_open_class(user=student, class_id=open_class.pk)

    assert not WaitingListEntry.objects.exists()


def test_nobody_waits_who_has_a_place_to_pay(mercadopago, teacher, student):
    open_class = store(teacher, places=1, minimum=1)
    hold(open_class, student)

    with pytest.raises(BookingError, match="falta que lo pagues"):
        wait_for_open_class(user=student, class_id=open_class.pk)


def test_a_place_that_another_pays_is_not_free_for_who_waits(
    mercadopago, teacher, student, sign_in
):
    open_class = store(teacher, places=1, minimum=1)
    hold(open_class)
    entry = wait_for_open_class(user=student, class_id=open_class.pk)

    page = sign_in(student).get(f"/inicio/espera/{entry.pk}").content.decode()

    assert "Estás en la lista de espera" in page
    assert "Reservar mi lugar" not in page


def lapse(offer, mercadopago):
    end(offer)


def decline(offer, mercadopago):
    leave_line(user=offer.user, entry_id=offer.pk)


def hold_and_let_go(offer, mercadopago):
    expire(hold_place(user=offer.user, open_class_id=offer.virtual_class_id))


@pytest.mark.parametrize("end_unpaid", [lapse, decline, hold_and_let_go])
def test_an_offered_place_that_was_not_paid_is_not_offered_again_for_a_day(
    mercadopago, offer, end_unpaid, time_machine
):
    end_unpaid(offer, mercadopago)
    take(mercadopago, offer.virtual_class.open_class)

    with pytest.raises(OfferLapsedError):
        wait_again(user=offer.user, entry_id=offer.pk)

    time_machine.move_to(timezone.now() + PAUSE, tick=False)
    assert wait_again(user=offer.user, entry_id=offer.pk).state == WaitingState.WAITING


def test_a_person_who_paid_and_left_waits_again(mercadopago, offer):
    open_class = offer.virtual_class.open_class
    pay(mercadopago, hold(open_class, offer.user))
    leave_class(class_id=open_class.pk, user=offer.user)
    take(mercadopago, open_class)

    assert wait_again(user=offer.user, entry_id=offer.pk).state == WaitingState.WAITING
