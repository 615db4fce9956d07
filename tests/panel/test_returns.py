"""Money that the teacher returns herself: promised, listed, and noted as returned."""

import re

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.sales.transfers import confirm_transfer
from bookings.models import (
    Entry,
    EntryKind,
    MoneyWay,
    Refund,
)
from tests.factories import UserFactory, VirtualClassFactory
from tests.panel.steps import address_of, carry_out, carry_out_several, confirm
from tests.sales.transfers import announce, take_transfers

pytestmark = pytest.mark.django_db

LIST = reverse("admin:returns")


def text_of(response):
    text = re.sub(r"<[^>]+>", " ", response.content.decode()).replace("\xa0", " ")
    return " ".join(text.split())


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
    page = panel.get(LIST)

    assert re.search(r"Ana Host \$ 15\.000 A mano\. .+ Clase del \w{3} \d", text_of(page))
    assert address_of(promised, "devuelta") in page.text
    assert "Ya lo devolví todo" not in page.text


def test_the_page_says_that_nothing_is_to_be_returned(panel):
    assert "No tenés nada para devolver." in text_of(panel.get(LIST))


def test_what_she_returned_is_in_the_ledger_and_leaves_the_page(panel, promised, teacher):
    page = confirm(panel, promised, "devuelta")

    assert page.redirect_chain == [(LIST, 302)]
    assert "No tenés nada para devolver." in text_of(page)
    assert list_returned() == [("Ana Host", MoneyWay.CASH, -1_500_000)]
    assert Entry.objects.get(kind=EntryKind.REFUND).by == teacher


def test_one_button_notes_all_of_them_once(panel, promised, teacher):
    rows = [promised, promise(teacher, name="Zoe")]
    assert "Ya lo devolví todo" in panel.get(LIST).text

    for _ in range(2):
        page = carry_out_several(panel, rows, "devuelta", follow=True)

    assert "No hay nada que hacer" in page.text
    assert sorted(list_returned()) == [
        ("Ana Host", MoneyWay.CASH, -1_500_000),
        ("Zoe", MoneyWay.CASH, -1_500_000),
    ]


def test_a_transfer_goes_back_as_a_transfer(panel, host, teacher, google):
    take_transfers()
    transfer = announce(VirtualClassFactory(booked_by=host), "12345678")
    confirm_transfer(transfer_id=transfer.pk, actor=teacher)
    cancel_class(class_id=transfer.purchase.virtual_class_id, actor=teacher)

    assert "Transferencia, operación 12345678." in text_of(panel.get(LIST))
    carry_out(panel, Refund.objects.get(), "devuelta")

    assert list_returned() == [("Ana Host", MoneyWay.TRANSFER, -1_500_000)]
    assert "Devuelto" in text_of(panel.get(reverse("admin:transfers")))


def test_the_page_costs_the_same_for_more_rows(panel, promised, teacher, django_assert_num_queries):
    promise(teacher)
    with CaptureQueriesContext(connection) as of_two:
        panel.get(LIST)
    promise(teacher)

    with django_assert_num_queries(len(of_two)):
        panel.get(LIST)


def test_staff_who_may_only_look_note_nothing(sign_in, promised):
    staff = UserFactory(is_staff=True)
    refused = sign_in(staff).get(LIST)
    staff.user_permissions.set(Permission.objects.filter(codename="view_payment"))

    page = sign_in(staff).get(LIST)

    assert (refused.status_code, page.status_code) == (403, 200)
    assert address_of(promised, "devuelta") not in page.text
    assert carry_out(sign_in(staff), promised, "devuelta").status_code == 403


# --- What the provider refused --------------------------------------------------------------------


def test_what_the_provider_refused_is_promised_in_cash(panel, refused):
    page = panel.get(reverse("admin:bookings_payment_change", args=[refused.pk])).text
    assert "Probar de nuevo" in page
    carry_out(panel, refused, "en-efectivo")

    assert "Ana Host $ 24.000 A mano." in text_of(panel.get(LIST))
    story = text_of(panel.get(reverse("admin:bookings_payment_change", args=[refused.pk])))
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
