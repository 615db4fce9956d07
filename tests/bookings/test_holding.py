"""domain/sales/holds.py: a chosen time is kept for a while."""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine

from bookings.domain.exceptions import NoPriceError, SlotTakenError, TooManyHoldsError
from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.holds import find_live_hold, hold_slot, release_hold
from bookings.models import BookingRules, ClassType, Hold, Price, WeeklyHours
from calendar_sync import CalendarNotConnectedError
from tests.factories import VirtualClassFactory

ZONE = ZoneInfo("America/Argentina/Buenos_Aires")
NOW = datetime(2026, 11, 23, 12, 0, tzinfo=ZONE)  # a Monday
TUESDAY = NOW.date() + timedelta(days=1)


@pytest.fixture(autouse=True)
def _agenda(teacher):
    """Tuesdays from nine to noon, an hour each, and today is Monday."""
    WeeklyHours.objects.create(weekday=1, start=time(9), end=time(12))
    Price.objects.create(
        class_type="individual", minutes=60, amount=1_500_000, valid_from="2026-01-01"
    )
    for students, amount in ((3, 2_400_000), (6, 3_600_000)):
        Price.objects.create(
            class_type="grupal",
            minutes=60,
            students_up_to=students,
            amount=amount,
            valid_from="2026-01-01",
        )
    with time_machine.travel(NOW, tick=False):
        yield


def at(clock, day=TUESDAY):
    return datetime.combine(day, time.fromisoformat(clock), tzinfo=ZONE)


def hold(user, clock="10:00", class_type=ClassType.INDIVIDUAL, minutes=60):
    return hold_slot(user=user, start=at(clock), minutes=minutes, class_type=class_type)


def test_hold_slot_keeps_the_time(host):
    kept = hold(host)

    assert Hold.objects.get() == kept
    assert (kept.start_time, kept.end_time) == (at("10:00"), at("11:00"))
    assert kept.expires_at == NOW + timedelta(minutes=15)


@pytest.mark.parametrize("clock", ["08:30", "11:30", "10:10", "13:00"])
def test_hold_slot_refuses_times_outside_the_hours(host, clock):
    with pytest.raises(SlotTakenError):
        hold(host, clock)


@pytest.mark.parametrize("clock", ["10:00", "09:30", "10:30"])
def test_hold_slot_refuses_the_time_somebody_else_holds(host, student, clock):
    hold(host)

    with pytest.raises(SlotTakenError):
        hold(student, clock)


def test_hold_slot_takes_over_an_expired_time(host, student):
    hold(host)

    with time_machine.travel(NOW + timedelta(minutes=15), tick=False):
        kept = hold(student)

    assert list(Hold.objects.all()) == [kept]


def test_hold_slot_refuses_the_time_of_a_class(host):
    VirtualClassFactory(scheduled=True, start_time=at("09:30"))

    with pytest.raises(SlotTakenError):
        hold(host)


def test_hold_slot_refuses_the_time_of_a_paid_class_that_waits_for_the_calendar(host):
    VirtualClassFactory(start_time=at("10:00"), paid_at=NOW, scheduling_requested_at=NOW)

    with pytest.raises(SlotTakenError):
        hold(host)


def test_hold_slot_refuses_the_teachers_appointments(host, google):
    google.add_event(
        start={"dateTime": at("10:30").isoformat()}, end={"dateTime": at("10:45").isoformat()}
    )

    with pytest.raises(SlotTakenError):
        hold(host)


def test_hold_slot_offers_nothing_when_the_calendar_cannot_be_read(host, teacher, google):
    google.revoke(teacher.provider_refresh_token)

    with pytest.raises(CalendarNotConnectedError):
        hold(host)

    assert not Hold.objects.exists()


def test_hold_slot_respects_notice_and_horizon(host):
    BookingRules.objects.create(minimum_notice_minutes=60 * 23, horizon_days=7)

    with pytest.raises(SlotTakenError):
        hold(host, "10:30")
    with pytest.raises(SlotTakenError):
        hold_slot(
            user=host,
            start=at("10:00", TUESDAY + timedelta(days=14)),
            minutes=60,
            class_type=ClassType.INDIVIDUAL,
        )


def test_hold_slot_refuses_a_length_that_is_not_offered(host):
    with pytest.raises(NoPriceError):
        hold(host, minutes=45)


def test_a_booked_hold_keeps_its_time_while_it_is_paid(host, student):
    kept = hold(host)
    check_out_hold(user=host, hold_id=kept.pk, students_count=1)

    with pytest.raises(SlotTakenError):
        hold(student)
    with pytest.raises(SlotTakenError):
        hold(host)


def test_release_hold_leaves_somebody_elses_alone(host, student):
    kept = hold(host)

    release_hold(user=student, hold_id=kept.pk)

    assert find_live_hold(user=host, hold_id=kept.pk) == kept


def test_hold_slot_lets_nobody_block_the_agenda_without_paying(host, settings):
    settings.MAX_UNPAID_HOLDS = 2
    BookingRules.objects.create(buffer_after_minutes=0)
    for clock in ("09:00", "10:00"):
        check_out_hold(user=host, hold_id=hold(host, clock).pk, students_count=1)

    with pytest.raises(TooManyHoldsError):
        hold(host, "11:00")

    assert Hold.objects.count() == 2
