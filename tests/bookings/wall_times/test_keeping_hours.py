"""domain/classes/times.py: a class keeps its hour when the law of the zone changes."""

import json
from datetime import UTC, date, datetime, time
from io import StringIO

import pytest
import time_machine
from django.core import mail
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone
from icalendar import Calendar

from bookings.availability.agenda import load_agenda
from bookings.domain.calendar.writing import update_events
from bookings.domain.classes import times
from bookings.domain.classes.changing import reschedule_class
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.classes.times import StaleLawError, find_shifts, keep_wall_times
from bookings.models import (
    BookingRules,
    Notice,
    NoticeKind,
    VirtualClass,
    WeeklyHours,
)
from bookings.notices.delivery import deliver_due
from bookings.notices.due import plan_missing_reminders
from tests.booking import book_class
from tests.bookings.wall_times.steps import (
    HOUR,
    MINUTE,
    MONDAY,
    NOW,
    book,
    clocks,
    instant_of,
    local,
    schedule,
)
from tests.factories import HoldFactory
from tests.zones import AN_HOUR_AHEAD, AN_HOUR_BEHIND, compile_zone

pytestmark = pytest.mark.django_db


def test_class_keeps_its_hour_on_page_api_and_file(scheduled, law, host, sign_in):
    with law():
        keep_wall_times()
        page = sign_in(host).get(reverse("bookings:class", args=[scheduled.pk]))
        file = sign_in(host).get(reverse("bookings:calendar_file", args=[scheduled.pk]))

    assert "16:00" in page.content.decode()
    assert "17:00" in page.content.decode()
    assert "18:00" not in page.content.decode()
    [event] = Calendar.from_ical(file.content).events
    assert (event["SEQUENCE"], f"{event.start:%d %H:%M}") == (1, "07 16:00")
    scheduled.refresh_from_db()
    assert scheduled.start_time == datetime(2026, 12, 7, 18, tzinfo=UTC)
    assert scheduled.end_time - scheduled.start_time == HOUR
    assert scheduled.utc_offset == -120


def test_event_follows_the_hour(scheduled, law, google):
    with law():
        keep_wall_times()
        with time_machine.travel(NOW + 2 * MINUTE):
            updated = update_events()
        [event] = google.events()

    assert updated == 2  # the hour, and the guest who joined
    assert instant_of(event) == datetime(2026, 12, 7, 18, tzinfo=UTC)
    scheduled.refresh_from_db()
    assert (scheduled.event_update_requested_at, scheduled.calendar_drift) == (None, "")


def test_everybody_in_the_class_gets_one_mail(scheduled, law, host, student):
    with law():
        keep_wall_times()
        keep_wall_times()
        deliver_due()

    assert sorted(letter.to[0] for letter in mail.outbox) == sorted([host.email, student.email])
    letter = mail.outbox[0]
    assert letter.subject == "Tu clase sigue a la misma hora: lunes 7 de diciembre, 16:00"
    [entry] = [part for part in letter.attachments if part[0] == "clase.ics"]
    [event] = Calendar.from_ical(entry[1]).events
    assert (event["SEQUENCE"], f"{event.start:%d %H:%M}") == (1, "07 16:00")


def test_reminders_follow_the_hour(scheduled, law, host):
    with law():
        keep_wall_times()
        with time_machine.travel(datetime(2026, 12, 7, 16, 30, tzinfo=UTC)):
            plan_missing_reminders()

    due = Notice.objects.filter(user=host, kind=NoticeKind.REMINDER_HOUR)
    assert [notice.due_at for notice in due] == [datetime(2026, 12, 7, 17, tzinfo=UTC)]


def test_classes_before_the_change_stay(host, teacher, law):
    before = schedule(host, day=date(2026, 12, 4))

    with law():
        assert keep_wall_times() == 0

    before.refresh_from_db()
    assert before.start_time == datetime(2026, 12, 4, 19, tzinfo=UTC)


def test_class_that_began_stays(scheduled, law):
    with law(), time_machine.travel(scheduled.start_time + MINUTE):
        assert keep_wall_times() == 0


def test_same_law_costs_two_queries_however_many_classes(
    scheduled, host, django_assert_num_queries
):
    book(host, "18:00")

    with django_assert_num_queries(2):
        assert keep_wall_times() == 0


@pytest.mark.parametrize("offset", [AN_HOUR_AHEAD, AN_HOUR_BEHIND], ids=["earlier", "later"])
def test_classes_back_to_back_all_keep_their_hours(host, teacher, law, offset):
    hours = ["14:00", "15:00", "16:00"]
    for hour in ["15:00", "14:00", "16:00"]:
        schedule(host, hour)

    with law(offset):
        assert keep_wall_times() == 3
        assert clocks() == hours


def test_pending_class_and_hold_keep_their_hours_without_a_mail(host, law):
    pending = book(host)
    hold = HoldFactory(
        user=host,
        start_time=pending.start_time,
        end_time=pending.end_time,
        class_type="grupal",
        purchase=pending.purchase,
        expires_at=NOW + 15 * MINUTE,
    )

    with law():
        assert keep_wall_times() == 2
        assert clocks() == ["16:00"]

    hold.refresh_from_db()
    pending.refresh_from_db()
    assert (hold.start_time, hold.end_time) == (pending.start_time, pending.end_time)
    assert not Notice.objects.exists()
    assert pending.ics_sequence == 0


def test_moved_class_keeps_its_new_hour(scheduled, law, teacher):
    reschedule_class(class_id=scheduled.pk, actor=teacher, start=local("10:00"))

    with law():
        keep_wall_times()
        assert clocks() == ["10:00"]


def test_class_whose_hour_is_taken_by_now_stays_and_the_teacher_is_told_once(
    scheduled, law, host, teacher
):
    with law():
        schedule_class(
            preference_id=book_class(
                user=host,
                start=datetime(2026, 12, 7, 18, tzinfo=UTC),
                end=datetime(2026, 12, 7, 19, tzinfo=UTC),
                is_group_class=True,
                students_count=5,
                price=0,
                preference_id="booked under the new law",
            ).preference_id
        )

        assert keep_wall_times() == keep_wall_times() == 0
        deliver_due()

    scheduled.refresh_from_db()
    assert scheduled.start_time == datetime(2026, 12, 7, 19, tzinfo=UTC)
    told = [letter.body for letter in mail.outbox if letter.to == [teacher.email]]
    law = "a la hora que habían acordado ahora hay otra clase"
    assert [law in body for body in told if "reservó una clase" not in body] == [True]


def test_hour_that_the_law_skips_is_told_as_a_move(host, teacher, law):
    schedule(host, "00:30", date(2026, 12, 6))
    deliver_due()
    mail.outbox.clear()

    with law():
        keep_wall_times()
        assert clocks() == ["01:30"]
        deliver_due()

    assert [letter.subject for letter in mail.outbox] == [
        "Tu clase cambió de horario: domingo 6 de diciembre, 01:30"
    ]


def test_process_with_an_older_law_says_so_and_changes_nothing(scheduled, tmp_path):
    import zoneinfo

    zoneinfo.reset_tzpath([str(compile_zone(tmp_path)), *zoneinfo.TZPATH])
    try:
        with pytest.raises(StaleLawError):
            keep_wall_times()
    finally:
        zoneinfo.reset_tzpath()

    scheduled.refresh_from_db()
    assert scheduled.start_time == datetime(2026, 12, 7, 19, tzinfo=UTC)


def test_two_workers_mend_a_class_once(scheduled, law, monkeypatch):
    with law():
        shifts = find_shifts()
        done = [times.apply_shift(shift) for shift in [*shifts, *shifts]]

    scheduled.refresh_from_db()
    assert done == [True, False]
    assert scheduled.ics_sequence == 1


# --- manage.py zone -------------------------------------------------------------------------------


def run_zone(*arguments):
    output = StringIO()
    try:
        call_command("zone", *arguments, stdout=output)
        code = 0
    except CommandError as error:
        code = error.returncode
    return code, json.loads(output.getvalue())["shifts"]


def test_command_finds_mends_and_then_finds_nothing(scheduled, law):
    with law():
        checked, [shift] = run_zone("--check")
        unchanged = VirtualClass.objects.get()
        mended, [again] = run_zone()
        after = run_zone("--check")

    assert (checked, mended, after) == (3, 0, (0, []))
    assert (unchanged.start_time, unchanged.ics_sequence) == (scheduled.start_time, 0)
    assert shift == {
        "VirtualClass": str(scheduled.pk),
        "hour": "2026-12-07T16:00",
        "stored": "2026-12-07T19:00:00+00:00",
        "belongs": "2026-12-07T18:00:00+00:00",
        "mended": False,
    }
    assert again["mended"]


# --- Opening hours and slots ----------------------------------------------------------------------


def test_opening_hours_are_the_teacher_s_clock(host, teacher, law):
    BookingRules.objects.create(slot_step_minutes=60, buffer_after_minutes=0)
    WeeklyHours.objects.create(weekday=0, start=time(15), end=time(18))
    schedule(host, "16:00")

    with law():
        keep_wall_times()
        with time_machine.travel(NOW + 2 * MINUTE):
            update_events()  # until then the event keeps its earlier time as well
        free = load_agenda(MONDAY, MONDAY).find_free_slots(HOUR)
        shown = [f"{timezone.localtime(slot.start):%H:%M}" for slot in free.get(MONDAY, [])]

    assert shown == ["15:00", "17:00"]


def test_hours_that_the_clocks_repeat_are_not_offered(teacher, law):
    """On 2027-03-07 at 00:00 the clocks go back to 23:00 of the day before."""
    saturday = date(2027, 3, 6)
    BookingRules.objects.create(minimum_notice_minutes=0, slot_step_minutes=60)
    WeeklyHours.objects.create(weekday=5, start=time(21), end=time(0))

    with law(), time_machine.travel(datetime(2027, 3, 1, 12, tzinfo=UTC), tick=False):
        free = load_agenda(saturday, saturday).find_free_slots(HOUR)
        shown = [f"{timezone.localtime(slot.start):%H:%M}" for slot in free[saturday]]

    assert shown == ["21:00", "22:00"]
