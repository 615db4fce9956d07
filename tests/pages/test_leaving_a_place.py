"""``/inicio/clases/<id>/dejar``: what a person who leaves a paid place reads and gets back."""

import re

import pytest
from django.urls import reverse

from bookings.domain.classes.cancelling import leave_class
from bookings.domain.money.refunds import request_partial_refund, request_refund, send_due_refunds
from bookings.domain.sales.buying import pay_place_by_hand
from bookings.domain.sales.settling import settle
from bookings.models import BookingRules, PurchaseState, RefundReason
from tests.pages.texts import plain_text_of
from tests.sales.open_classes import PRICE, hold, pay, publish, read
from tests.standins import Fault

pytestmark = pytest.mark.django_db


@pytest.fixture
def open_class(mercadopago, teacher):
    """Six places next week at $ 8.000 each."""
    return publish(teacher)


@pytest.fixture
def ana(sign_in, host):
    return sign_in(host)


def test_leaving_refunds_what_the_page_said(ana, host, mercadopago, open_class):
    place = pay(mercadopago, hold(open_class, host))
    address = reverse("bookings:leave", args=[open_class.pk])
    page = ana.get(address)
    assert "Te devolvemos $ 8.000" in plain_text_of(page)

    allow_changes_until(30)  # too late by now, and the page has not said so
    for kept in ("0", "", "x", "9" * 5_000):
        ana.post(address, {"kept": kept})
    assert read(place).state == PurchaseState.PAID
    allow_changes_until(1)
    ana.post(address, {"kept": "0"})

    assert read(place).state == PurchaseState.ENDED
    assert len(mercadopago.refunds) == 1
    assert "Dejaste tu lugar" in plain_text_of(ana.get(reverse("bookings:place", args=[place.pk])))


@pytest.mark.parametrize("days", [1, 30], ids=["in time", "late"])
def test_a_place_paid_twice_can_be_left(ana, host, teacher, mercadopago, open_class, days):
    place = hold(open_class, host)
    pay_place_by_hand(purchase_id=place.pk, actor=teacher)
    pay(mercadopago, place)
    allow_changes_until(days)
    address = reverse("bookings:leave", args=[open_class.pk])
    shown = ana.get(address)
    page = plain_text_of(shown)
    assert "Te devolvemos $ 8.000 al medio" in page
    assert ("Tu profe te devuelve $ 8.000" in page) == (days == 1)

    [kept] = re.findall(r'name="kept" value="(\d+)"', shown.text)
    ana.post(address, {"kept": kept})

    assert read(place).state == PurchaseState.ENDED
    assert len(mercadopago.refunds) == 1


def test_a_refused_refund_is_requested_again_when_the_place_is_left(
    ana, host, mercadopago, teacher, open_class
):
    place = pay(mercadopago, hold(open_class, host))
    fail_a_refund(mercadopago, place, teacher)

    leave_as_shown(ana, open_class, "Te devolvemos $ 8.000 al medio")

    assert read(place).state == PurchaseState.ENDED
    assert [refund["amount"] for refund in mercadopago.refunds] == [PRICE / 100]


def test_a_second_payment_whose_refund_was_refused_is_the_teachers_to_decide(
    ana, host, mercadopago, teacher, open_class
):
    place = hold(open_class, host)
    pay_place_by_hand(purchase_id=place.pk, actor=teacher)
    pay(mercadopago, place)
    fail_a_refund(mercadopago, place, teacher)

    page = leave_as_shown(ana, open_class, "Tu profe te devuelve $ 8.000")

    assert "al medio con que" not in page
    assert mercadopago.refunds == []


def fail_a_refund(mercadopago, place, teacher):
    mercadopago.fault("refunds.create", Fault.status(400, body={"error": "bad", "cause": []}))
    charge = read(place).payment.charges.get()
    request_partial_refund(
        charge_id=charge.pk, amount=PRICE, left=PRICE, by=teacher, fresh_sign_in=True
    )
    send_due_refunds()


def leave_as_shown(client, open_class, said):
    address = reverse("bookings:leave", args=[open_class.pk])
    shown = client.get(address)
    assert said in plain_text_of(shown)
    [kept] = re.findall(r'name="kept" value="(\d+)"', shown.text)
    client.post(address, {"kept": kept})
    return plain_text_of(shown)


@pytest.mark.parametrize(
    ("days", "kept"),
    [(1, ""), (30, "No se devuelven $ 4.000")],
    ids=["in time", "late"],
)
def test_a_place_of_which_half_was_given_back_is_left(
    ana, host, teacher, mercadopago, open_class, days, kept
):
    place = pay(mercadopago, hold(open_class, host))
    payment = place.payment
    request_refund(payment=payment, reason=RefundReason.BY_TEACHER, keep=PRICE // 2, by=teacher)
    send_due_refunds()
    settle(payment.preference_id)
    allow_changes_until(days)

    leave_class(class_id=open_class.pk, user=host)

    page = plain_text_of(ana.get(reverse("bookings:place", args=[place.pk])))
    assert (kept in page, "No se devuelven" in page) == (True, bool(kept))
    # Given back before, on leaving or kept, and in the line.
    assert page.count("$ 4.000") == (3 if kept else 2)


def allow_changes_until(days):
    rules = {"change_cutoff_minutes": days * 24 * 60}
    BookingRules.objects.update_or_create(pk=BookingRules.SINGLETON, defaults=rules)
