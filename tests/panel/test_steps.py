"""Actions that move money, times or people show a page first, and are done once if confirmed.

The mails that the page names are the mails that leave. Staff without the permission get 403.
"""

import re

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.utils import timezone

from accounts.models import Session, User
from bookings.domain.money.purchases import book_cash
from bookings.domain.money.refunds import refundable_amount, request_partial_refund
from bookings.domain.places.joining import join_class
from bookings.models import Hold, Notice, Purchase, Refund, VirtualClass
from bookings.panel import steps
from tests.factories import UserFactory, VirtualClassFactory
from tests.pages.texts import plain_text_of
from tests.panel.steps import (
    address_of,
    all_steps,
    carry_out,
    look,
    look_at_several,
    seen_on,
)

pytestmark = pytest.mark.django_db


def everything():
    """Read every row of ours, but what a look itself writes: sessions and the panel's history."""
    rows = {}
    with connection.cursor() as cursor:
        for model in [*apps.get_app_config("bookings").get_models(), User]:
            # Without Django's conversions, which would take most of this test's time.
            cursor.execute(f'SELECT * FROM "{model._meta.db_table}"')  # noqa: S608 - our tables
            rows[model] = sorted(map(repr, cursor.fetchall()))
    return rows


def mails_named(page):
    """Give which mails the page of a step names, with the people who get them."""
    [facts] = page.context["preview"].facts.values()
    return {(kind, person) for kind, people in facts.mails for person in people}


def mails_since(earlier):
    """Give who is promised which mail at once, that was not promised before."""
    new = Notice.objects.exclude(pk__in=earlier).filter(due_at__lte=timezone.now())
    return {(mail.get_kind_display(), str(mail.user)) for mail in new}


@pytest.mark.parametrize(
    ("model", "step"),
    [pytest.param(*one, id=f"{one[0].__name__}-{one[1].name}") for one in all_steps()],
)
def test_a_step_asks_first_is_taken_once_and_then_does_nothing(
    model, step, chosen, panel, teacher, google, sign_in
):
    row, given = chosen(model, step.name)
    address = address_of(row, step.name)
    looker = sign_in(UserFactory(is_staff=True))
    before, known = everything(), [*Notice.objects.values_list("pk", flat=True)]

    refused = [looker.get(address), looker.post(address, {**given, "seen": "x"})]
    page = panel.get(address, given)
    asked = everything()
    taken = panel.post(address, {**given, "seen": seen_on(page)})
    done, mails = everything(), mails_since(known)
    again = panel.post(address, {**given, "seen": seen_on(page)})

    assert [answer.status_code for answer in refused] == [403, 403]
    assert asked == before
    if step.name != "reparar" and model is not Notice:
        assert mails_named(page) == mails
    assert taken.status_code == 302
    assert again.status_code == (302 if model is Hold else 200)  # a hold that was released is gone
    if step.name != "reparar":  # of which only the calendar knows what there is to do
        assert done != before
    assert everything() == done
    assert LogEntry.objects.filter(user=teacher, object_id=str(row.pk)).count() == 1


# --- What the page of a step says is what happens -------------------------------------------------


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


def test_cancelling_names_people_money_and_mails(panel, paid, mercadopago):
    page = plain_text_of(panel.get(address_of(paid.purchase.virtual_class, "cancelar")))

    assert "Vuelven $ 24.000 a Ana Host por Mercado Pago." in page
    assert "Correo «Clase cancelada»: Ana Host." in page
    assert "No se puede deshacer" in page
    assert mercadopago.refunds == []


def test_money_that_was_taken_by_hand_is_hers_to_return(panel, full):
    Purchase.objects.update(state="paid", paid_at=timezone.now())
    book_cash(full.purchase, 1_500_000, None)

    page = plain_text_of(panel.get(address_of(full, "cancelar")))

    assert "Te toca devolver $ 15.000: queda en «Para devolver»." in page
    assert "Correo «Clase cancelada»: Ana Host, Bruno Student, Zoe." in page


def test_what_changed_since_it_was_shown_is_shown_again(panel, scheduled, student):
    seen = seen_on(look(panel, scheduled, "cancelar"))
    join_class(user=student, access_code=scheduled.access_code)

    page = panel.post(address_of(scheduled, "cancelar"), {"seen": seen})

    assert "Algo cambió desde que lo miraste" in plain_text_of(page)
    assert "Correo «Clase cancelada»: Ana Host, Bruno Student." in plain_text_of(page)
    assert VirtualClass.objects.get().is_scheduled


def test_another_figure_of_hers_is_asked_about_as_hers(panel, paid):
    form = {"charge": paid.charges.get().pk, "amount": "12.000"}
    shown = look(panel, paid, "devolver", **form)

    page = panel.post(address_of(paid, "devolver"), given_on(shown) | form | {"amount": "5.000"})
    again = panel.post(address_of(paid, "devolver"), given_on(page) | form | {"amount": "5.000"})

    assert "Ahora son $ 5.000: confirmalo." in plain_text_of(page)
    assert "Algo cambió" not in plain_text_of(page)
    assert again.status_code == 302
    assert decided() == [500_000]


def test_another_time_of_hers_is_asked_about_as_hers(panel, scheduled):
    day = f"{timezone.localdate(scheduled.start_time):%Y-%m-%d}"
    shown = look(panel, scheduled, "mover", day=day, clock="15:00")

    form = given_on(shown) | {"day": day, "clock": "16:00", "reason": "Viaje."}
    page = panel.post(address_of(scheduled, "mover"), form)

    assert "Cambiaste lo que pediste" in plain_text_of(page)


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

    assert "$ 24.000" in plain_text_of(shown)
    assert OUTDATED in plain_text_of(page)
    assert decided() == [100_000]
    assert VirtualClass.objects.get().is_scheduled

    carry_out(panel, row, name)

    assert decided() == [100_000, 2_300_000]


def test_more_rows_than_anybody_reads_are_refused(panel, scheduled, monkeypatch):
    monkeypatch.setattr("bookings.panel.steps.AT_MOST", 1)
    other = VirtualClassFactory()

    page = look_at_several(panel, [scheduled, other], "cancelar")

    assert page.status_code == 302
    assert VirtualClass.objects.filter(status="cancelled").count() == 0


def test_suspending_says_what_ends_and_what_stays(panel, full, student, sign_in):
    sign_in(student)

    page = plain_text_of(panel.get(address_of(student, "suspender")))

    assert f"Sesiones que se cierran: {Session.objects.filter(user=student).count()}." in page
    assert "Sigue en pie:" in page
    student.refresh_from_db()
    assert student.status == "active"


def test_erasing_names_the_unpaid_class_that_is_cancelled(panel, host, teacher):
    VirtualClassFactory(booked_by=host)

    page = plain_text_of(panel.get(address_of(host, "borrar")))

    assert "Se cancela:" in page
    assert "No se puede deshacer" in page


def test_a_price_that_was_vouched_for_is_named(panel, host, teacher):
    pending = VirtualClassFactory(booked_by=host, class_price=1_500_000)

    page = plain_text_of(panel.get(address_of(pending, "pagada")))

    assert "Queda anotado que cobraste $ 15.000 a mano." in page
    assert "Correo «Clase confirmada»: Ana Host." in page
