"""A discount code from the details of a kept time to the class and its payment."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.exceptions import PriceChangedError
from bookings.domain.money.discounts import DiscountCodeError, list_uses
from bookings.domain.sales import checkout
from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.settling import settle
from bookings.models import (
    ClassType,
    Hold,
    Payment,
    Price,
    Purchase,
    Refund,
    VirtualClass,
)
from bookings.models.sales.discount_code import DiscountCode
from tests.discount_codes import DiscountCodeFactory
from tests.factories import HoldFactory
from tests.pages.moments import tuesday
from tests.pages.texts import text_of
from tests.sales.open_classes import end_everything

pytestmark = pytest.mark.usefixtures("agenda")

PRICE = 1_500_000


@pytest.fixture
def code(db) -> DiscountCode:
    return DiscountCodeFactory(code="AMIGOS", percent=10, max_uses=1)


def keep(user, start="10:00", class_type=ClassType.INDIVIDUAL) -> Hold:
    return HoldFactory(
        user=user,
        start_time=tuesday(start),
        end_time=tuesday(start) + timedelta(hours=1),
        class_type=class_type,
        expires_at=timezone.now() + timedelta(minutes=15),
    )


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


def test_refunds_give_back_what_was_paid(mercadopago, teacher, host, code):
    booked = check_out(keep(host), typed_code="AMIGOS")
    mercadopago.pay(booked.preference_id)
    settle(booked.preference_id)

    cancel_class(class_id=booked.pk, actor=teacher, fresh_sign_in=True)

    assert Refund.objects.get().amount == 1_350_000
    assert not list_uses().exists()


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


def test_a_repeat_takes_no_second_use(mercadopago, host, code):
    hold = keep(host)

    first, second = (check_out(hold, typed_code="AMIGOS") for _ in range(2))

    assert first == second
    assert list_uses().count() == 1


def test_the_use_comes_back_when_the_hold_expires(mercadopago, host, stranger, code):
    check_out(keep(host), typed_code="AMIGOS")
    other = keep(stranger, "18:00")
    with pytest.raises(DiscountCodeError):
        check_out(other, typed_code="AMIGOS")

    Purchase.objects.update(kept_until=timezone.now() - timedelta(minutes=1))

    assert check_out(other, typed_code="AMIGOS").purchase.discount_code == code


def test_money_that_comes_after_the_use_came_back_pays_at_the_agreed_price(
    mercadopago, teacher, host, code
):
    booked = check_out(keep(host), typed_code="AMIGOS")
    end_everything()
    assert not list_uses().exists()

    mercadopago.pay(booked.preference_id)
    settle(booked.preference_id)

    booked.refresh_from_db()
    assert booked.is_scheduled
    assert list_uses().count() == 1


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


def test_a_free_class_asks_for_no_code(hold, host, sign_in, code):
    Price.objects.update(amount=0)

    assert "código de descuento" not in text_of(sign_in(host).get(address(hold)))


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


def test_a_code_that_was_not_applied_is_shown_first(hold, host, sign_in, code):
    client = sign_in(host)

    page = send(client, hold, code="amigos")

    assert "AMIGOS: 10 % menos. Todavía no reservamos nada" in text_of(page)
    assert not VirtualClass.objects.exists()
    send(client, hold, page, code="amigos")
    assert VirtualClass.objects.get().class_price == 2_160_000


def test_a_code_can_be_taken_off_again(hold, host, sign_in, code):
    client = sign_in(host)
    applied = send(client, hold, code="amigos", apply="1")

    refused = send(client, hold, applied, code="")
    page = send(client, hold, applied, code="", apply="1")

    assert "El precio cambió" in text_of(refused)
    assert not VirtualClass.objects.exists()
    assert page.context["form"].price == 2_400_000
    send(client, hold, page, code="")
    booked = VirtualClass.objects.get()
    assert (booked.class_price, booked.purchase.discount_code) == (2_400_000, None)


@pytest.mark.parametrize("button", [{}, {"apply": "1"}], ids=["pay", "apply"])
@pytest.mark.parametrize("typed", ["WRONG", "A" * 41, "USADO"])
def test_a_wrong_code_says_so_at_the_list_price(hold, host, sign_in, code, typed, button):
    DiscountCodeFactory(code="USADO", max_uses=0)

    page = send(sign_in(host), hold, code=typed, **button)

    assert list(page.context["form"].errors) == ["code"]
    assert page.context["form"].price == 2_400_000
    assert not VirtualClass.objects.exists()


def test_unknown_and_used_up_read_alike(hold, host, sign_in):
    DiscountCodeFactory(code="USADO", max_uses=0)
    client = sign_in(host)
    page = client.get(address(hold))

    pages = [send(client, hold, page, code=one, apply="1") for one in ("NADA", "USADO")]
    unknown, used = map(text_of, pages)

    without_tokens = re.compile(r'value="\w{64}"').sub
    assert without_tokens("", unknown).replace("NADA", "USADO") == without_tokens("", used)


def test_a_code_whose_last_use_goes_meanwhile_is_refused_at_the_list_price(
    hold, host, stranger, sign_in, code
):
    client = sign_in(host)
    page = send(client, hold, code="amigos", apply="1")
    check_out(keep(stranger, "18:00"), typed_code="AMIGOS")

    page = send(client, hold, page, code="amigos")

    assert list(page.context["form"].errors) == ["code"]
    assert page.context["form"].price == 2_400_000
    assert VirtualClass.objects.count() == 1


def test_trying_codes_at_random_is_stopped(hold, host, sign_in, code, settings):
    settings.MAX_WRONG_CODES = 2
    client = sign_in(host)
    page = client.get(address(hold))
    for typed in ("UNO", "DOS"):
        send(client, hold, page, code=typed, apply="1")

    page = send(client, hold, page, code="amigos", apply="1")

    assert "Demasiados intentos" in text_of(page)
    assert page.context["form"].price == 2_400_000


def test_a_class_of_one_has_the_discount_too(host, sign_in, code):
    hold = keep(host)
    client = sign_in(host)
    page = send(client, hold, code="amigos", apply="1", students_count="1")

    send(client, hold, page, code="amigos", students_count="1")

    assert VirtualClass.objects.get().class_price == 1_350_000
