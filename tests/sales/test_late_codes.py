"""A code is used as often as it says, in whatever order places and classes are kept and paid."""

import os

import pytest

from bookings.domain.exceptions import HoldExpiredError
from bookings.domain.money.discounts import DiscountCodeError, has_lost_its_use, list_uses
from bookings.domain.sales.buying import hold_place, release_place
from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.settling import settle
from bookings.domain.sales.transfers import announce_transfer
from bookings.models import ClassLog, ClassStatus, Notice, Purchase, PurchaseState, RefundReason
from bookings.models.sales.discount_code import DiscountCode
from tests.discount_codes import DiscountCodeFactory
from tests.pages.texts import text_of
from tests.sales.open_classes import end_everything, in_days, pay, store
from tests.sales.transfers import keep, take_transfers

pytestmark = pytest.mark.django_db

# As a command: ORDERS=100 pytest tests/sales/test_late_codes.py
ORDERS = int(os.environ.get("ORDERS", "3"))


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


def test_a_class_that_the_calendar_refused_keeps_its_use(mercadopago, teacher, host, code):
    take_transfers()
    hold_id = keep(host, start=in_days(9)).pk
    booked = check_out_hold(user=host, hold_id=hold_id, students_count=1, typed_code=code.code)
    booked.scheduling_refusal = "calendar_refused"
    DiscountCode.objects.update(max_uses=0)

    assert not has_lost_its_use(booked.purchase)
