"""Cancelling, moving and leaving a class: what the pages say, and what they do."""

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.money.purchases import book_cash
from bookings.domain.places.joining import join_class
from bookings.models import (
    ClassLog,
    Purchase,
    PurchaseState,
    RefundReason,
    VirtualClass,
)
from tests.factories import VirtualClassFactory
from tests.pages.moments import tuesday
from tests.pages.texts import text_of
from tests.sales.money_rows import disputed

pytestmark = pytest.mark.usefixtures("agenda")


def path(name: str, virtual_class: VirtualClass, query: str = "") -> str:
    return reverse(f"bookings:{name}", args=[virtual_class.pk]) + query


@pytest.fixture
def scheduled(host, google) -> VirtualClass:
    """Ana's class for three, in eight days at ten."""
    return VirtualClassFactory(
        scheduled=True,
        owns_time=True,
        booked_by=host,
        start_time=tuesday("10:00", weeks=1),
        max_participants=3,
    )


@pytest.fixture
def in_calendar(host, google) -> VirtualClass:
    """The same class, with its event."""
    pending = VirtualClassFactory(
        booked_by=host, start_time=tuesday("10:00", weeks=1), max_participants=3
    )
    return schedule_class(preference_id=pending.preference_id)


@pytest.fixture
def joined(scheduled, student) -> VirtualClass:
    return join_class(user=student, access_code=scheduled.access_code)


# --- The class's page -----------------------------------------------------------------------------


def test_the_page_says_until_when_as_date_and_time(scheduled, host, sign_in):
    text = text_of(sign_in(host).get(path("class", scheduled)))

    assert "hasta el <strong>lunes 30 de noviembre a las 10:00</strong>" in text
    assert path("cancel", scheduled) in text
    assert path("reschedule", scheduled) in text
    assert path("leave", scheduled) not in text


def test_after_the_deadline_the_page_says_whom_to_write_to(scheduled, host, sign_in):
    client = sign_in(host)
    with time_machine.travel(scheduled.start_time - timedelta(hours=1), tick=False):
        text = text_of(client.get(path("class", scheduled)))

    assert "Ahora solo puede hacerlo tu profe." in text
    assert '<a href="mailto:teacher@example.com">' in text
    assert "¿Una pregunta?" not in text
    assert path("cancel", scheduled) not in text


def test_a_guest_may_leave_and_nothing_else(joined, student, sign_in):
    text = text_of(sign_in(student).get(path("class", joined)))

    assert path("leave", joined) in text
    assert path("cancel", joined) not in text
    assert path("reschedule", joined) not in text


# --- Cancelling -----------------------------------------------------------------------------------


def test_cancelling_asks_first_and_says_who_is_told(joined, host, sign_in):
    text = text_of(sign_in(host).get(path("cancel", joined)))

    assert "a vos, a tu profe y a la otra persona que participa" in text
    assert "No pagaste nada." in text
    assert VirtualClass.objects.get().is_scheduled


def test_no_page_promises_money_that_a_claim_decides(sign_in):
    paid = disputed().virtual_class
    days = timedelta(days=7)
    VirtualClass.objects.update(start_time=paid.start_time + days, end_time=paid.end_time + days)

    text = text_of(sign_in(paid.booked_by).get(path("cancel", paid))).replace("\xa0", " ")

    assert "El reclamo decide qué pasa con $ 15.000." in text
    assert "Te devolvemos $ 15.000" not in text


def test_what_was_paid_by_hand_and_what_goes_back_are_named(scheduled, host, sign_in):
    client = sign_in(host)
    decided = {"refund_reason": RefundReason.CANCELLED, "amount_kept": 500_000}
    Purchase.objects.update(paid_at=timezone.now(), state=PurchaseState.PAID, **decided)
    book_cash(scheduled.purchase, 1_500_000, None)

    asked = text_of(client.get(path("cancel", scheduled)))
    client.post(path("cancel", scheduled))
    cancelled = text_of(client.get(path("class", scheduled)))

    for page in (asked, cancelled):
        assert "Tu profe te devuelve $ 10.000" in page
        assert "No se devuelven $ 5.000: ya pasó el plazo." in page


def test_cancelling_twice_shows_the_cancelled_class(scheduled, host, sign_in):
    client = sign_in(host)
    for _ in range(2):
        page = client.post(path("cancel", scheduled), follow=True)

    assert page.resolver_match.view_name == "bookings:class"
    assert ClassLog.objects.filter(event="cancelled").count() == 1


@pytest.mark.parametrize("name", ["cancel", "reschedule", "confirm_move"])
def test_too_late_leads_back_to_the_class(scheduled, host, sign_in, name):
    client = sign_in(host)
    with time_machine.travel(scheduled.start_time - timedelta(hours=1), tick=False):
        page = client.get(path(name, scheduled), follow=True)

    assert page.resolver_match.view_name == "bookings:class"
    assert "Ya pasó el plazo" in text_of(page)


def test_to_strangers_the_class_does_not_exist(scheduled, stranger, sign_in):
    client = sign_in(stranger)
    pages = [path(name, scheduled) for name in ("cancel", "confirm_move", "leave")]

    looked = [client.get(page).status_code for page in (path("reschedule", scheduled), *pages)]
    tried = [client.post(page).status_code for page in pages]

    assert {*looked, *tried} == {404}
    assert VirtualClass.objects.get().is_scheduled


# --- Another time ---------------------------------------------------------------------------------

CHOSEN = "?dia=2026-12-01&hora=12:00"


def test_choosing_offers_the_free_times_and_the_class_s_own_surroundings(scheduled, host, sign_in):
    page = sign_in(host).get(path("reschedule", scheduled, "?dia=2026-12-01"))

    starts = [
        f"{slot.start.astimezone(scheduled.start_time.tzinfo):%H:%M}"
        for _name, slots in page.context["free"]["parts_of_day"]
        for slot in slots
    ]
    assert {"09:30", "10:30"} <= set(starts)
    assert "10:00" not in starts  # where it is already
    assert 'name="hora"' in text_of(page)
    assert f'action="{path("confirm_move", scheduled)}"' in text_of(page)


def test_confirming_says_what_stays_and_until_when(joined, host, sign_in):
    text = text_of(sign_in(host).get(path("confirm_move", joined, CHOSEN)))

    assert "El enlace de la videollamada y el código siguen siendo los mismos." in text
    assert "hasta el <strong>lunes 30 de noviembre a las 12:00</strong>" in text
    assert VirtualClass.objects.get().start_time == tuesday("10:00", weeks=1)


def test_confirming_moves_the_class(in_calendar, host, sign_in, google):
    form = {"dia": "2026-12-01", "hora": "12:00"}

    page = sign_in(host).post(path("confirm_move", in_calendar), form, follow=True)

    moved = VirtualClass.objects.get()
    [event] = google.live_events()
    assert moved.start_time == tuesday("12:00", weeks=1)
    kept = (in_calendar.html_link, in_calendar.access_code)
    assert (moved.html_link, moved.access_code) == kept
    assert event["start"]["dateTime"] == "2026-12-01T12:00:00-03:00"
    assert "Listo: tu clase ahora es el martes 1 de diciembre a las 12:00." in text_of(page)
    assert "Antes era el martes 1 de diciembre a las 10:00." in text_of(page)


def test_a_time_that_was_taken_meanwhile_is_said(scheduled, host, sign_in):
    VirtualClassFactory(scheduled=True, owns_time=True, start_time=tuesday("12:00", weeks=1))
    form = {"dia": "2026-12-01", "hora": "12:00"}

    page = sign_in(host).post(path("confirm_move", scheduled), form, follow=True)

    assert page.resolver_match.view_name == "bookings:reschedule"
    assert "Ese horario se acaba de ocupar." in text_of(page)
    assert VirtualClass.objects.get(pk=scheduled.pk).start_time == tuesday("10:00", weeks=1)


@pytest.mark.parametrize(
    ("method", "query"),
    [("get", "?dia=2026-12-01"), ("get", "?dia=x&hora=99:99"), ("post", "?hora=12:00")],
)
def test_nothing_chosen_leads_back_to_choosing(scheduled, host, sign_in, query, method):
    page = getattr(sign_in(host), method)(path("confirm_move", scheduled, query), follow=True)

    assert page.resolver_match.view_name == "bookings:reschedule"
    assert "Elegí un horario para continuar." in text_of(page)


# --- Leaving --------------------------------------------------------------------------------------


def test_leaving_asks_first(joined, student, sign_in):
    text = text_of(sign_in(student).get(path("leave", joined)))

    assert "Tu lugar queda libre para otra persona" in text
    assert VirtualClass.objects.get().current_participants == 2


def test_leaving_frees_the_place_and_the_class_is_gone_from_mine(joined, student, sign_in):
    client = sign_in(student)

    page = client.post(path("leave", joined), follow=True)

    assert page.resolver_match.view_name == "bookings:my_classes"
    assert (page.context["next_classes"], page.context["past_classes"]) == ([], [])
    assert VirtualClass.objects.get().current_participants == 1
    assert client.get(path("class", joined)).status_code == 404


def test_the_host_is_told_to_cancel_instead(joined, host, sign_in):
    page = sign_in(host).post(path("leave", joined), follow=True)

    assert "podés cancelarla, pero no dejarla" in text_of(page)
    assert VirtualClass.objects.get().current_participants == 2
