"""Prices change from a day on, all on one page."""

import re
from datetime import date, timedelta
from functools import partial

import pytest
import time_machine
from django.contrib.auth.models import Permission
from django.urls import reverse

from bookings.domain.money.prices import find_price, first_of_next_month
from bookings.models import ClassStatus, ClassType, Price, VirtualClass
from tests.factories import UserFactory, VirtualClassFactory
from tests.panel.moments import MONDAY, NOW, at, days_later

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]

PAGE = reverse("admin:new_prices")
FIRST = date(2026, 12, 1)
price_of_an_hour = partial(find_price, class_type=ClassType.INDIVIDUAL, minutes=60, students=1)


@pytest.fixture
def hour():
    """An hour alone for $ 15.000, since long ago."""
    return Price.objects.create(
        class_type=ClassType.INDIVIDUAL, minutes=60, amount=1_500_000, valid_from=days_later(-30)
    )


def change(client, row, amount, day=FIRST):
    return client.post(PAGE, {"day": day, f"amount-{row.pk}": amount}, follow=True)


def text_of(response):
    text = re.sub(r"<[^>]+>", " ", response.content.decode()).replace("\xa0", " ")
    return re.sub(r"\s+", " ", text)


@pytest.mark.parametrize(
    ("today", "first"),
    [("2026-11-16", "2026-12-01"), ("2026-12-31", "2027-01-01"), ("2027-01-31", "2027-02-01")],
)
def test_the_first_of_the_next_month(today, first):
    assert str(first_of_next_month(date.fromisoformat(today))) == first


def test_the_page_proposes_the_first_and_needs_the_amount_only(panel, hour):
    page = panel.get(PAGE).content.decode()

    done = text_of(change(panel, hour, "18.000"))

    assert 'value="2026-12-01"' in page
    assert "Desde el martes 1 de diciembre, Individual de 60 minutos: $ 18.000." in done
    with time_machine.travel(NOW + timedelta(days=14)):
        assert price_of_an_hour() == 1_500_000
    with time_machine.travel(NOW + timedelta(days=15)):
        assert price_of_an_hour() == 1_800_000


def test_a_change_is_made_once_and_can_be_corrected(panel, hour):
    change(panel, hour, "18.000")
    again = text_of(change(panel, hour, "18.000"))
    corrected = text_of(change(panel, hour, "17.500"))

    assert "No cambió ningún precio." in again
    assert "$ 17.500" in corrected
    assert list(Price.objects.order_by("pk").values_list("amount", flat=True)) == [
        1_500_000,
        1_750_000,
    ]


def test_an_ending_price_goes_on_at_the_same_amount(panel, hour):
    Price.objects.update(valid_until=FIRST - timedelta(1))

    change(panel, hour, "15.000")

    assert Price.objects.get(valid_from=FIRST).amount == 1_500_000


def test_an_empty_box_and_the_same_price_change_nothing(panel, hour):
    change(panel, hour, "")
    change(panel, hour, "15.000")

    assert Price.objects.get() == hour


def test_classes_that_were_booked_keep_their_price_and_are_counted(panel, hour):
    case = {"class_type": ClassType.INDIVIDUAL, "max_participants": 0, "class_price": 1_500_000}
    for fields in (
        {"scheduled": True, "current_participants": 1, "max_participants": 1},
        {"start_time": at("15:00", days_later(20))},
        {"status": ClassStatus.CANCELLED},
        {"class_type": ClassType.GROUP},
        {"start_time": at("09:00", days_later(-3))},
    ):
        VirtualClassFactory(**{**case, **fields})

    page = text_of(panel.get(PAGE))
    change(panel, hour, "18.000")

    assert "Hoy $ 15.000. 2 clases ya reservadas siguen a su precio." in page
    assert set(VirtualClass.objects.values_list("class_price", flat=True)) == {1_500_000}


@pytest.mark.parametrize(
    ("amount", "day", "refusal"),
    [
        ("18.00", FIRST, "Escribí los pesos así"),
        ("18.000", MONDAY, "recién desde mañana"),
        ("18.000", "x", "Revisá estos datos"),
        ("18.000", "0001-01-01", "Revisá estos datos"),
        ("\0", FIRST, "Escribí los pesos así"),
    ],
    ids=["unclear", "today", "no day", "long ago", "NUL"],
)
def test_a_change_that_cannot_be_is_refused(panel, hour, amount, day, refusal):
    page = change(panel, hour, amount, day)

    assert refusal in text_of(page)
    assert Price.objects.get() == hour


def test_several_prices_change_at_once(panel, hour):
    half = Price.objects.create(
        class_type=ClassType.INDIVIDUAL, minutes=30, amount=800_000, valid_from=MONDAY
    )

    panel.post(PAGE, {"day": FIRST, f"amount-{hour.pk}": "18.000", f"amount-{half.pk}": "9.500"})

    planned = Price.objects.filter(valid_from=FIRST).order_by("minutes")
    assert list(planned.values_list("minutes", "amount")) == [(30, 950_000), (60, 1_800_000)]


def test_staff_who_may_only_look_changes_no_price(hour, sign_in):
    looker = UserFactory(is_staff=True)
    looker.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    client = sign_in(looker)

    assert [client.get(PAGE).status_code, change(client, hour, "1").status_code] == [403, 403]
    assert Price.objects.get() == hour
