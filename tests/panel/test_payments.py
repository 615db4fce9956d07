"""Payments in the panel: their story, refunds, the months, the export."""

import csv
import io

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from bookings.domain.money.takings import list_monthly_takings
from bookings.domain.sales.settling import settle
from bookings.models import (
    Payment,
    PaymentStatus,
    Refund,
)
from bookings.panel.money.export import BYTE_ORDER_MARK, COLUMNS, MONTH_COLUMNS, disarm
from tests.factories import PaymentFactory, PurchaseFactory, UserFactory, VirtualClassFactory
from tests.pages.texts import plain_text_of
from tests.panel.steps import address_of, confirm, look, seen_on
from tests.payments import PRICE, make_payment

pytestmark = pytest.mark.django_db

LIST = reverse("admin:bookings_payment_changelist")
MONTHS = reverse("admin:bookings_payment_months")
EXPORT = reverse("admin:bookings_payment_export")


@pytest.fixture
def paid(host, mercadopago, teacher) -> Payment:
    """Ana's payment, approved and settled."""
    payment = make_payment(host)
    mercadopago.pay(payment.preference_id)
    settle(payment.preference_id)
    payment.refresh_from_db()
    return payment


@pytest.fixture
def approved(host) -> Payment:
    """A row like Ana's payment, of which the provider knows nothing."""
    purchase = PurchaseFactory(person=host, price=PRICE, paid=True)
    return PaymentFactory(purchase=purchase, status=PaymentStatus.APPROVED)


def page_of(payment):
    return reverse("admin:bookings_payment_change", args=[payment.pk])


def review_of(payment):
    return reverse("admin:bookings_payment_review", args=[payment.pk])


def settle_paid(mercadopago, payment):
    mercadopago.pay(payment.preference_id)
    settle(payment.preference_id)


def refund(panel, payment, amount):
    charge = payment.charges.get()
    page = confirm(panel, payment, "devolver", charge=charge.pk, amount=amount)
    return page.content.decode()


# --- The list and the story -----------------------------------------------------------------------


def test_a_payment_is_listed_and_tells_its_story(panel, paid):
    charge = paid.charges.get()

    listed, page = (panel.get(path).content.decode() for path in (LIST, page_of(paid)))

    assert "Ana Host" in listed
    assert "Se pidieron $ 24.000" in page.replace("\xa0", " ")
    assert f"Operación {charge.charge_id}" in page
    assert page.index(f"Operación {charge.charge_id}") < page.index("El pago quedó aprobado")
    assert "_save" not in page
    for technical in (paid.preference_id, "Aviso de Mercado Pago"):
        assert technical not in page.partition("Datos técnicos")[0]
    assert paid.preference_id in page


def test_the_page_of_a_payment_is_headed_by_amount_and_person(panel, paid):
    assert "<h1>$\xa024.000 de Ana Host</h1>" in panel.get(page_of(paid)).text


def test_only_an_unpaid_payment_says_until_when_it_can_be_paid(panel, host, mercadopago):
    payment = make_payment(host)
    unpaid = plain_text_of(panel.get(page_of(payment)))
    settle_paid(mercadopago, payment)

    told = plain_text_of(panel.get(page_of(payment)))

    assert ["Vence" in page for page in (unpaid, told)] == [True, False]


def test_what_a_person_dealt_with_leaves_the_list_and_only_news_bring_it_back(
    panel, paid, mercadopago, teacher
):
    number = mercadopago.payments[0]["id"]
    mercadopago.advance(seconds=5)
    mercadopago.settle(number, "in_mediation")
    settle(paid.preference_id)
    assert "Ya lo revisé" in panel.get(page_of(paid)).content.decode()

    told = panel.post(review_of(paid), {"_put_aside": "dispute"}, follow=True).content.decode()
    settle(paid.preference_id)

    paid.refresh_from_db()
    assert (paid.review, paid.reviewed_by) == ("", teacher)
    assert "el pago ya no está a revisar" in told
    assert "Lo revisó Paula Profe" in told
    assert "Ya lo revisé" not in told
    mercadopago.advance(seconds=5)
    mercadopago.settle(number, "charged_back")
    settle(paid.preference_id)
    paid.refresh_from_db()
    assert paid.review == "dispute"


def test_something_else_than_was_seen_is_not_put_aside(panel, approved):
    Payment.objects.update(review="dispute")

    for reason in ("short", "", "nonsense"):
        page = panel.post(review_of(approved), {"_put_aside": reason}, follow=True)
        assert "Mientras tanto cambió algo" in page.content.decode()

    approved.refresh_from_db()
    assert (approved.review, approved.reviewed_at) == ("dispute", None)


def test_who_may_only_look_reads_why_a_payment_is_to_be_reviewed(sign_in, approved):
    Payment.objects.update(review="dispute")
    staff = UserFactory(is_staff=True)
    staff.user_permissions.set(Permission.objects.filter(codename="view_payment"))

    page = plain_text_of(sign_in(staff).get(page_of(approved)))

    assert "A revisar: Disputa o contracargo" in page
    assert "Ya lo revisé" not in page


def test_nobody_writes_payments_by_hand(panel, approved):
    pages = [
        reverse("admin:bookings_payment_add"),
        reverse("admin:bookings_payment_delete", args=[approved.pk]),
    ]

    assert [panel.post(page).status_code for page in pages] == [403, 403]


def test_the_list_costs_the_same_for_more_rows(
    panel, approved, student, stranger, django_assert_num_queries, mercadopago
):
    with CaptureQueriesContext(connection) as one:
        panel.get(LIST)
    for days, person in ((8, student), (9, stranger)):
        make_payment(person, days=days)

    with django_assert_num_queries(len(one)):
        panel.get(LIST)


# --- Refunds --------------------------------------------------------------------------------------


def test_what_cannot_go_back_is_refused(panel, paid, mercadopago):
    amounts = ["24.000,01", "99999999", "0", "-1", "abc", ""]
    charge = paid.charges.get().pk

    pages = [look(panel, paid, "devolver", charge=charge, amount=one) for one in amounts]
    refund(panel, paid, "24.000,01")

    assert [seen_on(page) for page in pages] == [""] * len(amounts)
    assert mercadopago.refunds == []
    assert not Refund.objects.exists()


@pytest.mark.parametrize("parts", [[24_000], [10_000, 14_000]], ids=len)
def test_operations_are_named_only_if_there_are_several(panel, host, mercadopago, parts):
    payment = make_payment(host)
    for pesos in parts:
        mercadopago.pay(payment.preference_id, amount=pesos)
    settle(payment.preference_id)
    is_several = len(parts) > 1

    part = plain_text_of(panel.get(address_of(payment, "devolver")))
    whole = plain_text_of(panel.get(address_of(payment, "devolver-todo")))

    assert [text in part for text in ("De qué operación", "Operación ")] == [is_several] * 2
    assert ("Vuelven $ 24.000 de $ 24.000." in whole) != is_several
    assert whole.count(": vuelven $ ") == (2 if is_several else 0)


# --- The months -----------------------------------------------------------------------------------


def test_a_month_sums_up_what_came_and_went(panel, paid, host, mercadopago):
    VirtualClassFactory(booked_by=host, in_cash=timezone.now(), class_price=100_000)
    refund(panel, paid, "4.000")

    [month] = list_monthly_takings()
    page = panel.get(MONTHS).content.decode().replace("\xa0", " ")

    assert (month.received, month.by_hand, month.returned) == (PRICE, 100_000, 400_000)
    assert month.net == 2_100_000
    assert "$ 21.000" in page


@pytest.mark.parametrize("query", ["foo=1", "created_at__gte=x"])
def test_an_export_with_an_unknown_filter_leads_to_the_list(panel, query):
    response = panel.get(f"{EXPORT}?{query}", follow=True)

    assert response.redirect_chain == [(f"{reverse('admin:bookings_payment_changelist')}?e=1", 302)]
    assert response.status_code == 200


# --- The export -----------------------------------------------------------------------------------


def rows_of(response):
    text = response.content.decode().removeprefix(BYTE_ORDER_MARK)
    return list(csv.reader(io.StringIO(text), delimiter=";"))


def test_the_export_has_what_the_list_shows(panel, approved, stranger, mercadopago):
    make_payment(stranger, days=8)

    header, *rows = rows_of(panel.get(f"{EXPORT}?status__exact=approved"))

    assert header == list(COLUMNS)
    [row] = rows
    cells = dict(zip(header, row, strict=True))
    assert (cells["Estudiante"], cells["Monto"], cells["Estado"]) == (
        "Ana Host",
        "24000,00",
        "Sin reserva",
    )


def test_the_export_computes_nothing(panel, approved, host):
    host.name = '=HYPERLINK("https://evil.example","x")'
    host.save()

    [_, row] = rows_of(panel.get(EXPORT))

    assert row[list(COLUMNS).index("Estudiante")] == f"'{host.name}"


@pytest.mark.parametrize("cell", ["=1", "+1", "-1", "@a", " =1", "＝1"])
def test_a_formula_is_disarmed(cell):
    assert disarm(cell) == f"'{cell}"


@pytest.mark.parametrize("separator", [",", ";", "\t", "\r", "\n", ", "])
def test_a_formula_after_a_separator_is_disarmed(separator):
    place = separator.rstrip(" ")
    blanks = separator.removeprefix(place)

    assert disarm(f"Ana{separator}=1+1") == f"Ana{place}'{blanks}=1+1"


def test_every_cell_is_quoted(panel, approved):
    first, *_others = panel.get(EXPORT).content.decode().splitlines()

    assert first == BYTE_ORDER_MARK + ";".join(f'"{name}"' for name in COLUMNS)


@pytest.mark.parametrize("cell", ["Ana", "15000,50", "a=b", "Paz, Ana-Luz", ""])
def test_other_text_stays(cell):
    assert disarm(cell) == cell


def test_the_file_of_a_month_has_all_money_also_what_came_by_hand(panel, paid, student, teacher):
    today = timezone.localdate()
    refund(panel, paid, "4.000")
    cash = {"in_cash": timezone.now(), "class_price": 100_000}
    VirtualClassFactory(booked_by=student, scheduled=True, **cash)
    month = reverse("admin:bookings_payment_month_export", args=[today.year, today.month])

    header, *rows = rows_of(panel.get(month))
    cells = [dict(zip(header, row, strict=True)) for row in rows]

    assert header == list(MONTH_COLUMNS)
    told = ("Cómo", "Estudiante", "Estado", "Recibido", "Devuelto")
    assert [tuple(row[name] for name in told) for row in cells] == [
        ("Mercado Pago", "Ana Host", "Devuelto en parte", "24000,00", "0,00"),
        ("Mercado Pago", "Ana Host", "Devuelto en parte", "0,00", "4000,00"),
        ("A mano", "Bruno Student", "Pagada", "1000,00", "0,00"),
    ]
    assert month in panel.get(MONTHS).content.decode()


@pytest.mark.parametrize("count", [1, 3])
def test_the_file_of_a_month_costs_the_same_for_more_rows(
    panel, host, mercadopago, django_assert_num_queries, count
):
    today = timezone.localdate()
    for day in range(count):
        settle_paid(mercadopago, make_payment(host, days=7 + day))

    # Session, the entries, their purchases, and four for the money of these.
    with django_assert_num_queries(7):
        panel.get(reverse("admin:bookings_payment_month_export", args=[today.year, today.month]))


@pytest.mark.parametrize("address", ["2026-13", "9999-12", "99999-1", "0-1"])
def test_there_is_no_file_of_an_impossible_month(panel, address):
    assert panel.get(f"{MONTHS}{address}/exportar/").status_code == 404


def test_a_refund_from_a_class_s_sheet_leads_back_to_it(panel, paid, mercadopago):
    sheet = reverse("admin:class_sheet", args=[paid.purchase.virtual_class_id])
    address = f"{address_of(paid, 'devolver-todo')}?volver={sheet}"
    asked = panel.get(address)

    done = panel.post(address, {"seen": seen_on(asked)})

    assert asked.context["back"] == sheet
    assert done["Location"] == sheet
    assert len(mercadopago.refunds) == 1
