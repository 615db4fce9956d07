"""A policy of two steps: half goes back between the cut-off and two hours before the class.

Whatever steps the service has, this shows that pages and money follow ``LATER_STEPS`` alone.
"""

import re
from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from bookings.domain.sales.buying import pay_place_by_hand
from bookings.domain.sales.settling import settle
from bookings.models import (
    BookingRules,
    ClassStatus,
    Hold,
    Purchase,
    PurchaseState,
    Refund,
    RefundStep,
    VirtualClass,
    change_terms,
)
from tests.factories import HoldFactory, OpenClassFactory, VirtualClassFactory
from tests.half import Half
from tests.pages.moments import NOW
from tests.pages.texts import text_of
from tests.payments import PRICE, make_paid_class
from tests.sales.open_classes import hold as hold_place
from tests.sales.open_classes import pay

pytestmark = pytest.mark.usefixtures("agenda")

START = NOW + timedelta(days=7)  # a Monday at noon
FULL, HALF, NOTHING = timedelta(hours=25), timedelta(hours=3), timedelta(hours=1)


@pytest.fixture(autouse=True)
def two_steps(monkeypatch):
    monkeypatch.setattr(change_terms, "LATER_STEPS", [RefundStep(timedelta(hours=2), Half())])


@pytest.fixture
def paid(host, mercadopago, teacher) -> VirtualClass:
    return make_paid_class(host, mercadopago)


@pytest.fixture
def place(host, mercadopago, teacher) -> Purchase:
    """Ana's place in the teacher's open class, held."""
    booked = VirtualClassFactory(
        scheduled=True,
        is_sold=False,
        booked_by=teacher,
        start_time=START,
        max_participants=7,
        class_price=0,
        has_preference=False,
    )
    return hold_place(OpenClassFactory(virtual_class=booked, place_price=PRICE), host)


def before(lead: timedelta) -> time_machine.travel:
    return time_machine.travel(START - lead, tick=False)


def address(name: str, row: VirtualClass | Hold | Purchase) -> str:
    return reverse(f"bookings:{name}", args=[row.pk])


@pytest.mark.parametrize(
    ("lead", "said"),
    [
        (
            FULL,
            "Podés cambiar el horario hasta el "
            "<strong>domingo 29 de noviembre a las 12:00</strong>. "
            "Podés cancelar hasta el <strong>lunes 30 de noviembre a las 10:00</strong>.",
        ),
        (HALF, "<p> Podés cancelar hasta el <strong>lunes 30 de noviembre a las 10:00</strong>."),
        (NOTHING, "Se podía cancelar hasta el lunes 30 de noviembre a las 10:00."),
    ],
    ids=["in time", "half", "late"],
)
def test_the_class_says_what_can_still_be_done(paid, host, sign_in, lead, said):
    client = sign_in(host)
    with before(lead):
        page = text_of(client.get(address("class", paid)))

    assert said in page
    assert (address("reschedule", paid) in page) == (lead == FULL)
    assert (address("cancel", paid) in page) == (lead != NOTHING)


def test_half_of_a_class_goes_back_and_nothing_more(paid, host, sign_in, mercadopago):
    client = sign_in(host)
    with before(HALF):
        asked = text_of(client.get(address("cancel", paid)))
        refused = client.get(address("reschedule", paid), follow=True)
        client.post(address("cancel", paid), {"kept": PRICE // 2})
        settle(paid.preference_id)

    assert "Te devolvemos $ 12.000 al medio con que pagaste" in asked
    assert "No se devuelven $ 12.000: ya pasó el plazo." in asked
    assert f'name="kept" value="{PRICE // 2}"' in asked
    assert "Ya pasó el plazo para ese cambio." in text_of(refused)
    assert [refund.amount for refund in Refund.objects.all()] == [PRICE // 2]
    assert VirtualClass.objects.get().status == ClassStatus.CANCELLED


@pytest.mark.parametrize("shown", ["", "0", f"{PRICE // 2 - 1}", "-1", "x", "9" * 5_000])
def test_a_class_is_not_cancelled_for_less_than_its_page_said(paid, host, sign_in, shown):
    client = sign_in(host)
    with before(HALF):
        page = client.post(address("cancel", paid), {"kept": shown}, follow=True)

    assert "Mientras tanto cambió lo que te devolvemos." in text_of(page)
    assert "Te devolvemos $ 12.000 al medio con que pagaste" in text_of(page)
    assert VirtualClass.objects.get().is_scheduled
    assert not Refund.objects.exists()


def test_half_of_a_place_goes_back_and_nothing_more(place, host, sign_in, mercadopago):
    pay(mercadopago, place)
    client = sign_in(host)
    with before(HALF):
        asked, stayed = leave_as_asked(client, place)
        left = text_of(client.get(address("place", place)))

    assert "Te devolvemos $ 12.000 al medio con que pagaste" in asked
    assert "No se devuelven $ 12.000: ya pasó el plazo." in asked
    assert stayed == PurchaseState.PAID
    assert "No se devuelven $ 12.000: ya pasó el plazo." in left
    assert [refund.amount for refund in Refund.objects.all()] == [PRICE // 2]


def test_half_of_a_place_paid_by_hand_goes_back_by_hand(place, host, teacher, sign_in):
    pay_place_by_hand(purchase_id=place.pk, actor=teacher)
    with before(HALF):
        asked, stayed = leave_as_asked(sign_in(host), place)

    assert "La profe te devuelve $ 12.000" in asked
    assert stayed == PurchaseState.PAID
    place.refresh_from_db()
    assert (place.state, place.amount_kept) == (PurchaseState.ENDED, PRICE // 2)


def leave_as_asked(client: Client, place: Purchase) -> tuple[str, str]:
    """Give the page's text, and the place's state after a page of before; leave it by this page."""
    leave = reverse("bookings:leave", args=[place.virtual_class_id])
    asked = text_of(client.get(leave))
    earlier = client.post(leave, {"kept": "0"}, follow=True)
    assert "Mientras tanto cambió lo que te devolvemos." in text_of(earlier)
    state = Purchase.objects.get(pk=place.pk).state
    [kept] = re.findall(r'name="kept" value="(\d+)"', asked)
    client.post(leave, {"kept": kept})
    return asked, state


def test_a_step_before_the_teacher_s_cut_off_does_not_count(paid, host, sign_in, client):
    BookingRules(change_cutoff_minutes=60).save()
    with before(timedelta(minutes=90)):
        page = text_of(sign_in(host).get(address("class", paid)))

    assert (
        "Podés cancelar o cambiar el horario hasta el "
        "<strong>lunes 30 de noviembre a las 11:00</strong>."
    ) in page
    assert address("cancel", paid) in page
    assert "50 %" not in text_of(client.get("/"))


def test_the_steps_are_told_before_paying(host, sign_in, client, place):
    chosen = HoldFactory(
        user=host,
        class_type="individual",
        start_time=START + timedelta(hours=2),
        end_time=START + timedelta(hours=3),
        expires_at=NOW + timedelta(minutes=15),
    )

    details = text_of(sign_in(host).get(address("hold", chosen)))
    published = text_of(client.get(reverse("bookings:open_class", args=[place.virtual_class_id])))
    front = text_of(client.get("/"))

    assert (
        "Si cancelás la clase hasta el <strong>domingo 29 de noviembre a las 14:00</strong>, te "
        "devolvemos todo. Hasta el <strong>lunes 30 de noviembre a las 12:00</strong>, te "
        "devolvemos el 50 %. Después, nada."
    ) in details
    assert (
        "Si dejás tu lugar hasta el <strong>domingo 29 de noviembre a las 12:00</strong>, te "
        "devolvemos todo. Hasta el <strong>lunes 30 de noviembre a las 10:00</strong>, te "
        "devolvemos el 50 %."
    ) in published
    assert "Cambiás el horario hasta 24 horas antes" in front
    assert "Si cancelás hasta 24 horas antes, te devolvemos todo" in front
    assert "Si cancelás hasta 2 horas antes, te devolvemos el 50 %" in front
