"""A code is used as often as it says, in whatever order places and classes are kept and paid."""

import os
import random
from datetime import timedelta

import pytest

from bookings.domain.classes.cancelling import cancel_class, leave_class
from bookings.domain.exceptions import BookingError, HoldExpiredError
from bookings.domain.money.discounts import DiscountCodeError, has_lost_its_use, list_uses
from bookings.domain.sales import holds, transfers
from bookings.domain.sales.buying import hold_place, release_place
from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.holds import PayWay
from bookings.domain.sales.settling import settle
from bookings.domain.sales.transfers import (
    announce_transfer,
    confirm_transfer,
    refuse_transfer,
)
from bookings.models import (
    BankTransfer,
    ClassLog,
    ClassStatus,
    Hold,
    Notice,
    Payment,
    Purchase,
    PurchaseState,
    RefundReason,
    TransferState,
)
from bookings.models.sales.discount_code import DiscountCode
from tests.discount_codes import DiscountCodeFactory
from tests.factories import UserFactory
from tests.pages.texts import text_of
from tests.panel.steps import address_of
from tests.sales.open_classes import end_everything, in_days, pay, store
from tests.sales.transfers import is_given_back, keep, take_transfers

pytestmark = pytest.mark.django_db

# As a command: ORDERS=100 pytest tests/sales/test_late_codes.py
ORDERS = int(os.environ.get("ORDERS", "3"))
STEPS = 25


@pytest.fixture
def code(db) -> DiscountCode:
    return DiscountCodeFactory(code="MITAD", percent=50, max_uses=1)


def hold(user, open_class, code):
    return hold_place(user=user, open_class_id=open_class.pk, typed_code=code.code)


def is_refunded(payment):
    counting = payment.charges.filter(counts=True)
    asked = sum(one.amount for charge in counting for one in charge.refunds.all())
    return asked == payment.amount


def test_a_released_place_uses_its_code_while_it_can_be_paid(
    mercadopago, teacher, open_class, student, code
):
    place = hold(student, open_class, code)
    release_place(user=student, purchase_id=place.pk)

    with pytest.raises(DiscountCodeError):
        hold(student, store(teacher, start=in_days(8)), code)

    assert pay(mercadopago, place).state == PurchaseState.PAID
    assert list_uses().count() == 1


def test_a_place_paid_after_its_code_was_used_is_refunded_and_both_are_told(
    mercadopago, teacher, open_class, student, stranger, code, sign_in
):
    late = hold(student, open_class, code)
    end_everything()
    pay(mercadopago, hold(stranger, open_class, code))

    late = pay(mercadopago, late)

    assert late.state == PurchaseState.LOST
    assert late.refund_reason == RefundReason.CODE_USED_UP
    assert is_refunded(late.payment)
    page = sign_in(student).get(f"/inicio/lugares/{late.pk}")
    assert "El pago llegó cuando el código de descuento ya se había usado." in text_of(page)
    assert ClassLog.objects.get(event="seat_lost").reason == "El código ya se había usado"


def test_the_teacher_is_warned_before_she_marks_such_a_place_as_paid(
    mercadopago, teacher, open_class, student, stranger, code, sign_in
):
    late = hold(student, open_class, code)
    end_everything()
    pay(mercadopago, hold(stranger, open_class, code))

    page = sign_in(teacher).get(address_of(late, "pagado"))

    assert "Ojo: el código MITAD ya se usó todas las veces que vale." in text_of(page)


def test_a_voucher_keeps_the_use_of_a_place(mercadopago, teacher, open_class, student, code):
    place = hold(student, open_class, code)
    pay(mercadopago, place, status="pending", method="ticket")
    end_everything()

    assert list(list_uses()) == [place]


def test_a_class_paid_after_its_code_was_used_is_refunded_and_both_are_told(
    mercadopago, teacher, host, student, open_class, code
):
    take_transfers()
    booked = check_out_hold(
        user=host, hold_id=keep(host, start=in_days(9)).pk, students_count=1, typed_code=code.code
    )
    end_everything()
    pay(mercadopago, hold(student, open_class, code))

    mercadopago.pay(booked.preference_id)
    settle(booked.preference_id)

    booked.refresh_from_db()
    assert booked.status == ClassStatus.CANCELLED
    assert booked.purchase.refund_reason == RefundReason.CODE_USED_UP
    assert is_refunded(booked.purchase.payment)
    told = Notice.objects.filter(virtual_class=booked).values_list("kind", "user")
    assert {("cancelled", host.pk), ("money_back", teacher.pk)} <= set(told)


def test_a_class_that_had_lost_its_time_has_lost_its_use(
    mercadopago, teacher, host, student, open_class, code
):
    take_transfers()
    booked = check_out_hold(
        user=host, hold_id=keep(host, start=in_days(9)).pk, students_count=1, typed_code=code.code
    )
    booked.scheduling_refusal = "slot_taken"
    booked.save()
    Purchase.objects.filter(virtual_class=booked).update(state=PurchaseState.LAPSED)
    pay(mercadopago, hold(student, open_class, code))

    mercadopago.pay(booked.preference_id)  # in time, and the time is free again
    settle(booked.preference_id)

    booked.refresh_from_db()
    assert (booked.status, booked.purchase.refund_reason) == (
        "cancelled",
        RefundReason.CODE_USED_UP,
    )


@pytest.mark.parametrize("kind", ["class", "place"])
def test_a_transfer_is_not_announced_after_its_code_was_used(
    mercadopago, teacher, host, student, open_class, code, kind
):
    take_transfers()
    if kind == "place":
        purchase = hold(host, open_class, code)
    else:
        hold_id = keep(host, start=in_days(9)).pk
        purchase = check_out_hold(
            user=host, hold_id=hold_id, students_count=1, typed_code=code.code
        ).purchase
    end_everything()
    pay(mercadopago, hold(student, open_class, code))

    with pytest.raises(HoldExpiredError):
        announce_transfer(user=host, purchase=purchase, operation_number="12345678")


def test_a_lower_limit_takes_no_use_away_that_is_kept(mercadopago, open_class, student, code):
    place = hold(student, open_class, code)
    DiscountCode.objects.update(max_uses=0)

    assert pay(mercadopago, place).state == PurchaseState.PAID


def test_a_class_that_the_calendar_refused_keeps_its_use(mercadopago, teacher, host, code):
    take_transfers()
    hold_id = keep(host, start=in_days(9)).pk
    booked = check_out_hold(user=host, hold_id=hold_id, students_count=1, typed_code=code.code)
    booked.scheduling_refusal = "calendar_refused"
    DiscountCode.objects.update(max_uses=0)

    assert not has_lost_its_use(booked.purchase)


# --- Under attack ---------------------------------------------------------------------------------


class Attack:
    """People who use two codes in any order; a step that the service refuses changes nothing."""

    def __init__(self, seed, mercadopago, teacher):
        self.random, self.mercadopago, self.teacher = random.Random(seed), mercadopago, teacher
        self.people = UserFactory.create_batch(3)
        self.codes = [
            DiscountCodeFactory(percent=50, max_uses=2, once_per_person=False),
            DiscountCodeFactory(percent=50, max_uses=None, once_per_person=True),
        ]
        self.open_classes = [store(teacher, start=in_days(7 + day)) for day in range(3)]
        self.hours = iter(range(1, 1000))

    def step(self):
        steps = [self.hold, self.hold, self.book, self.release, self.pay, self.pay, self.voucher]
        steps += [self.announce, self.decide, self.leave, self.wait]
        try:
            self.random.choice(steps)()
        except BookingError:
            return

    def pick(self, rows):
        rows = list(rows)
        return self.random.choice(rows) if rows else None

    def hold(self):
        user, code = self.random.choice(self.people), self.random.choice(self.codes)
        hold(user, self.random.choice(self.open_classes), code)

    def book(self):
        user, code = self.random.choice(self.people), self.random.choice(self.codes)
        Hold.objects.chosen().filter(user=user).delete()  # of a refused step
        start = in_days(20) + timedelta(hours=next(self.hours))
        way = self.random.choice(list(PayWay))
        check_out_hold(
            user=user,
            hold_id=keep(user, start=start).pk,
            students_count=1,
            typed_code=code.code,
            way=way,
        )

    def release(self):
        if place := self.pick(Purchase.objects.places().filter(state=PurchaseState.KEPT)):
            release_place(user=place.person, purchase_id=place.pk)

    def pay(self):
        """At any time, also of what was given up, and after the preference ended."""
        if payment := self.pick(Payment.objects.filter(approved_at=None)):
            self.mercadopago.pay(payment.preference_id)
            settle(payment.preference_id)

    def voucher(self):
        if payment := self.pick(Payment.objects.filter(approved_at=None)):
            self.mercadopago.pay(payment.preference_id, "pending", method="ticket")
            settle(payment.preference_id)

    def announce(self):
        if purchase := self.pick(Purchase.objects.filter(discount_code__isnull=False)):
            whose = {"user": purchase.person, "purchase": purchase}
            announce_transfer(operation_number="12345678", **whose)

    def decide(self):
        announced = BankTransfer.objects.filter(state=TransferState.ANNOUNCED)
        if transfer := self.pick(announced):
            decide = self.random.choice([confirm_transfer, refuse_transfer])
            decide(transfer_id=transfer.pk, actor=self.teacher)

    def leave(self):
        classes = Purchase.objects.classes().filter(discount_code__isnull=False)
        paid = Purchase.objects.places().filter(state=PurchaseState.PAID)
        if purchase := self.pick([*classes, *paid]):
            give_up = leave_class if purchase.is_place else self.cancel
            give_up(class_id=purchase.virtual_class_id, user=purchase.person)

    def cancel(self, class_id, user):
        cancel_class(class_id=class_id, actor=user)

    def wait(self):
        end_everything()

    def list_paid_uses(self, code):
        """Return the person of each purchase that has the code and its money."""
        paid = Purchase.objects.filter(discount_code=code, state=PurchaseState.PAID)
        return list(paid.values_list("person", flat=True))

    def check(self):
        often, once = map(self.list_paid_uses, self.codes)
        assert len(often) <= 2
        assert len(once) == len(set(once))
        for payment in Payment.objects.filter(approved_at__isnull=False):
            purchase = payment.purchase
            is_given = purchase.state == PurchaseState.PAID and purchase.booked_class.is_scheduled
            assert is_given or is_refunded(payment)
        lost = BankTransfer.objects.came().exclude(purchase__state=PurchaseState.PAID)
        assert all(map(is_given_back, lost))


@pytest.mark.parametrize("seed", range(ORDERS))
def test_codes_under_attack(seed, mercadopago, google, teacher, settings, monkeypatch):
    settings.MAX_UNPAID_HOLDS = settings.MAX_BOOKINGS = settings.MAX_WRONG_CODES = 1000
    settings.MAX_CHANGES = 1000
    monkeypatch.setattr(holds, "MAX_LAPSED", 1000)
    monkeypatch.setattr(transfers, "MAX_WAITING", 1000)
    monkeypatch.setattr(transfers, "MAX_A_DAY", 1000)
    take_transfers()
    attack = Attack(seed, mercadopago, teacher)

    for _ in range(STEPS):
        attack.step()
        attack.check()
