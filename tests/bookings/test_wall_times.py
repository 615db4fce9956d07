"""domain/classes/times.py: a class keeps its hour when the law of the zone changes."""

import json
from datetime import UTC, date, datetime, time, timedelta
from io import StringIO
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.core import mail
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone
from icalendar import Calendar

from bookings.domain.calendar.writing import update_events
from bookings.domain.classes import scheduling, times
from bookings.domain.classes.finishing import finish_requested_schedulings
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.classes.times import StaleLawError, find_shifts, keep_wall_times
from bookings.domain.places.joining import join_class
from bookings.models import Notice, VirtualClass
from bookings.notices.delivery import deliver_due
from tests.booking import book_class
from tests.factories import HoldFactory
from tests.zones import AN_HOUR_AHEAD, AN_HOUR_BEHIND, compile_zone, new_law

pytestmark = pytest.mark.django_db

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
NOW = datetime(2026, 11, 22, 15, tzinfo=UTC)
MONDAY = date(2026, 12, 7)  # a day after the change


def local(clock, day=MONDAY):
    return datetime.combine(
        day, time.fromisoformat(clock), tzinfo=ZoneInfo("America/Argentina/Buenos_Aires")
    )


def book(host, clock="16:00", day=MONDAY, **more):
    start = local(clock, day)
    return book_class(
        user=host,
        start=start,
        end=start + HOUR,
        is_group_class=True,
        students_count=5,
        price=0,
        preference_id=f"preference-{day}-{clock}",
        **more,
    )


def schedule(host, clock="16:00", day=MONDAY):
    return schedule_class(preference_id=book(host, clock, day).preference_id)


def instant_of(event):
    """Return when an event of the stand-in begins, by the zone's law before its change."""
    return datetime.fromisoformat(event["start"]["dateTime"])


def clocks():
    """The hours that people read, in their order."""
    starts = VirtualClass.objects.order_by("start_time").values_list("start_time", flat=True)
    return [f"{timezone.localtime(start):%H:%M}" for start in starts]


@pytest.fixture(autouse=True)
def _today():
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def law(tmp_path):
    """The law that brings daylight saving back, inside of the block."""
    return lambda offset=AN_HOUR_AHEAD: new_law(tmp_path, offset)


@pytest.fixture
def scheduled(host, student, teacher):
    """Ana's class on Monday at 16:00, with Bruno; both were told."""
    virtual_class = schedule(host)
    join_class(user=student, access_code=virtual_class.access_code)
    now = timezone.now()
    Notice.objects.filter(due_at__lte=now).update(sent_at=now, next_attempt_at=None)
    return virtual_class


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


def keep_before(name, monkeypatch):
    """Mend the rows before a step of scheduling, which goes on with what it has read."""
    step = getattr(scheduling, name)

    def be_late(*arguments, **named):
        monkeypatch.undo()
        assert keep_wall_times() == 1
        return step(*arguments, **named)

    monkeypatch.setattr(scheduling, name, be_late)


def keep_after(name, monkeypatch):
    """Mend the rows after a step of scheduling."""
    step = getattr(scheduling, name)

    def be_early(*arguments, **named):
        monkeypatch.undo()
        done = step(*arguments, **named)
        assert keep_wall_times() == 1
        return done

    monkeypatch.setattr(scheduling, name, be_early)


MOMENTS = {
    "class read": (keep_after, "get_class_by_preference"),
    "event about to be made": (keep_before, "create_event"),
    "event made": (keep_after, "create_event"),
    "class stored": (keep_after, "record_place"),
}


@pytest.mark.parametrize(("act", "name"), MOMENTS.values(), ids=MOMENTS)
def test_class_that_is_scheduled_while_the_law_changes_gets_its_hour(
    host, teacher, law, google, monkeypatch, act, name
):
    virtual_class = book(host)
    act(name, monkeypatch)

    with law():
        schedule_class(preference_id=virtual_class.preference_id)
        for minutes in (2, 4):
            with time_machine.travel(NOW + minutes * MINUTE):
                finish_requested_schedulings()
                update_events()
        [event] = google.live_events()
        assert clocks() == ["16:00"]

    stored = VirtualClass.objects.get()
    assert stored.is_scheduled
    assert stored.event_update_requested_at is None
    assert instant_of(event) == stored.start_time == datetime(2026, 12, 7, 18, tzinfo=UTC)
