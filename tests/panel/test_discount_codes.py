"""Discount codes in the panel: made in two answers, seen with their uses, stopped."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from bookings.models import Notice, NoticeKind, VirtualClass
from bookings.models.sales.discount_code import DiscountCode
from bookings.notices.rendering import render_mail
from bookings.panel.money.discount_codes import CodeForm
from tests.discount_codes import DiscountCodeFactory, less
from tests.factories import (
    PlaceFactory,
    UserFactory,
    VirtualClassFactory,
)
from tests.pages.texts import plain_text_of

pytestmark = pytest.mark.django_db

ADD = reverse("admin:bookings_discountcode_add")
LIST = reverse("admin:bookings_discountcode_changelist")


def page_of(code, page="change"):
    return reverse(f"admin:bookings_discountcode_{page}", args=[code.pk])


@pytest.fixture
def used(host):
    """A code that Ana used for a class with two other uses left."""
    code = DiscountCodeFactory(code="AMIGOS", amount=200_000, max_uses=3)
    VirtualClassFactory(
        booked_by=host,
        scheduled=True,
        paid_at=timezone.now(),
        class_price=1_300_000,
        **less(code, 200_000),
    )
    return code


# --- Making ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ({"code": "bien-venida", "percent": "10"}, ("BIENVENIDA", 10, None, None)),
        ({"code": "Amigos 20", "amount": "2.000"}, ("AMIGOS20", None, 200_000, None)),
        ({"code": "GRATIS", "percent": "100", "max_uses": "1"}, ("GRATIS", 100, None, 1)),
    ],
)
def test_two_answers_make_a_code(panel, typed, stored):
    assert panel.get(ADD).status_code == 200
    panel.post(ADD, typed)

    code = DiscountCode.objects.get()
    assert (code.code, code.percent, code.amount, code.max_uses) == stored
    assert code.is_active


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"code": "AB", "percent": "10"}, "entre 3 y 20 letras"),
        ({"code": "PROMOÑ", "percent": "10"}, "entre 3 y 20 letras"),
        ({"code": "PROMO"}, "Poné un porcentaje o un monto"),
        ({"code": "PROMO", "percent": "10", "amount": "100"}, "Poné un porcentaje o un monto"),
        ({"code": "PROMO", "percent": "0"}, "mayor o igual a 1"),
        ({"code": "PROMO", "percent": "101"}, "menor o igual a 100"),
        ({"code": "PROMO", "amount": "15.00"}, "Escribí los pesos así"),
        ({"code": "PROMO", "percent": "10", "max_uses": "9" * 30}, "menor o igual a"),
    ],
)
def test_what_cannot_be_a_code_says_why(typed, said):
    assert said in CodeForm(typed).errors.as_text()


def test_a_code_that_there_is_already_is_not_stored_again(panel, used):
    page = panel.post(ADD, {"code": "amigos", "percent": "10"})

    assert "Ya existe" in plain_text_of(page)
    assert DiscountCode.objects.get() == used


# --- Looking --------------------------------------------------------------------------------------


def test_the_list_shows_the_uses_that_are_left(panel, used):
    DiscountCodeFactory(code="BIENVENIDA", percent=10)
    DiscountCodeFactory(code="FRENADO", is_active=False)
    DiscountCodeFactory(code="LLENO", max_uses=0)
    DiscountCodeFactory(code="VIEJO", valid_until=timezone.localdate() - timedelta(days=1))

    page = plain_text_of(panel.get(LIST))

    assert "AMIGOS $ 2.000 1 de 3, quedan 2 sin fecha Vale" in page
    assert "BIENVENIDA 10 % 0, sin límite sin fecha Vale" in page
    assert "Frenado" in page
    assert "Usado del todo" in page
    assert "Terminó" in page


@pytest.mark.parametrize("count", [1, 5])
def test_the_list_costs_the_same_for_more_codes(panel, count, django_assert_max_num_queries):
    for _ in range(count):
        VirtualClassFactory(discount_code=DiscountCodeFactory(), paid_at=timezone.now())

    with django_assert_max_num_queries(5):
        panel.get(LIST)


def test_the_code_shows_who_used_it(panel, used):
    PlaceFactory(person=UserFactory(name="Zoe"), **less(used, 200_000))
    PlaceFactory(person=UserFactory(name="Leo"), discount_code=used, state="ended")

    page = plain_text_of(panel.get(page_of(used)))

    assert "2 de 3, quedan 1" in page
    assert re.search(r"Zoe: .*? \$ 2\.000 menos, espera el pago", page)
    assert re.search(r"Ana Host: .*? \$ 2\.000 menos ", page)
    assert "Leo" not in page


def test_what_was_promised_does_not_change(panel, used):
    panel.post(page_of(used), {"code": "OTRO", "percent": "90", "amount": "", "max_uses": "9"})

    used.refresh_from_db()
    assert (used.code, used.percent, used.amount) == ("AMIGOS", None, 200_000)
    assert (used.max_uses, used.once_per_person) == (9, False)


# --- Stopping and deleting ------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_used_code_is_stopped_instead_of_deleted(panel, used, method):
    page = getattr(panel, method)(page_of(used, "delete"), {"post": "yes"}, follow=True)

    assert "AMIGOS ya se usó" in plain_text_of(page)
    assert "Frenar el código" in plain_text_of(page)
    assert DiscountCode.objects.get() == used


def test_a_code_that_nobody_used_is_deleted(panel):
    code = DiscountCodeFactory()

    asks = plain_text_of(panel.get(page_of(code, "delete")))
    panel.post(page_of(code, "delete"), {"post": "yes"})

    assert "¿Querés eliminar «" in asks
    assert not DiscountCode.objects.exists()


# --- Where else the discount shows ----------------------------------------------------------------


def test_the_discount_shows_on_the_sheet_and_in_the_file(panel, used, host):
    sheet = reverse("admin:class_sheet", args=[VirtualClass.objects.get().pk])
    file = reverse("admin:student", args=[host.pk])

    for page in (sheet, file):
        assert "$ 2.000 menos con AMIGOS" in plain_text_of(panel.get(page))


def test_the_discount_shows_on_the_host_s_page_only(used, host, student, sign_in):
    page = reverse("bookings:class", args=[VirtualClass.objects.get().pk])

    assert "$ 2.000 menos con AMIGOS" in plain_text_of(sign_in(host).get(page))
    assert "AMIGOS" not in plain_text_of(sign_in(student).get(page))


def test_the_confirmation_names_the_discount_to_the_host_only(used, host, student):
    given = VirtualClass.objects.get()
    mails = [
        render_mail(
            Notice.objects.create(user=person, virtual_class=given, kind=NoticeKind.CONFIRMATION)
        )
        for person in (host, student)
    ]

    texts = [str(mail.body).replace("\xa0", " ") for mail in mails]
    assert "$ 2.000 menos con AMIGOS" in texts[0]
    assert "AMIGOS" not in texts[1]
