"""Transfers in the panel."""

from datetime import timedelta

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.money import money_back
from bookings.domain.sales.transfers import confirm_transfer
from bookings.models import (
    BankTransfer,
    BookingRules,
    Purchase,
    Refund,
    TransferState,
)
from bookings.notices.delivery import deliver_due
from bookings.panel.week.rules import read_bank_account
from tests.factories import BankTransferFactory, PlaceFactory, UserFactory
from tests.pages.texts import text_of
from tests.panel.steps import address_of, confirm
from tests.sales.transfers import ALIAS, START, send_back, store, take_transfers

LIST, NUMBER = "/admin/transferencias/", "12345678"


@pytest.fixture
def panel(teacher, sign_in):
    return sign_in(teacher)


@pytest.fixture(autouse=True)
def _rules(db, mercadopago, google):
    take_transfers()


@pytest.fixture
def transfer(host):
    return BankTransferFactory(purchase=store(host).purchase, operation_number=NUMBER)


# --- The rules ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        (" clases.con.paula ", "clases.con.paula"),
        ("0720000720000001234566", None),
        ("2850590940090418135201", "2850590940090418135201"),
        ("2850590 9-4009041813520.1", "2850590940090418135201"),
        ("2850590940090418135202", None),
        ("2850590940090418135", None),
        ("corto", None),
        ("con espacio", None),
        ("x" * 21, None),
        ("ñandú.alias", None),
    ],
)
def test_an_account_is_an_alias_or_a_cbu_with_its_check_digits(typed, stored):
    if stored is None:
        with pytest.raises(ValidationError):
            read_bank_account(typed)
    else:
        assert read_bank_account(typed) == stored


def save_rules(panel, **changes):
    address = reverse("admin:bookings_bookingrules_change", args=[1])
    form = panel.get(address).context["adminform"].form
    fields = {name: form[name].value() for name in form.fields}
    fields = {
        name: value
        for name, value in fields.items()
        if value not in (None, "") and value is not False
    }
    return panel.post(address, fields | changes)


def test_the_teacher_stores_her_account(panel):
    answer = save_rules(
        panel, transfer_alias="otra.cuenta", transfer_holder="P. F.", transfer_hours=48
    )

    assert answer.status_code == 302
    rules = BookingRules.load()
    assert (rules.transfer_alias, rules.transfer_hours) == ("otra.cuenta", 48)


def test_an_account_needs_its_holder(panel):
    answer = save_rules(panel, transfer_alias="otra.cuenta", transfer_holder="")

    assert "Tus estudiantes lo comparan antes de transferir." in text_of(answer)
    assert BookingRules.load().transfer_alias == ALIAS


# --- The list -------------------------------------------------------------------------------------


def test_home_list_sheet_and_student_file_show_what_waits(panel, transfer):
    assert "transferencia por confirmar" in text_of(panel.get("/admin/"))

    page = text_of(panel.get(LIST))
    purchase = transfer.purchase
    sheet = text_of(panel.get(reverse("admin:class_sheet", args=[purchase.virtual_class_id])))
    file = text_of(panel.get(reverse("admin:student", args=[purchase.person_id])))

    assert "$ 15.000" in page
    assert address_of(transfer, "llego") in page
    assert address_of(transfer, "no-llego") in page
    assert "operación 12345678" in sheet
    assert address_of(transfer, "llego") in sheet
    assert "Operación 12345678 · por confirmar" in file


def test_the_list_says_that_nothing_waits(panel):
    assert "Ninguna espera tu respuesta." in text_of(panel.get(LIST))


def test_staff_without_permission_sees_no_transfers(sign_in, transfer):
    assert sign_in(UserFactory(is_staff=True)).get(LIST).status_code == 403


def test_the_same_number_twice_is_a_warning_and_no_refusal(panel, transfer, stranger):
    BankTransfer.objects.update(state=TransferState.CONFIRMED)
    booked = store(stranger, start=START + timedelta(days=1))
    again = BankTransferFactory(purchase=booked.purchase, operation_number=NUMBER)

    page = text_of(panel.get(address_of(again, "llego")))

    assert f"Ojo: {transfer.purchase.person} avisó el mismo número de operación" in page
    assert "(confirmada)" in page
    assert confirm(panel, again, "llego").redirect_chain == [(LIST, 302)]
    booked.refresh_from_db()
    assert booked.is_scheduled
    assert BankTransfer.objects.filter(state=TransferState.CONFIRMED).count() == 2


def test_the_list_costs_the_same_for_one_transfer_and_for_three(
    panel, transfer, django_assert_num_queries
):
    panel.get(LIST)
    with CaptureQueriesContext(connection) as queries:
        panel.get(LIST)
    for day in (1, 2):
        booked = store(UserFactory(), start=START + timedelta(days=day))
        BankTransferFactory(purchase=booked.purchase, operation_number=NUMBER)

    with django_assert_num_queries(len(queries)):
        panel.get(LIST)


def test_a_paid_class_is_said_before_confirming(panel, transfer):
    Purchase.objects.update(state="paid", paid_at=timezone.now())

    page = text_of(panel.get(address_of(transfer, "llego")))

    assert "Ojo: la clase ya está pagada a mano." in page
    assert "Te toca devolver $ 15.000: queda en «Para devolver»." in page


def test_a_paid_place_is_said_before_confirming(panel):
    transfer = BankTransferFactory(purchase=PlaceFactory(paid=True))

    page = text_of(panel.get(address_of(transfer, "llego")))

    assert "Ojo: el lugar ya está pagado a mano." in page


def test_what_is_to_be_returned_is_a_tap_away(panel, transfer):
    Purchase.objects.update(state="ended")
    confirm(panel, transfer, "llego")

    page = text_of(panel.get(LIST))

    assert f'<a class="button button-quiet" href="{reverse("admin:returns")}">1 para' in page
    assert ">Para devolver</span>" in page


def test_a_part_that_the_cancellation_kept_is_not_returned(
    panel, transfer, host, teacher, sign_in, monkeypatch
):
    def decide(case, *, left):
        return case.reason, left // 3

    monkeypatch.setattr(money_back, "decide_refund", decide)
    confirm_transfer(transfer_id=transfer.pk, actor=teacher)
    cancel_class(class_id=transfer.purchase.virtual_class_id, actor=teacher)

    refund = Refund.objects.get()
    assert "$ 5.000" in text_of(panel.get(reverse("admin:returns")))
    assert "que le devolviste $ 5.000 por transferencia a" in text_of(
        panel.get(address_of(refund, "devuelta"))
    )
    deliver_due()
    texts = [letter.body.replace("\xa0", " ") for letter in mail.outbox]
    assert any("te devuelve $ 5.000, por donde le pagaste" in text for text in texts)
    booked, person = transfer.purchase.virtual_class_id, transfer.purchase.person_id
    for name, key, words in (
        ("class_sheet", booked, "Te toca devolver $ 5.000"),
        ("student", person, '<dd class="sum">$ 5.000</dd>'),
    ):
        assert words in text_of(panel.get(reverse(f"admin:{name}", args=[key])))
    class_page = reverse("bookings:class", args=[booked])
    owed = text_of(sign_in(host).get(class_page))
    assert "La profe te devuelve $ 5.000 por transferencia." in owed
    assert "Pagaste dos veces" not in owed

    send_back(transfer, teacher)

    returned = text_of(sign_in(host).get(class_page))
    assert "Te devolvimos $ 5.000" in returned
    assert "te devuelve" not in returned
