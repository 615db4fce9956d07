"""History and webhooks of a sale name its offer, its prices and its discount code."""

import json
from datetime import timedelta

import pytest

from bookings.domain.classes.booking import BookingRequest, book_class
from bookings.domain.money.prices import Quote
from bookings.domain.people.claiming import claim_class, return_claim
from bookings.domain.sales.buying import hold_place, pay_place_by_hand
from bookings.domain.sales.her_bookings import confirm_payment
from bookings.models import ClassEvent, WebhookEvent
from bookings.panel.classes.class_timeline import build_timeline
from bookings.webhooks.events import announce_events
from tests.bookings.webhooks.factories import WebhookEndpointFactory
from tests.discount_codes import DiscountCodeFactory, less
from tests.sales.offers import make_offer
from tests.sales.open_classes import publish
from tests.sales.written_down import START, book_class_for, write_lucia

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _endpoint(db):
    WebhookEndpointFactory()


@pytest.fixture
def code(db):
    return DiscountCodeFactory(code="AMIGOS", percent=10)


@pytest.fixture
def sold(host, code):
    """A class of an offer, with a discount."""
    end = START + timedelta(hours=1)
    request = BookingRequest(
        Quote(START, end, is_group_class=False, students_count=1, price=1_620_000),
        preference_id=None,
        offer=make_offer(),
        sale=less(code, 180_000),
    )
    return book_class(user=host, request=request)


def told():
    """Return the data of each webhook by its type, and whether any names the code."""
    announce_events()
    bodies = list(WebhookEvent.objects.values_list("body", flat=True))
    assert not [one for one in bodies if "AMIGOS" in one]
    return {one["type"]: one["data"] for one in map(json.loads, bodies)}


def details_of(virtual_class, event):
    position = list(virtual_class.log.values_list("event", flat=True)).index(event)
    return build_timeline(virtual_class)[position].details.replace("\xa0", " ")


def test_the_events_of_a_class_say_what_was_sold(sold, code, teacher):
    confirm_payment(class_id=sold.pk, actor=teacher)

    data = told()["class.scheduled"]["class"]
    assert (data["classPrice"], data["listPrice"], data["amountPaid"]) == (
        1_620_000,
        1_800_000,
        1_620_000,
    )
    assert data["offer"] == {"id": str(sold.offer_id), "name": "Preparación de examen"}
    assert data["discount"] == {
        "id": str(code.pk),
        "percent": 10,
        "fixedAmount": None,
        "amount": 180_000,
    }


def test_the_events_of_a_place_say_what_was_sold(student, teacher):
    DiscountCodeFactory(code="AMIGOS", percent=None, amount=100_000)
    open_class = publish(teacher)
    place = hold_place(user=student, open_class_id=open_class.pk, typed_code="amigos")
    pay_place_by_hand(purchase_id=place.pk, actor=teacher)

    data = told()["seat.paid"]
    assert (data["amount"], data["listPrice"]) == (700_000, 800_000)
    assert (data["discount"]["fixedAmount"], data["discount"]["amount"]) == (100_000, 100_000)
    details = details_of(open_class.virtual_class, ClassEvent.SEAT_PAID)
    assert details.endswith("código AMIGOS: $ 1.000 menos")


def test_a_class_that_she_books_its_claim_and_the_way_back_are_told(student, teacher):
    booked = book_class_for(write_lucia(), teacher)
    lucia = booked.booked_by_id
    claim_class(user=student, token=booked.link.token)
    return_claim(class_id=booked.pk, by=teacher, fresh_sign_in=True)

    data = told()
    people = [data[f"class.{one}"]["userId"] for one in ("booked_for", "claimed", "unclaimed")]
    assert people == [str(lucia), str(student.pk), str(student.pk)]
    booked.refresh_from_db()
    assert data["class.unclaimed"]["class"]["bookedById"] == str(lucia)
    assert build_timeline(booked)[-1].text == ("Volvió atrás: salió de la cuenta de Bruno Student")
