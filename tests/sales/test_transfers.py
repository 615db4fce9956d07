"""domain/sales/transfers.py: announced by the student, confirmed or refused by the teacher."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import User
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.exceptions import (
    AlreadyPaidError,
    BookingError,
    ClassCancelledError,
    TransferDecidedError,
    TransferWaitsError,
)
from bookings.domain.money.takings import find_balance
from bookings.domain.people.personal_data import erase_person
from bookings.domain.sales.transfers import confirm_transfer, refuse_transfer
from bookings.models import (
    BankTransfer,
    ClassEvent,
    ClassStatus,
    Hold,
    Notice,
    NoticeKind,
    Purchase,
    RefundStatus,
    TransferState,
    VirtualClass,
    find_same_numbers,
    normalize_operation_number,
)
from tests.factories import VirtualClassFactory
from tests.sales.transfers import (
    PRICE,
    START,
    announce,
    is_given_back,
    send_back,
    store,
    take_transfers,
)

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def rules(db, mercadopago):
    return take_transfers()


def events(virtual_class):
    return list(virtual_class.log.values_list("event", flat=True))


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        (" 1234 5678 ", "12345678"),
        ("ab-12.34/x", "AB1234X"),
        ("\uff11\uff12\uff13\uff14", "1234"),
        ("123", None),
        ("1" * 41, None),
        ("12345ñ", None),
        ("1234;drop", None),
        ("", None),
    ],
)
def test_operation_numbers_are_compared_without_separators(typed, number):
    assert normalize_operation_number(typed) == number


def test_an_announced_transfer_waits_for_the_teacher(host, teacher):
    booked = store(host)

    done = announce(booked, "1234-5678 a")

    assert (done.operation_number, done.amount, done.state) == ("12345678A", PRICE, "announced")
    assert ClassEvent.TRANSFER_ANNOUNCED in events(booked)
    mail = Notice.objects.get(kind=NoticeKind.TRANSFER_ANNOUNCED)
    assert (mail.user, mail.occasion) == (teacher, done.pk.hex)
    assert Purchase.objects.get().paid_at is None


def test_announcing_twice_is_announcing_once(host, teacher):
    booked = store(host)

    assert announce(booked) == announce(booked, "1234 5678")
    with pytest.raises(BookingError, match="Ya avisaste"):
        announce(booked, "87654321")

    assert BankTransfer.objects.count() == Notice.objects.filter(user=teacher).count() == 1


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"status": ClassStatus.CANCELLED}, ClassCancelledError),
        ({"paid_at": timezone.now()}, AlreadyPaidError),
        ({"class_price": 0}, AlreadyPaidError),
    ],
    ids=["cancelled", "paid", "free"],
)
def test_announce_refuses_and_writes_nothing(host, change, error):
    booked = VirtualClassFactory(booked_by=host, **change)

    with pytest.raises(error):
        announce(booked)

    assert not BankTransfer.objects.exists()
    assert not Notice.objects.exists()


def test_a_confirmed_transfer_pays_and_schedules_the_class_once(host, teacher, google):
    booked = store(host)
    transfer = announce(booked)

    for _ in range(2):
        done = confirm_transfer(transfer_id=transfer.pk, actor=teacher)

    booked.refresh_from_db()
    assert (done.state, done.decided_by) == (TransferState.CONFIRMED, teacher)
    assert booked.is_scheduled
    assert events(booked) == ["transfer_announced", "transfer_confirmed", "paid", "scheduled"]
    assert Notice.objects.filter(kind=NoticeKind.CONFIRMATION).count() == 1
    assert find_balance(host).by_hand == PRICE
    with pytest.raises(TransferDecidedError):
        refuse_transfer(transfer_id=transfer.pk, actor=teacher)


def test_a_refused_transfer_may_be_announced_again(host, teacher):
    booked = store(host)
    first = announce(booked)

    for _ in range(2):
        refuse_transfer(transfer_id=first.pk, actor=teacher)
    second = announce(booked)

    assert {first.pk, second.pk} == set(BankTransfer.objects.values_list("pk", flat=True))
    assert events(booked).count("transfer_refused") == 1
    assert Notice.objects.get(kind=NoticeKind.TRANSFER_REFUSED).user == host
    with pytest.raises(TransferDecidedError):
        confirm_transfer(transfer_id=first.pk, actor=teacher)


def test_a_late_confirmation_of_a_taken_time_is_to_be_returned(host, stranger, teacher, google):
    booked = store(host)
    transfer = announce(booked)
    Hold.objects.all().delete()
    VirtualClassFactory(
        booked_by=stranger, scheduled=True, start_time=START, end_time=START + DAY / 24
    )

    done = confirm_transfer(transfer_id=transfer.pk, actor=teacher)

    booked.refresh_from_db()
    assert is_given_back(done)
    assert (booked.status, booked.purchase.refund_reason) == (ClassStatus.CANCELLED, "slot_lost")
    assert find_balance(host).to_return == PRICE


def test_a_transfer_for_a_cancelled_class_is_to_be_returned(host, teacher, google):
    booked = store(host)
    transfer = announce(booked)
    cancel_class(class_id=booked.pk, actor=host)

    done = confirm_transfer(transfer_id=transfer.pk, actor=teacher)

    assert is_given_back(done)
    assert VirtualClass.objects.get().status == ClassStatus.CANCELLED


def test_cancelling_a_class_leaves_its_transfer_to_be_returned(host, teacher, google):
    booked = store(host)
    transfer = announce(booked)
    confirm_transfer(transfer_id=transfer.pk, actor=teacher)

    cancel_class(class_id=booked.pk, actor=teacher)

    assert is_given_back(transfer)
    for _ in range(2):
        assert send_back(transfer, teacher).status == RefundStatus.DONE
    assert events(booked)[-1] == ClassEvent.TRANSFER_RETURNED


def test_one_number_twice_is_found_and_refused_nowhere(host, stranger):
    first = announce(store(host), "OP 1234")
    BankTransfer.objects.update(state=TransferState.CONFIRMED)

    second = announce(store(stranger, start=START + DAY), "op1234")

    assert find_same_numbers([second])[second.pk] == [first]
    assert find_same_numbers([first])[first.pk] == [second]


def test_erasing_waits_for_the_transfer_that_would_have_no_name(host, teacher, google):
    """She could not return it; once she has, or it never came, the name goes."""
    waiting = announce(store(host))
    with pytest.raises(TransferWaitsError):
        erase_person(user=host, by=host)
    assert VirtualClass.objects.get().status == ClassStatus.PENDING

    cancel_class(class_id=waiting.purchase.virtual_class_id, actor=teacher)
    confirm_transfer(transfer_id=waiting.pk, actor=teacher)
    with pytest.raises(TransferWaitsError):
        erase_person(user=host, by=host)
    assert User.objects.get(pk=host.pk).name == "Ana Host"

    send_back(waiting, teacher)
    erase_person(user=host, by=host)
    assert User.objects.get(pk=host.pk).name == ""
