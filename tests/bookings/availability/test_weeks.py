"""availability/weeks.py: a week in columns of quarter hours."""

from datetime import date, datetime, time, timedelta
from itertools import combinations
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from bookings.availability.agenda import Hours
from bookings.availability.slots import Period
from bookings.availability.weeks import MAX_LANES, Entry, EntryKind, build_week

ZONE = ZoneInfo("America/Argentina/Buenos_Aires")
MONDAY = date(2026, 11, 23)
STEP = timedelta(minutes=5)


def at(day: int, clock: str) -> datetime:
    """Give a local time of the week's ``day``, counted from 0."""
    return datetime.combine(MONDAY + timedelta(days=day), time.fromisoformat(clock), tzinfo=ZONE)


def entry(day, start, end, kind=EntryKind.SCHEDULED, last_day=None):
    return Entry(kind, Period(at(day, start), at(day if last_day is None else last_day, end)))


def week_of(*entries, openings=(), monday=MONDAY):
    hours = Hours([*openings], [*openings], {})
    return build_week(monday, hours=hours, entries=entries, now=at(-7, "00:00"))


def hours_of(week):
    return [hour for hour, _rows in week.hours]


def test_a_week_has_seven_days_from_monday_and_neighbours():
    week = week_of()

    assert [column.day.isoformat() for column in week.days][::6] == ["2026-11-23", "2026-11-29"]
    assert (week.previous, week.following) == (date(2026, 11, 16), date(2026, 11, 30))


def test_an_empty_week_shows_nine_to_six():
    assert hours_of(week_of()) == list(range(9, 18))


def test_the_hours_reach_from_the_first_thing_to_the_last():
    week = week_of(entry(1, "07:45", "08:30"), openings=[Period(at(2, "10:00"), at(2, "20:15"))])

    assert hours_of(week) == list(range(7, 21))
    assert week.days[1].blocks[0].rows == range(3, 6)
    assert week.days[2].openings[0].rows == range(12, 53)


def test_what_lasts_over_midnight_is_cut():
    week = week_of(entry(1, "22:00", "02:00", last_day=2))

    assert [len(column.blocks) for column in week.days] == [0, 1, 1, 0, 0, 0, 0]
    assert [f"{b.start:%H:%M}-{b.end:%H:%M}" for c in week.days for b in c.blocks] == [
        "22:00-00:00",
        "00:00-02:00",
    ]
    assert hours_of(week) == list(range(24))


def test_a_whole_day_fills_its_column_without_making_it_longer():
    week = week_of(
        entry(2, "00:00", "00:00", EntryKind.APPOINTMENT, last_day=4), entry(0, "10:00", "12:00")
    )

    assert hours_of(week) == [10, 11]
    assert [b.rows for b in week.days[2].blocks] == [range(8)]
    assert [b.is_all_day for c in week.days for b in c.blocks] == [False, True, True]


def test_a_scheduled_class_stands_before_any_number_of_requests():
    week = week_of(
        *[entry(0, "09:00", "11:00", EntryKind.PENDING) for _ in range(5)],
        entry(0, "10:00", "11:00"),
    )

    day = week.days[0]
    assert [b.entry.kind for b in day.blocks if b.lane == 1] == [EntryKind.SCHEDULED]
    assert day.without_room == 3


def test_a_day_with_a_clock_change_looks_like_any_other(settings):
    settings.TIME_ZONE = "America/New_York"
    new_york = ZoneInfo("America/New_York")
    sunday = date(2026, 3, 8)
    nine = datetime.combine(sunday, time(9), tzinfo=new_york)
    week = week_of(
        Entry(EntryKind.SCHEDULED, Period(nine, nine + timedelta(hours=1))), monday=date(2026, 3, 2)
    )

    assert hours_of(week) == [9]
    assert week.days[6].blocks[0].rows == range(4)


starts = st.integers(-2 * 288, 8 * 288)  # steps, 288 a day
lengths = st.integers(1, 400)
entries = st.lists(st.tuples(starts, lengths, st.sampled_from(EntryKind)), max_size=12)


@given(entries)
def test_every_entry_has_its_blocks_and_none_covers_another(drawn):
    begin = at(0, "00:00")
    everything = [
        Entry(kind, Period(begin + start * STEP, begin + (start + length) * STEP))
        for start, length, kind in drawn
    ]

    week = week_of(*everything)

    rows = sum(len(rows) for _hour, rows in week.hours)
    for offset, column in enumerate(week.days):
        day = Period(at(offset, "00:00"), at(offset + 1, "00:00"))
        assert sorted(block.entry.period for block in column.blocks) == sorted(
            one.period for one in everything if one.period.overlaps(day)
        )
        assert all(b.rows.start >= 0 and b.rows.stop <= rows for b in column.blocks)
        assert all(1 <= b.lanes <= MAX_LANES for b in column.blocks)
        assert all(b.lane <= b.lanes for b in column.blocks if b.has_room)
        for one, other in combinations(column.blocks, 2):
            assert one.lane != other.lane or not set(one.rows) & set(other.rows)
            assert one.lanes == other.lanes or not set(one.rows) & set(other.rows)
