"""The teacher at her panel, on a Monday at noon."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.services import write_down
from bookings.domain.calendar.comparing import compare_all
from bookings.domain.calendar.repairing import record_drift
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.people.claiming import claim_class
from bookings.domain.places.joining import join_class
from bookings.domain.places.waiting_list import wait_for_place
from bookings.domain.sales.her_bookings import confirm_payment
from bookings.domain.sales.settling import settle
from bookings.models import (
    BankTransfer,
    Hold,
    Notice,
    NoticeKind,
    Payment,
    PriceDecision,
    Purchase,
    Refund,
    VirtualClass,
    make_link,
)
from bookings.models.sales.discount_code import DiscountCode
from tests.bookings import drifts
from tests.bookings.webhooks.conftest import (  # noqa: F401
    endpoint,
    new_receiver,
    receiver,
    sealed_endpoint,
)
from tests.discount_codes import DiscountCodeFactory
from tests.factories import HoldFactory, UserFactory, VirtualClassFactory
from tests.panel.moments import NOW
from tests.payments import make_payment
from tests.sales.open_classes import hold, publish
from tests.sales.transfers import announce, take_transfers
from tests.standins import Fault


@pytest.fixture
def noon() -> Iterator[None]:
    """Stop the clock on Monday, 16 November 2026, at noon."""
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def panel(teacher: User, sign_in: Callable[[User], Client]) -> Client:
    """The teacher's client."""
    return sign_in(teacher)


# --- The rows that the steps of the panel are tried on --------------------------------------------


@pytest.fixture
def scheduled(host, teacher):
    """Ana's group, in three days at noon, with a place for one guest."""
    start = timezone.localtime() + timedelta(days=3)
    start = start.replace(hour=12, minute=0, second=0, microsecond=0)
    pending = VirtualClassFactory(booked_by=host, start_time=start, max_participants=2)
    return schedule_class(preference_id=pending.preference_id)


@pytest.fixture
def full(scheduled, student):
    """The same, with Bruno in it and Zoe in line."""
    join_class(user=student, access_code=scheduled.access_code)
    wait_for_place(user=UserFactory(name="Zoe"), access_code=scheduled.access_code)
    return VirtualClass.objects.get(pk=scheduled.pk)


@pytest.fixture
def paid(host, mercadopago, teacher):
    """Ana's payment, approved and settled."""
    payment = make_payment(host)
    mercadopago.pay(payment.preference_id)
    settle(payment.preference_id)
    return Payment.objects.get(pk=payment.pk)


@pytest.fixture
def paid_twice(host, mercadopago, teacher):
    """Ana's payment of a class that the teacher had marked as paid."""
    payment = make_payment(host)
    confirm_payment(class_id=payment.purchase.virtual_class_id, actor=teacher)
    mercadopago.pay(payment.preference_id)
    settle(payment.preference_id)
    return Payment.objects.get(pk=payment.pk)


@pytest.fixture
def refused(paid, mercadopago):
    """Ana's payment, whose refund the provider refused."""
    mercadopago.fault("refunds.create", Fault.status(400))
    cancel_class(class_id=paid.purchase.virtual_class_id, actor=paid.purchase.person)
    return Payment.objects.get(pk=paid.pk)


@pytest.fixture
def promised(host, teacher):
    """The $ 15.000 of Ana's class that the teacher has to return."""
    booked = VirtualClassFactory(booked_by=host, scheduled=True, in_cash=timezone.now())
    cancel_class(class_id=booked.pk, actor=teacher)
    return Refund.objects.get()


@pytest.fixture
def drifted(scheduled, google):
    """Ana's class, whose event was moved by hand."""
    drifts.move(google, scheduled)
    [finding] = compare_all().findings
    record_drift(finding)
    return VirtualClass.objects.get(pk=scheduled.pk)


@pytest.fixture
def chosen(request, student):
    """The row that a step is tried on, and what is filled in."""
    take_transfers()

    def choose(model, name):
        if model is VirtualClass:
            return _choose_class(request, name)
        if model is BankTransfer:
            return announce(VirtualClassFactory(booked_by=request.getfixturevalue("host"))), {}
        if model is Payment and name == "quedarmelo":
            return request.getfixturevalue("paid_twice"), {}
        if model is Payment and name in {"probar", "en-efectivo"}:
            return request.getfixturevalue("refused"), {}
        if model is Refund:
            return request.getfixturevalue("promised"), {}
        if model is Payment:
            row = request.getfixturevalue("paid")
            return row, {"charge": row.charges.get().pk, "amount": "5.000"}
        if model is Hold:
            start = timezone.now() + timedelta(days=1)
            times = {"start_time": start, "end_time": start + timedelta(hours=1)}
            over = timezone.now() + timedelta(minutes=9)
            return HoldFactory(user=student, class_type="grupal", expires_at=over, **times), {}
        if model is DiscountCode:
            return DiscountCodeFactory(is_active=name == "frenar"), {}
        if model is Purchase:
            return hold(publish(request.getfixturevalue("teacher")), student), {}
        if model is Notice:
            sent = {"sent_at": timezone.now(), "next_attempt_at": None}
            return Notice.objects.create(user=student, kind=NoticeKind.GUESSING, **sent), {}
        status = "suspended" if name == "reactivar" else "active"
        User.objects.filter(pk=student.pk).update(status=status)
        return User.objects.get(pk=student.pk), {}

    return choose


def _choose_class(request, name):
    if name in {"pagada", "agendar"}:
        return VirtualClassFactory(booked_by=request.getfixturevalue("host")), {}
    if name == "seguir":
        return publish(request.getfixturevalue("teacher")).virtual_class, {}
    if name == "aceptar":
        waits = {"paid_at": timezone.now(), "price_decision": PriceDecision.WAITING}
        return VirtualClassFactory(booked_by=request.getfixturevalue("host"), **waits), {}
    if name in {"enlace", "misma-persona", "deshacer"}:
        return _choose_linked(request, name)
    row = request.getfixturevalue("drifted" if name == "reparar" else "full")
    given = {
        "mover": {"day": f"{timezone.localdate(row.start_time)}", "clock": "17:30"},
        "lugares": {"places": "4"},
        "espera": {"entry": row.waiting_list.first() and row.waiting_list.first().pk},
    }
    return row, given.get(name, {})


def _choose_linked(request, name):
    """Give a class of a person without an account; to decide about, one that Ana claimed."""
    link = make_link(VirtualClassFactory(booked_by=write_down(name="Lucía", phone="341 555 0199")))
    if name != "enlace":
        claim_class(user=request.getfixturevalue("host"), token=link.token)
    return VirtualClass.objects.get(pk=link.pk), {}
