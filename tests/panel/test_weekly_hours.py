"""The week's hours on one page."""

from datetime import time

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from bookings.availability.agenda import list_weekly_hours
from bookings.domain.desk.hours import set_weekly_hours
from bookings.domain.exceptions import ImpossibleHoursError
from bookings.models import Weekday, WeeklyHours

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


def test_a_row_in_the_middle_may_be_emptied(panel):
    panel.post(PAGE, boxes(0, "09:00-10:00", "-", "11:00-12:00"))

    assert stored() == ["Lunes de 09:00 a 10:00", "Lunes de 11:00 a 12:00"]


def test_ranges_that_touch_are_fine(panel):
    panel.post(PAGE, boxes(0, "09:00-10:00", "10:00-11:00"))

    assert len(stored()) == 2


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


def test_staff_who_may_only_look_cannot_save(host, sign_in):
    host.is_staff = True
    host.save()
    host.user_permissions.add(Permission.objects.get(codename="view_weeklyhours"))
    client = sign_in(host)

    shown, refused = client.get(PAGE), client.post(PAGE, boxes(0, "09:00-10:00"))

    assert (shown.status_code, refused.status_code, stored()) == (200, 403, [])
    assert "Guardar la semana" not in shown.content.decode()


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["09:00-13:00", "09:00-13:00"], "se superponen."),
        (["20:00-00:00", "22:00-23:00"], "De 20:00 a 00:00 y de 22:00 a 23:00 se superponen."),
        (["09:00-18:00", "10:00-11:00"], "se superponen."),
        (["13:00-09:00"], "De 13:00 a 09:00: tiene que terminar después de empezar."),
        (["09:00-09:00"], "tiene que terminar después de empezar."),
    ],
)
def test_set_weekly_hours_refuses_an_impossible_day(typed, message):
    with pytest.raises(ImpossibleHoursError) as refusal:
        set_weekly_hours({Weekday.MONDAY: ranges(*typed)})

    assert message in refusal.value.text


def test_set_weekly_hours_names_the_day_it_refuses():
    with pytest.raises(ImpossibleHoursError) as refusal:
        set_weekly_hours(
            {Weekday.MONDAY: ranges("09:00-10:00"), Weekday.SUNDAY: ranges("10:00-09:00")}
        )

    assert refusal.value.weekday == Weekday.SUNDAY
    assert list_weekly_hours() == {weekday: [] for weekday in Weekday}
