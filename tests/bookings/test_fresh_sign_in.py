"""domain/change_policy.py: decisions that want a fresh sign-in of the teacher, on every road."""

from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from accounts.models import User, UserStatus
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.classes.changing import reschedule_class
from bookings.domain.exceptions import FreshSignInNeededError
from bookings.domain.money.refunds import request_partial_refund
from bookings.domain.people.claiming import claim_class, confirm_claim, return_claim
from bookings.domain.people.personal_data import erase_person
from bookings.domain.sales.transfers import confirm_transfer
from bookings.models import ClassLog, ClassStatus, Notice, Refund, TransferState, VirtualClass
from bookings.models.sales.class_link import make_link
from tests.factories import VirtualClassFactory
from tests.payments import PRICE, make_paid_class
from tests.sales.open_classes import store, take
from tests.sales.transfers import announce_with_lost_time
from tests.sales.written_down import write_lucia


@pytest.fixture
def paid(host, mercadopago, teacher):
    """Ana's class in a week, paid and in the calendar."""
    return make_paid_class(host, mercadopago)


@pytest.fixture
def cancelling(paid, teacher):
    return partial(cancel_class, class_id=paid.pk, actor=teacher)


@pytest.fixture
def cancelling_an_open_class(mercadopago, teacher):
    open_class = store(teacher)
    take(mercadopago, open_class)
    return partial(cancel_class, class_id=open_class.pk, actor=teacher)


@pytest.fixture
def refunding(paid, teacher):
    charge = paid.purchase.payment.charges.get()
    ask = partial(request_partial_refund, charge_id=charge.pk, amount=100, left=PRICE)
    return partial(ask, by=teacher)


@pytest.fixture
def taking_a_paid_time(paid, student, teacher):
    paid.status, paid.scheduling_requested_at = ClassStatus.PENDING, timezone.now()
    paid.save()
    later = paid.start_time + timedelta(hours=3)
    moved = VirtualClassFactory(booked_by=student, scheduled=True, start_time=later)
    move = partial(reschedule_class, class_id=moved.pk, actor=teacher, start=paid.start_time)
    return partial(move, displacing={paid.pk})


@pytest.fixture
def confirming_a_transfer(host, mercadopago, teacher):
    transfer = announce_with_lost_time(host, mercadopago)
    return partial(confirm_transfer, transfer_id=transfer.pk, actor=teacher)


@pytest.fixture
def erasing(student, teacher):
    return partial(erase_person, user=student, by=teacher)


@pytest.fixture
def merging_people(student, teacher):
    link = make_link(VirtualClassFactory(booked_by=write_lucia()))
    claim_class(user=student, token=link.token)
    return partial(confirm_claim, class_id=link.pk, by=teacher)


@pytest.fixture
def undoing_a_claim(merging_people, teacher):
    return partial(return_claim, class_id=VirtualClass.objects.get().pk, by=teacher)


DECISIONS = [
    "cancelling",
    "cancelling_an_open_class",
    "refunding",
    "taking_a_paid_time",
    "confirming_a_transfer",
    "erasing",
    "merging_people",
    "undoing_a_claim",
]


def everything():
    told = "pk", "status", "start_time", "booked_by", "purchases__paid_at"
    classes = VirtualClass.objects.order_by("pk").values(*told)
    counts = [model.objects.count() for model in (Refund, Notice, ClassLog, User)]
    return list(classes), counts


@pytest.mark.parametrize("decision", DECISIONS)
def test_the_teacher_brings_a_fresh_sign_in(request, student, decision):
    decide = request.getfixturevalue(decision)
    before = everything()

    with pytest.raises(FreshSignInNeededError):
        decide()
    after = everything()
    student.refresh_from_db()
    status = student.status
    decide(fresh_sign_in=True)

    assert (after, status) == (before, UserStatus.ACTIVE)
    student.refresh_from_db()
    assert everything() != before or student.status == UserStatus.ERASED


def test_cancelling_asks_only_if_money_goes_back(host, teacher):
    unpaid = VirtualClassFactory(booked_by=host)

    cancel_class(class_id=unpaid.pk, actor=teacher)

    assert VirtualClass.objects.get().status == ClassStatus.CANCELLED


def test_students_are_not_asked(paid, host):
    cancel_class(class_id=paid.pk, actor=host)

    assert Refund.objects.get().amount == PRICE


def test_a_transfer_that_pays_asks_nothing(host, mercadopago, teacher):
    transfer = announce_with_lost_time(host, mercadopago, is_lost=False)

    confirmed = confirm_transfer(transfer_id=transfer.pk, actor=teacher)

    assert confirmed.state == TransferState.CONFIRMED
