"""A place of an open class, paid by transfer."""

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from bookings.domain.classes.cancelling import leave_class
from bookings.domain.classes.changing import reschedule_class
from bookings.domain.exceptions import (
    AlreadyPaidError,
    BookingError,
    ClassNotFoundError,
    TransferNotOfferedError,
)
from bookings.domain.money.takings import find_balance, list_monthly_takings
from bookings.domain.sales.buying import pay_place_by_hand, release_place
from bookings.domain.sales.transfers import announce_transfer, choose_transfer, confirm_transfer
from bookings.models import (
    BankTransfer,
    Notice,
    NoticeKind,
    OpenClass,
    Purchase,
    PurchaseState,
    TransferState,
)
from bookings.notices.registry import reason_to_skip
from bookings.notices.rendering import render_mail
from tests.factories import UserFactory
from tests.sales.open_classes import hold, store
from tests.sales.transfers import is_given_back, send_back, take_transfers

DAY = timedelta(days=1)


@pytest.fixture
def place(student, teacher, google):
    """Bruno's place, still to be paid, in a class that begins in some days."""
    take_transfers()
    return hold(store(teacher, places=1, minimum=1), student)


def announce(place, number="12345678"):
    return announce_transfer(user=place.person, purchase=place, operation_number=number)


def choose(place):
    choose_transfer(user=place.person, purchase=place)


def kept_for(place):
    return Purchase.objects.get(pk=place.pk).kept_until - timezone.now()


def state_of(place):
    return Purchase.objects.places().get(pk=place.pk).state


@pytest.fixture
def clock():
    with time_machine.travel(timezone.now(), tick=False) as clock:
        yield clock


def test_no_place_is_kept_past_the_decision_about_its_class(clock, student, teacher, google):
    take_transfers()
    decides_at = timezone.now() + timedelta(hours=5)
    open_class = store(teacher, decides_at=decides_at)
    place = hold(open_class, student)

    choose(place)
    assert Purchase.objects.get(pk=place.pk).kept_until == decides_at

    clock.shift(timedelta(hours=5) - timedelta(minutes=5))
    late = hold(open_class)
    with pytest.raises(TransferNotOfferedError, match="Falta poco"):
        choose(late)


@pytest.mark.parametrize(("hours", "kept"), [(30, 6), (13, 0), (24 * 9, 24)])
def test_a_class_that_moves_takes_the_end_of_the_place_along(clock, place, teacher, hours, kept):
    """The deadline stays a day before the class."""
    choose(place)
    start = place.virtual_class.start_time
    OpenClass.objects.update(decides_at=start - DAY)

    start = timezone.now() + timedelta(hours=hours)
    reschedule_class(class_id=place.virtual_class_id, actor=teacher, start=start)

    assert kept_for(place) == timedelta(hours=kept)
    mail = Notice.objects.get(kind=NoticeKind.SEAT_TRANSFER_OVER)
    assert mail.due_at == Purchase.objects.get().kept_until


def test_the_student_hears_that_the_place_is_free_unless_it_was_paid_or_given_up(clock, place):
    choose(place)
    mail = Notice.objects.get(kind=NoticeKind.SEAT_TRANSFER_OVER)

    assert (mail.user, mail.due_at) == (place.person, Purchase.objects.get().kept_until)
    assert reason_to_skip(mail)
    clock.shift(DAY)
    now = timezone.now()
    assert not reason_to_skip(mail)
    assert reverse("bookings:place", args=[place.pk]) in render_mail(mail).body

    for state in (PurchaseState.PAID, PurchaseState.LAPSED, PurchaseState.ENDED):
        Purchase.objects.update(state=state, paid_at=now if state == PurchaseState.PAID else None)
        assert reason_to_skip(mail)


def test_a_confirmed_transfer_takes_the_place_and_counts_once(place, teacher):
    done = confirm_transfer(transfer_id=announce(place).pk, actor=teacher)

    assert (done.state, state_of(place)) == (TransferState.CONFIRMED, PurchaseState.PAID)
    assert [one.by_hand for one in list_monthly_takings()] == [place.price]


def test_without_a_place_it_is_to_be_returned(place, teacher):
    transfer = announce(place)
    Purchase.objects.places().update(kept_until=timezone.now())
    other = hold(place.virtual_class.open_class, UserFactory())
    pay_place_by_hand(purchase_id=other.pk, actor=teacher)

    done = confirm_transfer(transfer_id=transfer.pk, actor=teacher)

    assert is_given_back(done)
    assert state_of(place) == PurchaseState.KEPT


def test_announce_refuses_a_place_that_is_no_more_to_be_paid(place, teacher, stranger):
    with pytest.raises(ClassNotFoundError):
        announce_transfer(user=stranger, purchase=place, operation_number="12345678")
    release_place(user=place.person, purchase_id=place.pk)
    with pytest.raises(BookingError):
        announce(place)
    Purchase.objects.update(state=PurchaseState.PAID, paid_at=timezone.now())
    with pytest.raises(AlreadyPaidError):
        announce(place)

    assert not BankTransfer.objects.exists()


def test_a_second_payment_by_transfer_goes_back_though_the_person_left_late(clock, place, teacher):
    """The teacher's mark paid the place, and that money stays; the transfer came besides."""
    transfer = announce(place)
    pay_place_by_hand(purchase_id=place.pk, actor=teacher)
    clock.shift(timedelta(minutes=1))
    done = confirm_transfer(transfer_id=transfer.pk, actor=teacher)
    clock.move_to(place.virtual_class.start_time - timedelta(minutes=5))
    leave_class(class_id=place.virtual_class_id, user=place.person)

    assert is_given_back(done)
    assert find_balance(place.person).to_return == place.price

    send_back(transfer, teacher)
    months = list_monthly_takings()  # two, if the class is in the next
    assert sum(month.by_hand for month in months) == 2 * place.price
    assert sum(month.returned for month in months) == place.price
