"""The week's hours on one page, and the booking rules."""

from datetime import time

import pytest
from django.urls import reverse

from bookings.domain.desk.hours import set_weekly_hours
from bookings.domain.exceptions import ImpossibleHoursError
from bookings.models import BookingRules, Weekday, WeeklyHours

pytestmark = pytest.mark.django_db


PAGE = reverse("admin:bookings_weeklyhours_changelist")


def ranges(*texts):
    """Read ``09:00-13:00``."""
    return [tuple(time.fromisoformat(end) for end in text.split("-")) for text in texts]


def boxes(weekday, *texts):
    """Fill in the rows of a day."""
    return {
        f"{weekday}-{number}-{which}": value
        for number, text in enumerate(texts)
        for which, value in zip(("start", "end"), text.split("-"), strict=True)
    }


def stored():
    return [str(hours) for hours in WeeklyHours.objects.all()]


def test_the_seven_days_show_their_hours_and_an_empty_row(panel):
    set_weekly_hours({Weekday.TUESDAY: ranges("09:00-13:00", "15:00-20:00")})

    page = panel.get(PAGE).content.decode()

    assert [label for label in Weekday.labels if f"<legend>{label}</legend>" in page] == (
        Weekday.labels
    )
    assert 'value="15:00"' in page
    assert page.count('type="time"') == (6 * 2 + 3) * 2


def test_saving_puts_the_week_in_the_place_of_the_old_one(panel):
    set_weekly_hours({Weekday.MONDAY: ranges("09:00-13:00")})

    response = panel.post(
        PAGE, {**boxes(1, "15:00-20:00", "09:00-13:00"), **boxes(6, "22:00-00:00")}, follow=True
    )

    assert "guardamos tus horarios" in response.content.decode()
    assert stored() == [
        "Martes de 09:00 a 13:00",
        "Martes de 15:00 a 20:00",
        "Domingo de 22:00 a 00:00",
    ]


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["09:00-13:00", "12:30-15:00"], "De 09:00 a 13:00 y de 12:30 a 15:00 se superponen."),
        (["09:00-"], "Completá las dos horas, o borrá las dos."),
        (["-13:00"], "Completá las dos horas, o borrá las dos."),
        (["25:00-26:00"], 'id="id_0-0-start_error"'),
    ],
)
def test_an_impossible_day_is_refused_and_nothing_is_written(panel, typed, message):
    set_weekly_hours({Weekday.FRIDAY: ranges("09:00-13:00")})

    page = panel.post(PAGE, {**boxes(0, *typed), **boxes(1, "08:00-09:00")}).content.decode()

    assert message in page
    assert 'value="08:00"' in page
    assert stored() == ["Viernes de 09:00 a 13:00"]


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["20:00-00:00", "22:00-23:00"], "De 20:00 a 00:00 y de 22:00 a 23:00 se superponen."),
        (["09:00-18:00", "10:00-11:00"], "se superponen."),
        (["13:00-09:00"], "De 13:00 a 09:00: tiene que terminar después de empezar."),
    ],
)
def test_set_weekly_hours_refuses_an_impossible_day(typed, message):
    with pytest.raises(ImpossibleHoursError) as refusal:
        set_weekly_hours({Weekday.MONDAY: ranges(*typed)})

    assert message in refusal.value.text


# --- The booking rules: one row, which the list leads to ------------------------------------------


ADD = reverse("admin:bookings_bookingrules_add")
CHANGE = reverse("admin:bookings_bookingrules_change", args=[1])
RULES = {
    "slot_step_minutes": 30,
    "buffer_before_minutes": 0,
    "buffer_after_minutes": 10,
    "minimum_notice_minutes": 60,
    "horizon_days": 30,
    "change_cutoff_minutes": 1440,
    "hold_minutes": 15,
    "is_free_account": True,
}


def test_before_the_first_time_the_form_shows_the_defaults(panel):
    page = panel.get(CHANGE).content.decode()

    assert '<option value="720" selected>12 horas antes</option>' in page
    assert not BookingRules.objects.exists()


def test_the_first_time_makes_the_row(panel):
    panel.post(CHANGE, RULES)

    assert [rules.minimum_notice_minutes for rules in BookingRules.objects.all()] == [60]


def test_there_is_no_second_row_and_no_way_to_delete_the_first(panel):
    BookingRules().save()

    answers = [
        panel.get(ADD).status_code,
        panel.post(ADD, RULES).status_code,
        panel.post(reverse("admin:bookings_bookingrules_delete", args=[1])).status_code,
        panel.get(reverse("admin:bookings_bookingrules_change", args=[2]), follow=True).status_code,
    ]

    assert answers == [403, 403, 403, 200]
    assert [rules.minimum_notice_minutes for rules in BookingRules.objects.all()] == [720]


def test_rules_are_changed(panel):
    BookingRules().save()

    panel.post(CHANGE, {**RULES, "horizon_days": 60})

    assert BookingRules.load().horizon_days == 60


def test_a_stored_value_beside_the_usual_ones_is_offered_and_stays(panel):
    BookingRules(minimum_notice_minutes=100, daily_mail_at=time(9, 15)).save()

    form = panel.get(CHANGE).context["adminform"].form
    shown = {name: form[name].value() for name in form.fields}
    panel.post(CHANGE, shown)

    assert (100, "100 minutos antes") in form.fields["minimum_notice_minutes"].choices
    stored = BookingRules.load()
    assert (stored.minimum_notice_minutes, stored.daily_mail_at) == (100, time(9, 15))


@pytest.mark.parametrize(
    "change", [{"horizon_days": 90}, {"slot_step_minutes": 0}, {"hold_minutes": ""}]
)
def test_impossible_rules_are_refused(panel, change):
    BookingRules().save()

    response = panel.post(CHANGE, {**RULES, **change})

    assert response.status_code == 200
    assert BookingRules.load().minimum_notice_minutes == 720
