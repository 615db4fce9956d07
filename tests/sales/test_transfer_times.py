"""domain/sales/holds.py: how long a time is kept for a transfer, and for whom."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.exceptions import HoldExpiredError, TransferNotOfferedError, TransfersOffError
from bookings.domain.queries import list_next_classes_of
from bookings.domain.sales.her_bookings import confirm_payment
from bookings.domain.sales.holds import PayWay, find_kept_until
from bookings.domain.sales.transfers import (
    announce_transfer,
    choose_transfer,
    confirm_transfer,
    refuse_transfer,
)
from bookings.models import Hold, MoneyWay, Notice, NoticeKind, Payment, Purchase, VirtualClass
from bookings.notices.registry import reason_to_skip
from tests.sales.open_classes import hold, store
from tests.sales.transfers import START, announce, book, take_transfers

DAY, SECOND = timedelta(days=1), timedelta(seconds=1)


@pytest.fixture(autouse=True)
def rules(db, mercadopago):
    return take_transfers()


def kept_for(virtual_class):
    return Purchase.objects.get(virtual_class=virtual_class).kept_until - timezone.now()


def test_a_transfer_keeps_the_time_a_day_and_asks_no_provider(host, mercadopago):
    booked = book(host)

    assert abs(kept_for(booked) - DAY) < SECOND
    assert not Payment.objects.exists()
    assert len(mercadopago.preferences) == 0


def test_no_time_is_kept_past_the_minimum_notice():
    now = timezone.now()

    assert find_kept_until(now + timedelta(hours=20), now) == now + timedelta(hours=8)


def test_a_transfer_that_would_come_too_late_is_not_offered(host):
    start = timezone.now() + timedelta(hours=12, minutes=10)

    with pytest.raises(TransferNotOfferedError, match="Falta poco"):
        book(host, start=start)

    assert not VirtualClass.objects.exists()
    assert Hold.objects.get().purchase is None


def test_without_an_account_there_is_no_transfer(host):
    take_transfers(transfer_alias="")

    with pytest.raises(TransfersOffError):
        book(host)

    assert not VirtualClass.objects.exists()


def test_without_a_provider_the_transfer_is_the_way(host, settings):
    settings.MERCADOPAGO_ACCESS_TOKEN = ""

    booked = book(host, way=PayWay.ONLINE)

    assert abs(kept_for(booked) - DAY) < SECOND


def test_a_person_who_never_paid_has_one_time_at_once(host):
    book(host)

    with pytest.raises(TransferNotOfferedError, match="Ya te guardamos"):
        book(host, start=START + DAY)

    assert VirtualClass.objects.count() == 1


@pytest.mark.parametrize("paid", ["class", "place"])
def test_a_person_who_paid_before_has_several(host, teacher, google, paid):
    if paid == "class":
        confirm_payment(class_id=book(host).pk, actor=teacher)
    else:
        place = hold(store(teacher, start=START + 4 * DAY), host)
        transfer = announce_transfer(user=host, purchase=place, operation_number="12345678")
        confirm_transfer(transfer_id=transfer.pk, actor=teacher)

    for days in (1, 2):
        book(host, start=START + days * DAY)

    assert Purchase.objects.filter(kept_for=MoneyWay.TRANSFER, hold__isnull=False).count() == 2


def test_times_that_went_by_unpaid_end_it(host):
    """Not even somebody with patience keeps the teacher's hours from others."""
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for days in range(2):
            book(host, start=START + days * DAY)
            clock.shift(DAY + SECOND)

        with pytest.raises(TransferNotOfferedError, match="Ya te guardamos"):
            book(host, start=START + 2 * DAY)

        Hold.objects.all().delete()
        clock.shift(timedelta(days=7))
        assert book(host, start=START + 30 * DAY)


@pytest.mark.parametrize("is_announced", [False, True])
def test_cancelling_a_kept_time_does_not_make_up_for_it(host, is_announced):
    """Nor does a number of a transfer that never comes."""
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for days in range(2):
            booked = book(host, start=START + days * DAY)
            if is_announced:
                announce(booked)
            clock.shift(DAY - SECOND)
            cancel_class(class_id=booked.pk, actor=host)
            clock.shift(2 * SECOND)

        with pytest.raises(TransferNotOfferedError, match="Ya te guardamos"):
            book(host, start=START + 2 * DAY)


@pytest.mark.parametrize("by_teacher", [False, True])
def test_a_cancelled_time_that_is_not_the_students_fault_counts_nothing(host, teacher, by_teacher):
    """The teacher cancelled, or the money came and goes back."""
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for days in range(2):
            booked = book(host, start=START + days * DAY)
            transfer = None if by_teacher else announce(booked)
            cancel_class(class_id=booked.pk, actor=teacher if by_teacher else host)
            if transfer:
                confirm_transfer(transfer_id=transfer.pk, actor=teacher)
            clock.shift(DAY + SECOND)

        assert book(host, start=START + 2 * DAY)


def test_a_refused_announcement_keeps_nothing_longer(host, teacher):
    with time_machine.travel(timezone.now(), tick=False) as clock:
        booked = book(host)
        clock.shift(timedelta(hours=20))
        first = announce(booked)
        assert kept_for(booked) == DAY
        refuse_transfer(transfer_id=first.pk, actor=teacher)
        clock.shift(timedelta(hours=20))

        announce(booked, "99999999")

        assert kept_for(booked) == timedelta(hours=4)


def test_the_student_hears_when_the_time_is_over(host):
    booked = book(host)
    mail = Notice.objects.get(kind=NoticeKind.TRANSFER_OVER)

    assert (mail.user, mail.virtual_class) == (host, booked)
    assert mail.due_at == Purchase.objects.get().kept_until
    assert reason_to_skip(mail)
    with time_machine.travel(mail.due_at + SECOND, tick=False):
        assert VirtualClass.objects.get().has_lapsed
        assert not reason_to_skip(Notice.objects.get(pk=mail.pk))


def test_a_student_may_change_from_mercado_pago_to_a_transfer(host, mercadopago):
    booked = book(host, way=PayWay.ONLINE)
    assert kept_for(booked) <= timedelta(minutes=15)

    choose_transfer(user=host, purchase=booked.purchase)

    assert abs(kept_for(booked) - DAY) < SECOND
    with time_machine.travel(timezone.now() + timedelta(hours=1), tick=False):
        assert not VirtualClass.objects.get().has_lapsed
        assert list(list_next_classes_of(host)) == [booked]


def test_a_time_that_lapsed_is_not_kept_again(host):
    booked = book(host, way=PayWay.ONLINE)

    later = time_machine.travel(timezone.now() + timedelta(hours=1), tick=False)
    with later, pytest.raises(HoldExpiredError):
        choose_transfer(user=host, purchase=booked.purchase)
