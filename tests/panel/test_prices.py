"""The price list, typed in pesos, and new prices from a day on."""

import re
from datetime import date, timedelta
from functools import partial

import pytest
import time_machine
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

from bookings.domain.money.prices import find_price, first_of_next_month
from bookings.models import BookingRules, ClassStatus, ClassType, Price, VirtualClass
from bookings.panel.inputs import PesosField
from tests.factories import VirtualClassFactory
from tests.pages.texts import plain_text_of
from tests.panel.moments import MONDAY, NOW, at, days_later

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


ADD = reverse("admin:bookings_price_add")
LIST = reverse("admin:bookings_price_changelist")

FIELD = PesosField()


def price(**fields):
    return Price.objects.create(
        **{"class_type": "individual", "minutes": 60, "amount": 1_500_000, **fields}
    )


def form(**fields):
    return {
        "class_type": "individual",
        "minutes": "60",
        "students_up_to": "1",
        "amount": "15.000",
        "valid_from": MONDAY.isoformat(),
        "valid_until": "",
        **fields,
    }


@pytest.mark.parametrize(
    ("typed", "centavos"),
    [
        ("15.000", 1_500_000),
        ("15.000,50", 1_500_050),
        ("$ 15.000", 1_500_000),
        ("$\N{NO-BREAK SPACE}15.000", 1_500_000),
        ("0", 0),
        ("0,50", 50),
        ("100.000.000", 10**10),
    ],
)
def test_pesos_become_centavos(typed, centavos):
    assert FIELD.clean(typed) == centavos


@pytest.mark.parametrize(
    "typed",
    [
        "", "abc", "15.00", "15.0000", "1.5000", "15,5", ",50", "15.000.00", "15 000", "-15.000",
        "1e5", "NaN", "015", "15.000,500", "15..000", "1,500.00", "$", "١٥", "1\n5",
        "100.000.000,01", "9" * 5_000, "15\x00",
    ],
)  # fmt: skip
def test_anything_else_is_refused(typed):
    with pytest.raises(ValidationError):
        FIELD.clean(typed)


@pytest.mark.parametrize("centavos", [0, 5, 50, 99_999, 1_500_000, 1_500_050, 10**10])
def test_what_is_shown_can_be_typed_again(centavos):
    shown = FIELD.prepare_value(centavos)

    assert FIELD.clean(shown) == centavos
    assert not FIELD.has_changed(centavos, shown)


def test_a_price_is_stored_in_centavos(panel):
    panel.post(ADD, form(amount="15.000,50"))

    assert Price.objects.get().amount == 1_500_050


def test_what_was_typed_wrongly_stays_in_its_box(panel):
    page = panel.post(ADD, form(amount="15.00")).content.decode()

    assert "Escribí los pesos así: 15.000 o 15.000,50." in page
    assert 'value="15.00"' in page
    assert not Price.objects.exists()


def test_a_price_that_ends_before_it_begins_is_refused(panel):
    page = panel.post(ADD, form(valid_until=days_later(-1).isoformat())).content.decode()

    assert "No puede dejar de regir antes de empezar." in page


def test_a_price_in_force_keeps_its_amount(panel):
    old = price(valid_from=days_later(-1))
    page = reverse("admin:bookings_price_change", args=[old.pk])

    shown = panel.get(page).content.decode()
    panel.post(page, form(amount="1", valid_until=days_later(3).isoformat()))

    old.refresh_from_db()
    assert "$\xa015.000" in shown
    assert (old.amount, old.valid_until) == (1_500_000, days_later(3))


def test_a_price_that_is_not_in_force_yet_can_be_corrected(panel):
    new = price(valid_from=days_later(1))
    page = reverse("admin:bookings_price_change", args=[new.pk])

    panel.post(page, form(amount="16.000", valid_from=days_later(1).isoformat()))

    new.refresh_from_db()
    assert new.amount == 1_600_000


def test_the_list_marks_what_counts_today(panel):
    price(valid_from=days_later(-9), valid_until=days_later(-5), minutes=30)
    replaced = price(valid_from=days_later(-9))
    current = price(valid_from=days_later(-2))
    price(valid_from=days_later(2))

    page = panel.get(LIST)

    counts = page.context["cl"].queryset
    said = re.findall(r'class="field-holds">([^<]+)', page.content.decode())
    assert [row.pk for row in counts if row.is_current] == [current.pk]
    assert replaced in counts
    assert said == ["Ya no", "Más adelante", "Hoy", "Ya no"]


@pytest.mark.parametrize("count", [1, 5])
def test_the_list_costs_the_same_for_more_prices(panel, django_assert_max_num_queries, count):
    for number in range(count):
        price(valid_from=timezone.localdate() - timedelta(days=number))

    with django_assert_max_num_queries(4):
        panel.get(LIST)


@pytest.mark.parametrize(
    ("fields", "is_free", "is_warned"),
    [
        ({"class_type": "grupal", "students_up_to": "2", "minutes": "90"}, True, True),
        ({"class_type": "grupal", "students_up_to": "2", "minutes": "60"}, True, False),
        ({"class_type": "grupal", "students_up_to": "2", "minutes": "90"}, False, False),
        ({"minutes": "90"}, True, False),
    ],
    ids=["long group", "an hour", "paid account", "individual"],
)
def test_group_that_meet_cuts_off_is_stored_with_a_warning(panel, fields, is_free, is_warned):
    BookingRules.objects.create(is_free_account=is_free)

    page = panel.post(ADD, form(**fields), follow=True).content.decode()

    assert Price.objects.count() == 1
    assert ("corta a los 60 minutos" in page) is is_warned


# --- New prices from a day on, all on one page ----------------------------------------------------


PAGE = reverse("admin:prices")
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


@pytest.mark.parametrize(
    ("today", "first"),
    [("2026-11-16", "2026-12-01"), ("2026-12-31", "2027-01-01"), ("2027-01-31", "2027-02-01")],
)
def test_the_first_of_the_next_month(today, first):
    assert str(first_of_next_month(date.fromisoformat(today))) == first


def test_the_page_proposes_the_first_and_needs_the_amount_only(panel, hour):
    page = panel.get(PAGE).content.decode()

    done = plain_text_of(change(panel, hour, "18.000"))

    assert 'value="2026-12-01"' in page
    assert "Desde el martes 1 de diciembre, Individual de 60 minutos: $ 18.000." in done
    with time_machine.travel(NOW + timedelta(days=14)):
        assert price_of_an_hour() == 1_500_000
    with time_machine.travel(NOW + timedelta(days=15)):
        assert price_of_an_hour() == 1_800_000


def test_a_change_is_made_once_and_can_be_corrected(panel, hour):
    change(panel, hour, "18.000")
    again = plain_text_of(change(panel, hour, "18.000"))
    corrected = plain_text_of(change(panel, hour, "17.500"))

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

    page = plain_text_of(panel.get(PAGE))
    change(panel, hour, "18.000")

    assert "Hoy $ 15.000. 2 reservadas siguen a su precio." in page
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

    assert refusal in plain_text_of(page)
    assert Price.objects.get() == hour


def test_a_raise_is_shown_before_it_is_stored_and_confirmed_as_any_change(panel, hour):
    page = panel.get(PAGE, {"percent": "12,5", "unit": "500", "day": FIRST})

    form = page.context["form"]
    proposed = {name: form[name].value() for name in form.fields}
    shown = plain_text_of(page)
    before = Price.objects.count()
    panel.post(PAGE, proposed)

    assert proposed == {"day": FIRST, f"amount-{hour.pk}": "17.000"}
    assert "Así quedan desde el martes 1 de diciembre. Todavía no se guardó nada" in shown
    assert before == 1
    assert Price.objects.get(valid_from=FIRST).amount == 1_700_000


@pytest.mark.parametrize(
    ("asked", "refusal"),
    [
        ({"percent": "x"}, "Cuánto, en %: Escribí un número."),
        ({"percent": "NaN"}, "Cuánto, en %: Escribí un número."),
        ({"percent": "0"}, "Cuánto, en %: Tiene que ser mayor o igual a"),
        ({"percent": "1", "unit": "1000"}, "Con ese redondeo no cambia ningún precio."),
        ({"unit": "7"}, "Redondeado a: Elegí una de las opciones"),
        ({"day": MONDAY}, "recién desde mañana"),
    ],
    ids=["no number", "NaN", "nothing", "rounded away", "another unit", "today"],
)
def test_a_raise_that_cannot_be_is_refused(panel, hour, asked, refusal):
    page = panel.get(PAGE, {"percent": "10", "unit": "100", "day": FIRST, **asked})

    assert refusal in plain_text_of(page)
    assert "Todavía no se guardó nada" not in plain_text_of(page)


def test_the_page_says_what_is_planned_also_for_a_class_to_come(panel, hour):
    price(valid_from=days_later(3), amount=1_600_000)
    price(valid_from=days_later(3), amount=900_000, minutes=30)
    price(valid_from=days_later(-9), valid_until=days_later(-1), minutes=90)

    page = plain_text_of(panel.get(PAGE))

    assert "Individual de 60 minutos Hoy $ 15.000. Desde el jue 19 nov, $ 16.000." in page
    assert "Individual de 30 minutos Desde el jue 19 nov, $ 9.000." in page
    assert "de 90 minutos" not in page
