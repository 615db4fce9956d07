"""``/inicio``."""

import pytest
import time_machine

from bookings.domain.checkout.checkout import check_out_hold
from bookings.domain.checkout.holds import hold_slot
from bookings.models import ClassType
from tests.factories import VirtualClassFactory
from tests.pages.moments import tuesday

pytestmark = pytest.mark.usefixtures("agenda")


def text_of(response) -> str:
    return " ".join(response.content.decode().split())


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

    assert "Pagar antes de las 12:15" in text_of(sign_in(host).get("/inicio"))


def test_a_class_that_begins_now_is_one_click_away(host, sign_in):
    VirtualClassFactory(booked_by=host, scheduled=True, start_time=tuesday("10:00"))
    client = sign_in(host)

    with time_machine.travel(tuesday("09:50"), tick=False):
        text = text_of(client.get("/inicio"))

    assert "Entrar a la clase" in text
    assert "La sala te espera" not in text
