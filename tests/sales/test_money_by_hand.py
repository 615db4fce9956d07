"""What goes back, online and by the teacher's hand, of a class or place that she was paid for."""

import pytest
from django.urls import reverse

from bookings.domain.classes.cancelling import cancel_class, find_money_of_place, leave_class
from bookings.domain.money.takings import find_balance
from bookings.domain.places.joining import join_class
from bookings.domain.sales.buying import pay_place_by_hand
from bookings.domain.sales.her_bookings import confirm_payment
from bookings.domain.sales.transfers import confirm_transfer
from bookings.models import (
    Notice,
    NoticeKind,
    Payment,
    Refund,
    RefundReason,
    ReviewReason,
    VirtualClass,
)
from bookings.notices.rendering import render_mail
from tests.bookings.settling.steps import look
from tests.pages.texts import text_of
from tests.payments import PRICE, make_payment
from tests.sales.open_classes import PRICE as PLACE_PRICE
from tests.sales.open_classes import hold, publish, read
from tests.sales.transfers import announce, take_transfers

PART = 1_000_000
REST = PRICE - PART


@pytest.fixture
def payment(mercadopago, host, teacher) -> Payment:
    take_transfers()
    return make_payment(host)


@pytest.fixture
def in_two_parts(payment, mercadopago, teacher) -> VirtualClass:
    """Ana's class of $ 24.000: $ 10.000 came online, and the rest in cash."""
    mercadopago.pay(payment.preference_id, amount=PART / 100)
    paid = look(payment)
    return confirm_payment(class_id=paid.purchase.virtual_class_id, actor=teacher)


def refunds() -> list[tuple[int, str]]:
    return list(Refund.objects.filter(way="online").values_list("amount", "reason"))


def told(kind: NoticeKind, user) -> str:
    mail = Notice.objects.get(kind=kind, user=user)
    return render_mail(mail).body.replace("\xa0", " ")


def page(client, name: str, *args) -> str:
    return text_of(client.get(reverse(name, args=args)))


def test_each_part_goes_back_the_way_it_came(in_two_parts, payment, host, teacher, sign_in):
    asked = page(sign_in(host), "bookings:cancel", in_two_parts.pk)

    cancel_class(class_id=in_two_parts.pk, actor=host)
    at_once = find_balance(host)
    seen = look(payment)

    assert refunds() == [(PART, RefundReason.CANCELLED)]
    assert seen.review != ReviewReason.PAID_TWICE
    assert (at_once.by_hand, at_once.to_return) == (REST, REST)
    assert "Te devolvemos $ 10.000" in asked
    shown = page(sign_in(teacher), "admin:class_sheet", in_two_parts.pk)
    for text, said in [
        (asked, "Tu profe te devuelve $ 14.000"),
        (shown, "Te toca devolver $ 14.000"),
        (told(NoticeKind.STUDENT_CANCELLED, teacher), "Para devolver: $ 14.000"),
        (told(NoticeKind.CANCELLED, host), "Tu profe te devuelve $ 14.000"),
    ]:
        assert said in text
    balance = find_balance(host)
    assert (balance.online, balance.by_hand, balance.to_return) == (PART, REST, REST)


def test_a_place_paid_in_two_parts_goes_back_in_two(mercadopago, teacher, host, sign_in):
    open_class = publish(teacher)
    place = hold(open_class, host)
    mercadopago.pay(place.payment.preference_id, amount=3_000)
    look(place.payment)
    pay_place_by_hand(purchase_id=place.pk, actor=teacher)

    money = find_money_of_place(read(place))
    leave_class(class_id=open_class.pk, user=host, kept=0)

    assert (money.online, money.by_hand, money.kept) == (300_000, PLACE_PRICE - 300_000, 0)
    sheet = page(sign_in(teacher), "admin:class_sheet", open_class.pk)
    assert "Te toca devolver $ 5.000" in sheet
    assert refunds() == [(300_000, RefundReason.CANCELLED)]


@pytest.mark.parametrize("amount", [PART, PRICE])
@pytest.mark.parametrize("is_late", [False, True], ids=["before cancelling", "after"])
def test_a_voucher_that_is_paid_after_the_cash_is_a_second_payment(
    payment, mercadopago, host, teacher, amount, is_late
):
    voucher = mercadopago.pay(
        payment.preference_id, "pending", method="ticket", amount=amount / 100
    )
    look(payment)
    confirm_payment(class_id=payment.purchase.virtual_class_id, actor=teacher)

    for is_cancelled in (False, True):
        if is_cancelled == is_late:
            mercadopago.settle(voucher["id"], "approved")
            look(payment)
        if not is_cancelled:
            cancel_class(class_id=payment.purchase.virtual_class_id, actor=host)

    assert refunds() == [(amount, RefundReason.PAID_TWICE)]
    assert find_balance(host).to_return == PRICE


def test_only_who_paid_reads_what_goes_back(payment, host, student, teacher):
    transfer = announce(payment.purchase.virtual_class)
    confirm_transfer(transfer_id=transfer.pk, actor=teacher)
    code = VirtualClass.objects.get().access_code
    join_class(user=student, access_code=code)

    cancel_class(class_id=payment.purchase.virtual_class_id, actor=host)

    assert "Tu profe te devuelve $ 24.000" in told(NoticeKind.CANCELLED, host)
    assert "$" not in told(NoticeKind.CANCELLED, student)
