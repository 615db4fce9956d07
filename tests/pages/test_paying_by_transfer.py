"""Paying by transfer, as the student sees it."""

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse

from bookings.domain.sales.holds import PayWay, hold_slot
from bookings.domain.sales.transfers import confirm_transfer
from bookings.models import (
    BankTransfer,
    BookingRules,
    ClassType,
    MoneyWay,
    Payment,
    Price,
    Purchase,
    VirtualClass,
)
from tests.pages.moments import NOW, tuesday
from tests.pages.texts import text_of
from tests.sales.transfers import book

pytestmark = pytest.mark.usefixtures("agenda")

ALIAS = "clases.con.paula"


@pytest.fixture(autouse=True)
def _account(agenda):
    account = {"transfer_alias": ALIAS, "transfer_holder": "Paula Ferreyra"}
    BookingRules.objects.update_or_create(pk=BookingRules.SINGLETON, defaults=account)


@pytest.fixture
def client(host, sign_in):
    return sign_in(host)


@pytest.fixture
def booked(host, mercadopago):
    """Ana's class, to be paid by transfer."""
    return book(host, start=tuesday("10:00"))


@pytest.fixture
def details(host, mercadopago):
    """The address of the details of a held time."""
    hold = hold_slot(user=host, start=tuesday("10:00"), minutes=60, class_type=ClassType.INDIVIDUAL)
    return reverse("bookings:hold", args=[hold.pk])


def check_out(client, details, way="transferencia"):
    seen = client.get(details).context["form"].shown
    form = {"students_count": "1", "way": way, "seen": seen}
    return client.post(details, form, follow=way == "transferencia")


def page_of(client):
    booked = VirtualClass.objects.get()
    return text_of(client.get(reverse("bookings:class", args=[booked.pk])))


def announce(client, number="12345678"):
    address = reverse("bookings:transfer", args=[VirtualClass.objects.get().pk])
    return client.post(address, {"operation_number": number}, follow=True)


def test_the_details_offer_both_ways_and_say_how_long_the_time_is_kept(client, details):
    text = text_of(client.get(details))

    assert "Pagar con Mercado Pago" in text
    assert "Pagar por transferencia" in text
    assert "Si transferís, te guardamos el horario hasta las" in text
    assert "Si te sale gratis" not in text


def test_where_only_some_numbers_of_people_cost_nothing_the_page_says_both(
    client, host, mercadopago
):
    Price.objects.filter(class_type=ClassType.GROUP, students_up_to=3).update(amount=0)
    hold = hold_slot(user=host, start=tuesday("10:00"), minutes=60, class_type=ClassType.GROUP)

    text = text_of(client.get(reverse("bookings:hold", args=[hold.pk])))

    assert "<span data-total>Gratis</span>" in text
    assert "Si te sale gratis, la clase queda confirmada apenas la reservás." in text
    assert "Pagar con Mercado Pago" not in text
    assert "Si no te sale gratis, la pagás ahora con Mercado Pago." in text
    assert "Si hay que pagar, por transferencia" in text


def test_without_a_provider_the_time_is_kept_as_long_as_the_page_says(client, host):
    BookingRules.objects.update(transfer_hours=1)
    hold = hold_slot(user=host, start=tuesday("10:00"), minutes=60, class_type=ClassType.INDIVIDUAL)
    address = reverse("bookings:hold", args=[hold.pk])

    text = text_of(client.get(address))
    check_out(client, address)

    assert "Te guardamos el horario hasta las 13:00;" in text
    assert "Reservar y pagar por transferencia" in text
    assert "El alias y el monto están en la página que sigue." in text
    assert 'value="transferencia"' not in text
    assert Purchase.objects.get().kept_until == NOW.replace(hour=13)


def test_without_a_provider_a_refused_transfer_is_not_promised(client, host):
    hold = hold_slot(user=host, start=tuesday("10:00"), minutes=60, class_type=ClassType.INDIVIDUAL)
    BookingRules.objects.update(minimum_notice_minutes=43_200)

    text = text_of(client.get(reverse("bookings:hold", args=[hold.pk])))

    assert "El pago lo arreglás con tu profe" in text
    assert "ransfer" not in text


def test_without_an_account_nothing_of_it_shows(client, details):
    BookingRules.objects.update(transfer_alias="")

    text = text_of(client.get(details))

    assert "Pagar con Mercado Pago" in text
    assert "ransfer" not in text


def test_too_near_the_page_says_why(client, details):
    BookingRules.objects.update(minimum_notice_minutes=43_200)

    text = text_of(client.get(details))

    assert "Falta poco para la clase" in text
    assert 'value="transferencia"' not in text


def test_the_class_shows_alias_holder_amount_and_until_when(client, details):
    text = text_of(check_out(client, details))

    assert f'translate="no">{ALIAS}</span>' in text
    amount = VirtualClass.objects.get().class_price // 100
    assert f'data-copy="{amount}"' in text
    assert "Paula Ferreyra" in text
    assert "Número de operación" in text
    assert "Te guardamos este horario hasta las" in text
    assert not Payment.objects.exists()


def test_announcing_is_answered_on_the_page(client, booked):
    text = text_of(announce(client, "1234 5678"))

    assert "Falta que tu profe la confirme" in text
    assert "operación 12345678" in text
    assert "Ya transferí" not in text


@pytest.mark.parametrize("number", ["", "12", "\u0000123456"])
def test_a_shapeless_number_is_said_beside_the_field(client, booked, number):
    answer = announce(client, number)

    assert answer.status_code == 200
    assert "Revisá estos datos" in text_of(answer)
    assert not BankTransfer.objects.exists()


def test_a_confirmed_class_shows_its_link_and_no_way_to_pay(client, booked, teacher, google):
    announce(client)
    confirm_transfer(transfer_id=BankTransfer.objects.get().pk, actor=teacher)

    text = page_of(client)

    assert "Confirmada" in text
    assert "Transferencia avisada" not in text


def test_after_its_time_no_money_is_asked_for_or_announced(client, booked):
    with time_machine.travel(NOW + timedelta(days=1, minutes=1), tick=False):
        pages = [page_of(client), text_of(announce(client))]

    assert ["Ya no se guarda." in page for page in pages] == [True, True]
    assert ["Ya transferí" in page for page in pages] == [False, False]
    assert not BankTransfer.objects.exists()


def test_from_mercado_pago_to_a_transfer(client, details):
    check_out(client, details, way="online")
    text = page_of(client)
    assert "Pagar con Mercado Pago" in text
    assert "O pagar por transferencia" in text

    address = reverse("bookings:transfer", args=[VirtualClass.objects.get().pk])
    client.post(address, {"esperar": "1"})

    assert Purchase.objects.get().kept_for == MoneyWay.TRANSFER
    assert '<details class="pay-other" open>' in page_of(client)  # the way that was chosen
    with time_machine.travel(NOW + timedelta(hours=1), tick=False):
        # The checkout is over; the class is not.
        text = page_of(client)
        payment = reverse("bookings:payment", args=[Payment.objects.get().pk])
        assert client.get(payment).status_code == 302
    assert ALIAS in text
    assert "Pagar con Mercado Pago" not in text


def test_who_announced_a_transfer_is_not_asked_to_pay_again(client, host, mercadopago):
    book(host, start=tuesday("10:00"), way=PayWay.ONLINE)
    announce(client)

    text = page_of(client)

    assert "Transferencia avisada" in text
    assert "Pagar con Mercado Pago" not in text
    payment = reverse("bookings:payment", args=[Payment.objects.get().pk])
    assert client.get(payment).status_code == 302


def test_another_persons_class_is_not_found(booked, stranger, sign_in):
    address = reverse("bookings:transfer", args=[booked.pk])

    assert sign_in(stranger).post(address, {"operation_number": "12345678"}).status_code == 404
    assert not BankTransfer.objects.exists()
