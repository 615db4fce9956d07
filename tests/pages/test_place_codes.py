"""A discount code on the page of an open class."""

import pytest
from django.urls import reverse

from bookings.models import Purchase
from bookings.models.sales.discount_code import DiscountCode
from tests.discount_codes import DiscountCodeFactory
from tests.factories import OpenClassFactory
from tests.pages.texts import plain_text_of
from tests.sales.open_classes import PRICE

pytestmark = pytest.mark.django_db


@pytest.fixture
def reserve(mercadopago, sign_in, host):
    """Send the form of an open class with the code AMIGA, which takes half of its price."""
    DiscountCodeFactory(code="AMIGA", percent=50)
    address = reverse("bookings:reserve_place", args=[OpenClassFactory(place_price=PRICE).pk])
    return lambda **fields: sign_in(host).post(address, {"seen": PRICE, **fields})


def test_a_code_is_shown_before_anything_is_kept(reserve):
    shown = reserve(code="amiga", apply="1")
    assert "$ 4.000" in plain_text_of(shown)
    assert not Purchase.objects.exists()
    reserve(code="amiga", seen=PRICE // 2)

    place = Purchase.objects.get()
    assert (place.price, place.discount, place.payment.amount) == (
        PRICE // 2,
        PRICE // 2,
        PRICE // 2,
    )


def test_an_unknown_code_is_refused(reserve):
    page = plain_text_of(reserve(code="nada"))

    assert "Ese código no existe, ya se usó o ya no vale." in page
    assert not Purchase.objects.exists()


@pytest.mark.parametrize("seen", [PRICE, PRICE // 2])
def test_an_empty_code_that_is_applied_shows_the_list_price(reserve, seen):
    page = plain_text_of(reserve(code="", apply="1", seen=seen))

    assert "$ 8.000" in page
    assert not Purchase.objects.exists()


def test_a_repeat_with_a_code_that_the_place_has_gives_the_same_place(reserve):
    first = reserve(code="amiga", seen=PRICE // 2)

    again = reserve(code="amiga", seen=PRICE // 2)

    assert (again.status_code, again.url) == (first.status_code, first.url)


def test_a_code_that_was_stopped_meanwhile_is_refused_at_the_list_price(reserve):
    DiscountCode.objects.update(is_active=False)

    page = plain_text_of(reserve(code="amiga", seen=PRICE // 2))

    assert "Ese código no existe, ya se usó o ya no vale." in page
    assert "$ 4.000" not in page
    assert not Purchase.objects.exists()
