"""A discount code from the details of a kept time to the class and its payment."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from bookings.domain.exceptions import PriceChangedError
from bookings.domain.money.discounts import DiscountCodeError, list_uses
from bookings.domain.sales import checkout
from bookings.domain.sales.checkout import check_out_hold
from bookings.models import ClassType, Hold, Payment, Price, Purchase, VirtualClass
from bookings.models.sales.discount_code import DiscountCode
from tests.discount_codes import DiscountCodeFactory
from tests.factories import HoldFactory
from tests.pages.moments import tuesday
from tests.pages.texts import text_of

pytestmark = pytest.mark.usefixtures("agenda")

PRICE = 1_500_000


@pytest.fixture
def code(db) -> DiscountCode:
    return DiscountCodeFactory(code="AMIGOS", percent=10, max_uses=1)


def keep(user, start="10:00", class_type=ClassType.INDIVIDUAL) -> Hold:
    return HoldFactory(user=user, start_time=tuesday(start), class_type=class_type)


def check_out(hold, **options) -> VirtualClass:
    return check_out_hold(user=hold.user, hold_id=hold.pk, students_count=1, **options)


# --- Booking --------------------------------------------------------------------------------------


def test_the_class_and_its_payment_have_the_discounted_price(mercadopago, host, code):
    booked = check_out(keep(host), typed_code="ami-gos", seen=1_350_000)

    [preference] = mercadopago.preferences
    assert (booked.class_price, booked.purchase.discount, booked.purchase.discount_code) == (
        1_350_000,
        150_000,
        code,
    )
    assert Payment.objects.get().amount == 1_350_000
    assert preference["items"][0]["unit_price"] == 13_500


def test_a_code_of_all_makes_a_free_class(mercadopago, teacher, host):
    DiscountCodeFactory(code="GRATIS", percent=100)

    booked = check_out(keep(host), typed_code="GRATIS", seen=0)

    booked.refresh_from_db()
    assert booked.is_scheduled
    assert (booked.class_price, booked.purchase.discount, booked.has_preference) == (
        0,
        PRICE,
        False,
    )
    assert mercadopago.preferences == []
    assert list_uses().count() == 1


def test_a_free_class_uses_no_code_up(teacher, host, code):
    Price.objects.update(amount=0)

    booked = check_out(keep(host), typed_code="AMIGOS")

    assert (booked.purchase.discount, booked.purchase.discount_code) == (0, None)


def test_the_use_comes_back_when_the_hold_expires(mercadopago, host, stranger, code):
    check_out(keep(host), typed_code="AMIGOS")
    other = keep(stranger, "18:00")
    with pytest.raises(DiscountCodeError):
        check_out(other, typed_code="AMIGOS")

    Purchase.objects.update(kept_until=timezone.now() - timedelta(minutes=1))

    assert check_out(other, typed_code="AMIGOS").purchase.discount_code == code


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [({"is_active": False}, DiscountCodeError), ({"percent": 5}, PriceChangedError)],
    ids=["stopped", "changed"],
)
def test_a_code_that_changes_while_the_provider_answers_books_nothing(
    mercadopago, host, code, monkeypatch, changes, refusal
):
    inner = checkout.make_preference

    def slow(payment, quote):
        DiscountCode.objects.update(**changes)
        return inner(payment, quote)

    monkeypatch.setattr(checkout, "make_preference", slow)

    with pytest.raises(refusal):
        check_out(keep(host), typed_code="AMIGOS")
    assert not VirtualClass.objects.exists()


# --- The page -------------------------------------------------------------------------------------


@pytest.fixture
def hold(host) -> Hold:
    return keep(host, class_type=ClassType.GROUP)


def address(hold: Hold) -> str:
    return reverse("bookings:hold", args=[hold.pk])


def send(client, hold, page=None, **fields):
    """Send the form as the page shows it, or a new one."""
    seen = (page or client.get(address(hold))).context["form"].shown
    return client.post(address(hold), {"students_count": "2", "text": "", "seen": seen} | fields)


def test_codes_are_asked_for_only_where_there_are_any(hold, host, sign_in):
    client = sign_in(host)
    assert "código de descuento" not in text_of(client.get(address(hold)))

    DiscountCodeFactory(valid_until=timezone.localdate() - timedelta(days=1))
    DiscountCodeFactory(is_active=False)
    assert "código de descuento" not in text_of(client.get(address(hold)))

    DiscountCodeFactory(max_uses=0)  # used up reads as unknown
    assert "código de descuento" in text_of(client.get(address(hold)))


def test_applying_shows_the_price_of_the_class_and_books_nothing_yet(hold, host, sign_in, code):
    client = sign_in(host)
    page = send(client, hold, code=" amigos", text="Travel", apply="1")

    form = page.context["form"]
    priced = [(price, before) for _, price, before in form.priced_counts]
    assert priced[0] == (2_160_000, 2_400_000)
    assert priced[-1] == (3_240_000, 3_600_000)
    assert "AMIGOS: 10 % menos. Todavía no reservamos nada" in text_of(page)
    assert re.search(r"<s [^>]*data-total-before>\$\s24\.000</s>", page.content.decode())
    assert "Travel" in page.content.decode()
    assert not VirtualClass.objects.exists()

    done = send(client, hold, page, code="amigos", students_count="4")

    booked = VirtualClass.objects.get()
    assert done["Location"] == f"/inicio/clases/{booked.pk}"
    assert (booked.class_price, booked.purchase.discount) == (3_240_000, 360_000)


@pytest.mark.parametrize("button", [{}, {"apply": "1"}], ids=["pay", "apply"])
@pytest.mark.parametrize("typed", ["WRONG", "A" * 41, "USADO"])
def test_a_wrong_code_says_so_at_the_list_price(hold, host, sign_in, code, typed, button):
    DiscountCodeFactory(code="USADO", max_uses=0)

    page = send(sign_in(host), hold, code=typed, **button)

    assert list(page.context["form"].errors) == ["code"]
    assert page.context["form"].price == 2_400_000
    assert not VirtualClass.objects.exists()
