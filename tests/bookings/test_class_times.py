"""Dates, times and money as people in Argentina read them, in both languages."""

from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.utils import translation

from bookings.templatetags.class_times import (
    clock,
    duration,
    lead_time,
    long_day,
    minutes,
    month,
    month_and_year,
    near_day,
    pesos,
    short_day,
    time_until,
    weekday,
    weekday_name,
)

# A Wednesday in Buenos Aires, Thursday already in UTC.
LATE = datetime(2026, 11, 26, 1, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("day", "text"),
    [
        (date(2026, 11, 25), "hoy, miércoles 25 de noviembre"),
        (date(2026, 11, 26), "mañana, jueves 26 de noviembre"),
        (date(2026, 11, 27), "viernes 27 de noviembre"),
        (date(2026, 11, 24), "martes 24 de noviembre"),
    ],
)
def test_near_day_names_today_and_tomorrow(day, text):
    with time_machine.travel(LATE, tick=False):
        assert near_day(day) == text


@pytest.mark.parametrize(
    ("centavos", "text"),
    [(1_500_000, "$\xa015.000"), (1_500_050, "$\xa015.000,50"), (0, "$\xa00"), (99, "$\xa00,99")],
)
def test_pesos_hide_centavos_when_there_are_none(centavos, text):
    assert pesos(centavos) == text


@pytest.mark.parametrize(
    ("left", "text"),
    [
        (timedelta(hours=12), "12 h"),
        (timedelta(hours=11, minutes=58, seconds=1), "11 h 59 min"),
        (timedelta(minutes=59, seconds=1), "1 h"),
        (timedelta(seconds=1), "1 min"),
        (timedelta(seconds=-1), "0 min"),
    ],
)
def test_what_is_left_is_told_in_hours_and_minutes(left, text):
    with time_machine.travel(LATE, tick=False):
        assert time_until(LATE + left).replace("\xa0", " ") == text


@pytest.mark.parametrize(
    ("time", "spanish", "english"),
    [
        (timedelta(days=30), "30 días", "30 days"),
        (timedelta(hours=36), "36 horas", "36 hours"),
        (timedelta(minutes=90), "90 minutos", "90 minutes"),
        (timedelta(days=1), "1 día", "1 day"),
    ],
)
def test_a_duration_is_told_in_its_largest_exact_unit(time, spanish, english):
    assert duration(time) == spanish
    with translation.override("en"):
        assert duration(time) == english


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (timedelta(days=1), "24 horas"),
        (timedelta(hours=48), "48 horas"),
        (timedelta(days=7), "7 días"),
        (timedelta(minutes=90), "90 minutos"),
    ],
)
def test_a_lead_time_is_no_day_of_the_calendar(time, words):
    assert lead_time(time) == words


def test_english_keeps_the_country_s_order_clock_and_currency():
    with translation.override("en"):
        days = [long_day(LATE), short_day(LATE), weekday(LATE), weekday_name(LATE), month(LATE)]
        others = [month_and_year(date(2026, 11, 1)), clock(LATE), minutes(60)]
        prices = [pesos(1_500_000), pesos(1_500_050)]

    assert days == ["Wednesday 25 November", "Wed 25 Nov", "Wed", "Wednesday", "Nov"]
    assert others == ["November 2026", "22:30", "60 min"]
    assert prices == ["ARS\xa015,000", "ARS\xa015,000.50"]
