"""What the page of a step says is what happens."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import Session
from bookings.domain.money.purchases import book_cash
from bookings.domain.money.refunds import refundable_amount, request_partial_refund
from bookings.domain.places.joining import join_class
from bookings.models import Notice, NoticeKind, Purchase, Refund, VirtualClass
from bookings.panel import steps
from tests.factories import HoldFactory, VirtualClassFactory
from tests.panel.steps import (
    address_of,
    carry_out,
    confirm,
    confirm_several,
    look,
    look_at_several,
    seen_on,
)

pytestmark = pytest.mark.django_db


def text_of(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split()).replace("\xa0", " ")


def test_without_the_digest_of_what_was_shown_nothing_is_done(panel):
    row = VirtualClassFactory(scheduled=True)

    for sent in ({}, {"seen": ""}, {"seen": "x"}):
        page = panel.post(address_of(row, "cancelar"), sent)
        assert page.status_code == 200
        assert seen_on(page)

    assert VirtualClass.objects.get().is_scheduled


def test_a_step_that_asks_for_more_shows_no_facts_before(panel):
    row = VirtualClassFactory(scheduled=True)

    page = panel.get(address_of(row, "mover"))

    assert 'name="clock"' in page.content.decode()
    assert seen_on(page) == ""


def test_the_way_back_of_a_payment_begins_at_the_money(panel, paid):
    [way_back] = re.findall(
        r'<nav class="way-back".*?</nav>',
        panel.get(address_of(paid, "devolver")).content.decode(),
        re.DOTALL,
    )

    assert re.findall(">([^<>]+)</a>", way_back) == ["Dinero", "Pagos", str(paid)]


def test_cancelling_names_people_money_and_mails(panel, paid, mercadopago):
    page = text_of(panel.get(address_of(paid.purchase.virtual_class, "cancelar")))

    assert "Vuelven $ 24.000 a Ana Host por Mercado Pago." in page
    assert "Correo «Clase cancelada»: Ana Host." in page
    assert "No se puede deshacer" in page
    assert mercadopago.refunds == []


def test_money_that_was_taken_by_hand_is_hers_to_return(panel, full):
    Purchase.objects.update(state="paid", paid_at=timezone.now())
    book_cash(full.purchase, 1_500_000, None)

    page = text_of(panel.get(address_of(full, "cancelar")))

    assert "Te toca devolver $ 15.000: queda en «Para devolver»." in page
    assert "Correo «Clase cancelada»: Ana Host, Bruno Student, Zoe." in page


def test_what_changed_since_it_was_shown_is_shown_again(panel, scheduled, student):
    seen = seen_on(look(panel, scheduled, "cancelar"))
    join_class(user=student, access_code=scheduled.access_code)

    page = panel.post(address_of(scheduled, "cancelar"), {"seen": seen})

    assert "Algo cambió desde que lo miraste" in text_of(page)
    assert "Correo «Clase cancelada»: Ana Host, Bruno Student." in text_of(page)
    assert VirtualClass.objects.get().is_scheduled


@pytest.mark.parametrize("name", ["pagada", "agendar"])
def test_the_page_names_the_mails_to_other_students(panel, host, student, name):
    is_paid = {} if name == "pagada" else {"paid_at": timezone.now()}
    lapsed = VirtualClassFactory(booked_by=host, class_type="individual", **is_paid)
    HoldFactory(
        user=student,
        start_time=lapsed.start_time,
        end_time=lapsed.end_time,
        class_type="individual",
        expires_at=timezone.now() + timedelta(minutes=10),
    )

    asked = text_of(look(panel, lapsed, name))
    confirm(panel, lapsed, name)

    assert "Correo «Horario que se ocupó»: Bruno Student." in asked
    assert Notice.objects.get(kind=NoticeKind.HOLD_LOST).user == student


def test_another_figure_of_hers_is_asked_about_as_hers(panel, paid):
    form = {"charge": paid.charges.get().pk, "amount": "12.000"}
    shown = look(panel, paid, "devolver", **form)

    page = panel.post(address_of(paid, "devolver"), given_on(shown) | form | {"amount": "5.000"})
    again = panel.post(address_of(paid, "devolver"), given_on(page) | form | {"amount": "5.000"})

    assert "Ahora son $ 5.000: confirmalo." in text_of(page)
    assert "Algo cambió" not in text_of(page)
    assert again.status_code == 302
    assert decided() == [500_000]


def test_another_time_of_hers_is_asked_about_as_hers(panel, scheduled):
    day = f"{timezone.localdate(scheduled.start_time):%Y-%m-%d}"
    shown = look(panel, scheduled, "mover", day=day, clock="15:00")

    form = given_on(shown) | {"day": day, "clock": "16:00", "reason": "Viaje."}
    page = panel.post(address_of(scheduled, "mover"), form)

    assert "Cambiaste lo que pediste" in text_of(page)


def given_on(page):
    """Return the hidden fields of a step's page that say what it showed."""
    return dict(re.findall(r'name="(seen|asked)" value="(\w+)"', page.content.decode()))


@pytest.fixture
def refund_in_between(paid, teacher, monkeypatch):
    """Another refund of 1,000 pesos, committed after the facts were compared for the last time."""
    compare = steps.constant_time_compare

    def compare_and_be_late(seen, digest):
        charge = paid.charges.get()
        left = refundable_amount(charge)
        request_partial_refund(
            charge_id=charge.pk, amount=100_000, left=left, by=teacher, fresh_sign_in=True
        )
        monkeypatch.undo()
        return compare(seen, digest)

    monkeypatch.setattr(steps, "constant_time_compare", compare_and_be_late)


OUTDATED = "Mientras tanto se pidió otra devolución. Revisá cuánto queda."


def decided():
    """List the amounts of the refunds, in centavos."""
    return list(Refund.objects.order_by("pk").values_list("amount", flat=True))


@pytest.mark.parametrize("name", ["devolver-todo", "cancelar"])
def test_another_sum_than_was_shown_is_not_given_back(panel, paid, name, refund_in_between):
    row = paid if name == "devolver-todo" else paid.purchase.virtual_class
    shown = look(panel, row, name)

    page = panel.post(address_of(row, name), {"seen": seen_on(shown)}, follow=True)

    assert "$ 24.000" in text_of(shown)
    assert OUTDATED in text_of(page)
    assert decided() == [100_000]
    assert VirtualClass.objects.get().is_scheduled

    carry_out(panel, row, name)

    assert decided() == [100_000, 2_300_000]


def test_of_several_classes_the_one_with_another_sum_is_refused(
    panel, scheduled, paid, refund_in_between
):
    rows = [scheduled, paid.purchase.virtual_class]

    page = confirm_several(panel, rows, "cancelar")

    assert "cancelada." in text_of(page)
    assert OUTDATED in text_of(page)
    assert decided() == [100_000]
    status = dict(VirtualClass.objects.values_list("pk", "status"))
    assert status == {scheduled.pk: "cancelled", paid.purchase.virtual_class_id: "scheduled"}


def test_a_part_is_refused_when_another_sum_is_left(panel, paid, refund_in_between):
    given = {"charge": paid.charges.get().pk, "amount": "5.000"}

    page = confirm(panel, paid, "devolver", **given)

    assert OUTDATED in text_of(page)
    assert decided() == [100_000]


def test_more_rows_than_anybody_reads_are_refused(panel, scheduled, monkeypatch):
    monkeypatch.setattr("bookings.panel.steps.AT_MOST", 1)
    other = VirtualClassFactory()

    page = look_at_several(panel, [scheduled, other], "cancelar")

    assert page.status_code == 302
    assert VirtualClass.objects.filter(status="cancelled").count() == 0


def test_suspending_says_what_ends_and_what_stays(panel, full, student, sign_in):
    sign_in(student)

    page = text_of(panel.get(address_of(student, "suspender")))

    assert f"Sesiones que se cierran: {Session.objects.filter(user=student).count()}." in page
    assert "Sigue en pie:" in page
    student.refresh_from_db()
    assert student.status == "active"


def test_erasing_names_the_unpaid_class_that_is_cancelled(panel, host, teacher):
    VirtualClassFactory(booked_by=host)

    page = text_of(panel.get(address_of(host, "borrar")))

    assert "Se cancela:" in page
    assert "No se puede deshacer" in page


def test_a_price_that_was_vouched_for_is_named(panel, host, teacher):
    pending = VirtualClassFactory(booked_by=host, class_price=1_500_000)

    page = text_of(panel.get(address_of(pending, "pagada")))

    assert "Queda anotado que cobraste $ 15.000 a mano." in page
    assert "Correo «Clase confirmada»: Ana Host." in page


def test_scheduling_an_unpaid_class_says_that_it_is(panel):
    page = text_of(look(panel, VirtualClassFactory(), "agendar"))

    assert "Todavía no está pagada ($ 15.000)." in page


def test_a_class_that_is_over_can_still_be_vouched_for(panel, host, teacher):
    over = VirtualClassFactory(booked_by=host, ended=True)

    shown = panel.get(address_of(over, "pagada"))

    assert "No se puede agendar: la clase ya terminó." in text_of(shown)
    assert seen_on(shown)
