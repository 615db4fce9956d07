"""``/inicio``."""

from datetime import timedelta

import pytest
import time_machine

from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.holds import hold_slot
from bookings.models import ClassType
from tests.factories import VirtualClassFactory
from tests.pages.moments import NOW, tuesday
from tests.pages.texts import text_of

pytestmark = pytest.mark.usefixtures("agenda")


@pytest.mark.parametrize("path", ["/", "/inicio", "/inicio/reservar"])
def test_pages_for_everybody_may_be_found(client, path):
    html = client.get(path).content.decode()

    assert 'name="robots"' not in html
    assert '<meta name="description"' in html


def test_a_person_without_classes_is_invited_to_book(host, sign_in):
    assert "Todavía no tenés clases por delante" in text_of(sign_in(host).get("/inicio"))


def test_the_next_class_comes_first_and_the_others_after_it(host, sign_in):
    later = VirtualClassFactory(booked_by=host, start_time=tuesday("12:00"))
    sooner = VirtualClassFactory(booked_by=host, scheduled=True, start_time=tuesday("10:00"))

    context = sign_in(host).get("/inicio").context

    assert context["next_class"].virtual_class == sooner
    assert [card.virtual_class for card in context["later_classes"]] == [later]


def test_a_kept_class_asks_to_be_paid(host, sign_in):
    hold = hold_slot(user=host, start=tuesday("10:00"), minutes=60, class_type=ClassType.INDIVIDUAL)
    check_out_hold(user=host, hold_id=hold.pk, students_count=1)

    assert "Pagar antes de las 22:00" in text_of(sign_in(host).get("/inicio"))


def test_an_open_hold_is_shown_with_the_way_on_and_the_way_out(host, student, sign_in):
    hold = hold_slot(user=host, start=tuesday("10:00"), minutes=60, class_type=ClassType.INDIVIDUAL)

    text = text_of(sign_in(host).get("/inicio"))

    assert "Te guardamos mar 24 nov, 10:00" in text
    assert 'data-seconds-left="900"' in text
    assert f'href="/inicio/reservar/{hold.pk}?tipo=individual&amp;min=60' in text
    assert f'action="/inicio/reservar/{hold.pk}/soltar"' in text
    assert "Te guardamos" not in text_of(sign_in(student).get("/inicio"))


def test_a_hold_that_is_over_or_booked_is_not_shown_as_open(host, sign_in):
    hold = hold_slot(user=host, start=tuesday("10:00"), minutes=60, class_type=ClassType.INDIVIDUAL)
    client = sign_in(host)

    with time_machine.travel(NOW + timedelta(minutes=16), tick=False):
        over = text_of(client.get("/inicio"))
    check_out_hold(user=host, hold_id=hold.pk, students_count=1)
    booked = text_of(client.get("/inicio"))

    assert "Te guardamos" not in over
    assert "Te guardamos" not in booked


def test_a_class_that_begins_now_is_one_click_away(host, sign_in):
    VirtualClassFactory(booked_by=host, scheduled=True, start_time=tuesday("10:00"))
    client = sign_in(host)

    with time_machine.travel(tuesday("09:50"), tick=False):
        text = text_of(client.get("/inicio"))

    assert "Entrar a la clase" in text
    assert "La sala te espera" not in text
