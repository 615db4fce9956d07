"""availability/slots.py against an oracle that tries every candidate against everything."""

import os
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from bookings.availability.slots import Agenda, Period, open_on

ARGENTINA = ZoneInfo("America/Argentina/Buenos_Aires")
MINUTE = timedelta(minutes=1)

# Fewer in the daily run; `HYPOTHESIS_EXAMPLES=20000 make test` looks longer.
EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "40"))

# Weeks in which clocks jump, there or back, and one in which they do not. Argentina itself changed
# its clocks until 2009.
WEEKS = [
    (ARGENTINA, date(2026, 11, 23)),
    (ARGENTINA, date(2008, 10, 16)),
    (ARGENTINA, date(2009, 3, 12)),
    (ZoneInfo("America/New_York"), date(2026, 3, 5)),
    (ZoneInfo("America/New_York"), date(2026, 10, 29)),
    (ZoneInfo("Australia/Lord_Howe"), date(2026, 4, 2)),
]

clocks = st.integers(0, 95).map(lambda quarter: time(quarter // 4, quarter % 4 * 15))
ranges = st.lists(st.tuples(clocks, clocks), max_size=3)


@st.composite
def busy_periods(draw, week):
    zone, monday = week
    begin = datetime.combine(monday, time(0), tzinfo=zone).astimezone(UTC)
    offsets = st.tuples(st.integers(-600, 6 * 1440), st.integers(1, 600))
    return [
        Period(begin + start * MINUTE, begin + (start + length) * MINUTE)
        for start, length in draw(st.lists(offsets, max_size=6))
    ]


@st.composite
def calendars(draw):
    week = draw(st.sampled_from(WEEKS))
    zone, monday = week
    days = [monday + timedelta(days=n) for n in range(5)]
    openings = [opening for day in days for opening in open_on(day, draw(ranges), zone)]
    begin = datetime.combine(monday, time(0), tzinfo=zone).astimezone(UTC)
    agenda = Agenda(
        openings=openings,
        classes=draw(busy_periods(week)),
        appointments=draw(busy_periods(week)),
        step=draw(st.sampled_from([5, 15, 20, 30, 60])) * MINUTE,
        buffer_before=draw(st.sampled_from([0, 5, 10, 45])) * MINUTE,
        buffer_after=draw(st.sampled_from([0, 10, 15])) * MINUTE,
        earliest=begin + draw(st.integers(-600, 3000)) * MINUTE,
        latest=begin + draw(st.integers(1440, 6 * 1440)) * MINUTE,
    )
    length = draw(st.sampled_from([30, 45, 60, 90])) * MINUTE
    return agenda, length


def free_by_oracle(agenda, length):
    """Walk each stretch of opening minute by minute and ask every rule of every candidate."""
    open_minutes = {
        opening.start + n * MINUTE
        for opening in agenda.openings
        for n in range(int((opening.end - opening.start) / MINUTE))
    }
    free = []
    grid = None
    for minute in sorted(open_minutes):
        if minute - MINUTE not in open_minutes:
            grid = minute
        if (minute - grid) % agenda.step:
            continue
        end = minute + length
        wanted = [minute + n * MINUTE for n in range(int(length / MINUTE))]
        if not all(each in open_minutes for each in wanted):
            continue
        if not agenda.earliest <= minute <= agenda.latest:
            continue
        pause = max(agenda.buffer_before, agenda.buffer_after)
        if any(minute < c.end + pause and c.start - pause < end for c in agenda.classes):
            continue
        if any(
            minute - agenda.buffer_before < a.end and a.start < end + agenda.buffer_after
            for a in agenda.appointments
        ):
            continue
        free.append(Period(minute, end))
    return free


@settings(max_examples=EXAMPLES, deadline=None)
@given(calendars())
def test_find_free_slots_agrees_with_the_oracle(calendar):
    agenda, length = calendar

    assert list(agenda.list_free_slots(length)) == free_by_oracle(agenda, length)


@settings(max_examples=EXAMPLES, deadline=None)
@given(calendars())
def test_sum_free_time_counts_the_free_minutes(calendar):
    agenda, _ = calendar
    since = agenda.earliest
    minutes = {
        opening.start + n * MINUTE
        for opening in agenda.openings
        for n in range(int((opening.end - opening.start) / MINUTE))
    }
    busy = [*agenda.classes, *agenda.appointments]
    free = [
        one
        for one in minutes
        if one >= since and not any(other.start <= one < other.end for other in busy)
    ]

    assert agenda.sum_free_time(since=since) == len(free) * MINUTE


def test_open_on_keeps_the_wall_clock_when_clocks_change():
    spring = open_on(date(2026, 3, 8), [(time(1), time(4))], ZoneInfo("America/New_York"))

    assert spring[0].end - spring[0].start == timedelta(hours=2)


def test_open_on_opens_until_midnight():
    [evening] = open_on(date(2026, 11, 24), [(time(23), time(0))], ARGENTINA)

    assert evening.end - evening.start == timedelta(hours=1)
