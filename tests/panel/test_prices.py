"""The price list, typed in pesos."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

from bookings.models import BookingRules, Price
from bookings.panel.inputs import PesosField, write_pesos
from tests.panel.moments import MONDAY, days_later

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
        ("15000", 1_500_000),
        ("15.000,50", 1_500_050),
        ("15000,05", 1_500_005),
        ("$ 15.000", 1_500_000),
        ("$15.000", 1_500_000),
        ("$\N{NO-BREAK SPACE}15.000", 1_500_000),
        (" 15.000 ", 1_500_000),
        ("1.500.000", 150_000_000),
        ("0", 0),
        ("0,50", 50),
        ("999", 99_900),
        ("100.000.000", 10**10),
    ],
)
def test_pesos_become_centavos(typed, centavos):
    assert FIELD.clean(typed) == centavos


@pytest.mark.parametrize(
    "typed",
    [
        "", " ", "abc", "15.00", "15.0", "15.0000", "1.5000", "15,000", "15,5", "15,", ",50",
        "15.000.00", "15 000", "15'000", "-15.000", "+15", "1e5", "0x10", "NaN", "Infinity",
        "015", "00", "0.500", "15.000,500", "15.000,50,00", "15..000", ".000", "1,500.00",
        "15.000 pesos", "$", "$$15", "US$ 15", "١٥", "15\N{NO-BREAK SPACE}000", "1\n5",
        "100.000.000,01", "100000001", "9" * 5_000, "15\x00",
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


def test_amounts_are_written_with_points_and_a_comma():
    assert [write_pesos(n) for n in (850_000, 123_456_789)] == ["8.500", "1.234.567,89"]


@pytest.mark.django_db
@pytest.mark.usefixtures("noon")
class TestPages:
    """The list and its form."""

    def test_a_price_is_stored_in_centavos(self, panel):
        panel.post(ADD, form(amount="15.000,50"))

        assert Price.objects.get().amount == 1_500_050

    def test_what_was_typed_wrongly_stays_in_its_box(self, panel):
        page = panel.post(ADD, form(amount="15.00")).content.decode()

        assert "Escribí los pesos así: 15.000 o 15.000,50." in page
        assert 'value="15.00"' in page
        assert not Price.objects.exists()

    def test_a_second_price_for_the_same_case_and_day_is_refused(self, panel):
        panel.post(ADD, form())
        panel.post(ADD, form(amount="16.000"))

        assert Price.objects.get().amount == 1_500_000

    def test_a_price_that_ends_before_it_begins_is_refused(self, panel):
        page = panel.post(ADD, form(valid_until=days_later(-1).isoformat())).content.decode()

        assert "No puede dejar de regir antes de empezar." in page

    def test_the_list_speaks_in_pesos(self, panel):
        price(valid_from=MONDAY)

        page = panel.get(LIST).content.decode()

        assert "$\xa015.000" in page
        assert "1500000" not in page

    def test_a_price_in_force_keeps_its_amount(self, panel):
        old = price(valid_from=days_later(-1))
        page = reverse("admin:bookings_price_change", args=[old.pk])

        shown = panel.get(page).content.decode()
        panel.post(page, form(amount="1", valid_until=days_later(3).isoformat()))

        old.refresh_from_db()
        assert "$\xa015.000" in shown
        assert (old.amount, old.valid_until) == (1_500_000, days_later(3))

    def test_a_price_that_is_not_in_force_yet_can_be_corrected(self, panel):
        new = price(valid_from=days_later(1))
        page = reverse("admin:bookings_price_change", args=[new.pk])

        panel.post(page, form(amount="16.000", valid_from=days_later(1).isoformat()))

        new.refresh_from_db()
        assert new.amount == 1_600_000

    def test_the_list_marks_what_counts_today(self, panel):
        price(valid_from=days_later(-9), valid_until=days_later(-5), minutes=30)
        replaced = price(valid_from=days_later(-9))
        current = price(valid_from=days_later(-2))
        price(valid_from=days_later(2))

        counts = panel.get(LIST).context["cl"].queryset

        assert [row.pk for row in counts if row.is_current] == [current.pk]
        assert replaced in counts

    @pytest.mark.parametrize("count", [1, 5])
    def test_the_list_costs_the_same_for_more_prices(
        self, panel, django_assert_max_num_queries, count
    ):
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
