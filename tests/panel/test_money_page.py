"""The page of the teacher's money, and the money that she returns herself."""

import re

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from bookings.domain.classes.cancelling import cancel_class
from bookings.models import (
    Entry,
    EntryKind,
    MoneyWay,
    Payment,
    PaymentStatus,
    Refund,
    ReviewReason,
)
from tests.factories import UserFactory, VirtualClassFactory
from tests.pages.texts import plain_text_of
from tests.panel.moments import NOW
from tests.panel.steps import address_of, carry_out, carry_out_several, confirm
from tests.payments import make_paid_class, make_payment

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


# --- What she returns herself ---------------------------------------------------------------------


RETURNS = reverse("admin:returns")


def promise(teacher, **person):
    """Cancel a class that the teacher was paid for in cash."""
    host = UserFactory(**person)
    booked = VirtualClassFactory(booked_by=host, scheduled=True, in_cash=timezone.now())
    cancel_class(class_id=booked.pk, actor=teacher)
    return Refund.objects.get(purchase__person=host)


def list_returned():
    returned = Entry.objects.filter(kind=EntryKind.REFUND).order_by("pk")
    return list(returned.values_list("purchase__person__name", "way", "amount"))


def test_the_page_names_person_class_amount_and_way(panel, promised):
    page = panel.get(RETURNS)

    assert re.search(r"Ana Host \$ 15\.000 A mano\. .+ Clase del \w{3} \d", plain_text_of(page))
    assert address_of(promised, "devuelta") in page.text
    assert "Ya lo devolví todo" not in page.text


def test_what_she_returned_is_in_the_ledger_and_leaves_the_page(panel, promised, teacher):
    page = confirm(panel, promised, "devuelta")

    assert page.redirect_chain == [(RETURNS, 302)]
    assert "No tenés nada para devolver." in plain_text_of(page)
    assert list_returned() == [("Ana Host", MoneyWay.CASH, -1_500_000)]
    assert Entry.objects.get(kind=EntryKind.REFUND).by == teacher


def test_one_button_notes_all_of_them_once(panel, promised, teacher):
    rows = [promised, promise(teacher, name="Zoe")]
    assert "Ya lo devolví todo" in panel.get(RETURNS).text

    for _ in range(2):
        page = carry_out_several(panel, rows, "devuelta", follow=True)

    assert "No hay nada que hacer" in page.text
    assert sorted(list_returned()) == [
        ("Ana Host", MoneyWay.CASH, -1_500_000),
        ("Zoe", MoneyWay.CASH, -1_500_000),
    ]


def test_the_page_costs_the_same_for_more_rows(panel, promised, teacher, django_assert_num_queries):
    promise(teacher)
    with CaptureQueriesContext(connection) as of_two:
        panel.get(RETURNS)
    promise(teacher)

    with django_assert_num_queries(len(of_two)):
        panel.get(RETURNS)


def test_staff_who_may_only_look_note_nothing(sign_in, promised):
    staff = UserFactory(is_staff=True)
    refused = sign_in(staff).get(RETURNS)
    staff.user_permissions.set(Permission.objects.filter(codename="view_payment"))

    page = sign_in(staff).get(RETURNS)

    assert (refused.status_code, page.status_code) == (403, 200)
    assert address_of(promised, "devuelta") not in page.text
    assert carry_out(sign_in(staff), promised, "devuelta").status_code == 403


# --- What the provider refused --------------------------------------------------------------------


def test_what_the_provider_refused_is_promised_in_cash(panel, refused):
    page = panel.get(reverse("admin:bookings_payment_change", args=[refused.pk])).text
    assert "Probar de nuevo" in page
    carry_out(panel, refused, "en-efectivo")

    assert "Ana Host $ 24.000 A mano." in plain_text_of(panel.get(RETURNS))
    story = plain_text_of(panel.get(reverse("admin:bookings_payment_change", args=[refused.pk])))
    assert "en efectivo: pedida" in story
    assert "Probar de nuevo" not in story
    assert "Ya lo revisé" not in story

    carry_out(panel, Refund.objects.by_hand().get(), "devuelta")

    assert list_returned() == [("Ana Host", MoneyWay.CASH, -2_400_000)]


# --- The tables -----------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["purchase", "entry", "refund"])
def test_nobody_writes_a_sale_or_the_ledger_by_hand(panel, promised, table):
    row = {
        "purchase": promised.purchase,
        "entry": promised.purchase.entries.get(),
        "refund": promised,
    }[table]
    pages = [reverse(f"admin:bookings_{table}_add")] + [
        reverse(f"admin:bookings_{table}_{verb}", args=[row.pk]) for verb in ("change", "delete")
    ]

    assert [panel.post(page).status_code for page in pages] == [403, 403, 403]
    assert "Ana Host" in panel.get(reverse(f"admin:bookings_{table}_changelist")).text
    assert "_save" not in panel.get(pages[1]).text
