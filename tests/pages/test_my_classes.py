"""``/inicio`` and ``/inicio/clases``: a person's first page, and the list of classes."""

import uuid
from datetime import timedelta

import pytest
import time_machine

from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.holds import hold_slot
from bookings.models import ClassStatus, ClassType, VirtualClass
from tests.factories import VirtualClassFactory
from tests.pages.moments import NOW, tuesday
from tests.pages.texts import text_of

pytestmark = pytest.mark.usefixtures("agenda")


@pytest.mark.parametrize("path", ["/", "/inicio", "/inicio/reservar"])
def test_pages_for_everybody_may_be_found(client, path):
    html = client.get(path).content.decode()

    assert 'name="robots"' not in html
    assert '<meta name="description"' in html


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


def test_a_class_that_begins_now_is_one_click_away(host, sign_in):
    VirtualClassFactory(booked_by=host, scheduled=True, start_time=tuesday("10:00"))
    client = sign_in(host)

    with time_machine.travel(tuesday("09:50"), tick=False):
        text = text_of(client.get("/inicio"))

    assert "Entrar a la clase" in text
    assert "La sala te espera" not in text


# --- /inicio/clases: ahead, dropped, and the past by pages ----------------------------------------


PATH = "/inicio/clases"


def make_past(host, hours_ago):
    start = NOW - timedelta(hours=hours_ago)
    end = start + timedelta(minutes=30)
    return VirtualClassFactory.build(booked_by=host, start_time=start, end_time=end)


def make_pasts(host, hours_ago):
    return VirtualClass.objects.bulk_create([make_past(host, hours) for hours in hours_ago])


def shown(response, name):
    return [card.virtual_class for card in response.context[name]]


def test_a_cancelled_class_is_past_only_after_its_time(host, sign_in):
    cancelled = {"booked_by": host, "status": ClassStatus.CANCELLED}
    ahead = VirtualClassFactory(start_time=tuesday("10:00"), **cancelled)
    over = VirtualClassFactory(start_time=tuesday("10:00", weeks=-1), **cancelled)

    response = sign_in(host).get(PATH)

    assert shown(response, "dropped_classes") == [ahead]
    assert shown(response, "past_classes") == [over]
    assert "Canceladas o vencidas" in response.content.decode()


def test_past_classes_come_by_pages_without_a_gap(host, sign_in):
    # Several at one time, which the ids put in order.
    made = make_pasts(host, [1 + number // 3 for number in range(45)])
    client, pages, path = sign_in(host), [], PATH

    while path:
        response = client.get(path)
        pages.append(shown(response, "past_classes"))
        last = response.context["last_shown"]
        path = last and f"{PATH}?antes={last.pk}"

    assert [len(page) for page in pages] == [20, 20, 5]
    in_order = sorted(made, key=lambda one: (one.start_time, one.pk), reverse=True)
    assert [one for page in pages for one in page] == in_order


@pytest.mark.parametrize("last", ["", "x", str(uuid.UUID(int=7)), "\x00", "foreign"])
def test_an_unknown_position_gives_the_first_page(host, stranger, sign_in, last):
    [past] = make_pasts(host, [1])
    if last == "foreign":
        last = make_pasts(stranger, [0.5])[0].pk

    response = sign_in(host).get(PATH, {"antes": last})

    assert (response.status_code, shown(response, "past_classes")) == (200, [past])
