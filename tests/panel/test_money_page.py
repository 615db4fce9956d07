"""The page of the teacher's money."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse

from bookings.domain.sales.settling import settle
from bookings.models import Payment, PaymentStatus, ReviewReason
from tests.factories import VirtualClassFactory
from tests.panel.moments import NOW
from tests.panel.steps import address_of
from tests.payments import make_paid_class, make_payment
from tests.sales.open_classes import hold, publish

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]

MONEY = reverse("admin:money")


def sections(page: str) -> dict[str, str]:
    found = re.findall(r'<section [^>]*aria-labelledby="(\w+)">(.*?)</section>', page, re.DOTALL)
    return {name: re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text)) for name, text in found}


def test_payment_to_review_comes_first(panel, mercadopago, teacher, host, student):
    make_paid_class(host, mercadopago)
    flagged = make_payment(student, days=8)
    Payment.objects.filter(pk=flagged.pk).update(
        status=PaymentStatus.APPROVED, review=ReviewReason.SHORT
    )

    page = sections(panel.get(MONEY).content.decode().replace("\xa0", " "))

    assert list(page) == ["review", "months", "latest"]
    assert "Bruno Student $ 24.000" in page["review"]
    assert "Pagaron de menos" in page["review"]
    assert "Ana Host $ 24.000" in page["latest"]
    assert "Pagada" in page["latest"]


def test_started_and_expired_payments_are_left_out(panel, mercadopago, host, student):
    for person, status in ((host, PaymentStatus.CREATED), (student, PaymentStatus.EXPIRED)):
        payment = make_payment(person)
        Payment.objects.filter(pk=payment.pk).update(status=status)

    page = sections(panel.get(MONEY).content.decode())

    assert "Todavía no hay pagos" in page["latest"]


def test_months_without_money_are_there_too(panel):
    VirtualClassFactory(in_cash=NOW, class_price=2_000_000)

    months = sections(panel.get(MONEY).content.decode().replace("\xa0", " "))["months"]

    assert re.findall(r"([A-Z]\w+) \$ ([\d.]+)", months) == [
        ("Noviembre", "20.000"),
        ("Octubre", "0"),
        ("Septiembre", "0"),
        ("Agosto", "0"),
    ]


@pytest.mark.parametrize("count", [1, 3])
def test_page_costs_the_same_with_many_payments(
    panel, mercadopago, host, django_assert_num_queries, count
):
    for day in range(count):
        make_payment(host, days=7 + day)
    Payment.objects.update(status=PaymentStatus.APPROVED, review=ReviewReason.SHORT)

    # Session, the takings, refunds by hand, payments to review and the latest with their money.
    with django_assert_num_queries(13):
        panel.get(MONEY)


def test_the_payment_of_a_place_is_not_without_a_booking(panel, mercadopago, teacher, google):
    payment = hold(
        publish(teacher, start=NOW + timedelta(7), decides_at=NOW + timedelta(6))
    ).payment
    mercadopago.pay(payment.preference_id)
    settle(payment.preference_id)

    pages = [
        MONEY,
        reverse("admin:bookings_payment_changelist"),
        reverse("admin:bookings_payment_change", args=[payment.pk]),
        address_of(payment, "devolver-todo"),
    ]
    shown = [panel.get(page).content.decode().lower() for page in pages]

    assert ["sin reserva" in page for page in shown] == [False] * len(pages)
    assert "no saca a nadie de la clase" in shown[-1]
