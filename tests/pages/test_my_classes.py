"""``/inicio/clases``: the classes ahead, those that will not take place, and the past by pages."""

import uuid
from datetime import timedelta

import pytest

from bookings.models import ClassStatus, VirtualClass
from tests.factories import VirtualClassFactory
from tests.pages.moments import NOW, tuesday

PATH = "/inicio/clases"

pytestmark = pytest.mark.usefixtures("agenda")


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


def test_a_further_page_leads_on_and_back_without_scripts(host, sign_in):
    made = make_pasts(host, range(1, 42))
    client = sign_in(host)

    first, second = (client.get(f"{PATH}{query}") for query in ("", f"?antes={made[19].pk}"))

    assert f'href="?antes={made[19].pk}"' in first.content.decode()
    assert f'href="?antes={made[39].pk}"' in second.content.decode()
    assert "Volver a las últimas" in second.content.decode()
    assert "Próximas" not in second.content.decode()


@pytest.mark.parametrize("last", ["", "x", str(uuid.UUID(int=7)), "\x00", "foreign"])
def test_an_unknown_position_gives_the_first_page(host, stranger, sign_in, last):
    [past] = make_pasts(host, [1])
    if last == "foreign":
        last = make_pasts(stranger, [0.5])[0].pk

    response = sign_in(host).get(PATH, {"antes": last})

    assert (response.status_code, shown(response, "past_classes")) == (200, [past])
