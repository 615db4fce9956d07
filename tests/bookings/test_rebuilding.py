"""domain/recovery/rebuilding.py: rows that a restored backup lacks come back from the calendar."""

import json
from datetime import timedelta
from io import StringIO

import pytest
import time_machine
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from django.utils import timezone

from bookings.domain.calendar.records import open_record, seal_record
from bookings.domain.lifecycle.rescheduling import reschedule_class
from bookings.domain.places.joining import join_class
from bookings.domain.recovery.comparing import compare_all
from bookings.domain.recovery.rebuilding import rebuild_from_calendar
from bookings.domain.recovery.reconciling import reconcile_automatically
from bookings.models import (
    ClassEvent,
    ClassStatus,
    Notice,
    NoticeKind,
    Payment,
    PaymentStatus,
    Role,
    UserActivity,
    VirtualClass,
)
from tests.bookings.drifts import dump, scheduled_classes
from tests.factories import UserFactory, VirtualClassFactory
from tests.standins import Fault

# What the event does not know: the code is made after it, the guests join after it, and these are
# marks of the work that led there.
NOT_KEPT = {
    "access_code",
    "current_participants",
    "guests_changed_at",
    "participants_ids",
    "scheduling_requested_at",
    "updated_at",
    "ics_sequence",
}


def kept(virtual_class):
    row = VirtualClass.objects.filter(pk=virtual_class.pk).values().get()
    row["start_time"] = row["start_time"].replace(microsecond=0)
    row["end_time"] = row["end_time"].replace(microsecond=0)
    return {name: value for name, value in row.items() if name not in NOT_KEPT}


def lose(*classes):
    """Restore a backup from before the classes were booked."""
    VirtualClass.objects.filter(pk__in=[one.pk for one in classes]).delete()


def unschedule(virtual_class):
    """Restore a backup from between the booking and the scheduling."""
    UserActivity.objects.filter(virtual_class=virtual_class).delete()
    VirtualClass.objects.filter(pk=virtual_class.pk).update(
        status=ClassStatus.PENDING,
        scheduling_requested_at=None,
        provider_event_id=None,
        access_code=None,
        html_link="",
        current_participants=0,
        owns_time=False,
        paid_at=None,
    )


@pytest.fixture
def scheduled(host, teacher, google):
    return scheduled_classes(
        1,
        booked_by=host,
        learning_focus="Inglés para viajar ✈ " * 90,
        paid_at=timezone.now(),
        preference_id="p" * 255,
    )[0]


def problems(lines):
    return [line.get("problem") for line in lines]


def test_a_lost_class_comes_back_field_by_field(scheduled, google, host, student):
    join_class(user=student, access_code=scheduled.access_code)
    before, events = kept(scheduled), google.events()
    lose(scheduled)

    [line] = rebuild_from_calendar()

    stored = VirtualClass.objects.get()
    assert (line["action"], line["done"]) == ("rebuild", True)
    assert "problem" not in line
    assert kept(scheduled) == before
    assert google.events() == events
    assert len(stored.access_code) == 8
    assert stored.access_code != scheduled.access_code
    assert (stored.current_participants, stored.participants_ids) == (1, [str(host.pk)])
    [activity] = stored.activities.all()
    assert (activity.user, activity.rol, activity.completed) == (host, Role.HOST, False)
    assert [entry.event for entry in stored.log.all()] == [ClassEvent.REBUILT]
    assert Notice.objects.filter(kind=NoticeKind.CONFIRMATION, user=host).count() == 1
    assert compare_all().findings == []
    call_command("notices", "--audit", stdout=StringIO())  # no mail is missing


def test_many_classes_scheduled_after_the_backup_are_there_once(teacher, google):
    classes = scheduled_classes(6)
    lose(*classes[:3])
    for virtual_class in classes[3:]:
        unschedule(virtual_class)

    # The worker, should it run, leaves them alone.
    with time_machine.travel(timezone.now() + timedelta(minutes=5)):
        assert not any(one.is_repaired for one in reconcile_automatically().findings)
        lines = rebuild_from_calendar()

    assert {line["done"] for line in lines} == {True}
    assert VirtualClass.objects.filter(status=ClassStatus.SCHEDULED).count() == 6
    assert len(google.live_events()) == 6
    assert compare_all().findings == []


def test_a_class_known_as_pending_takes_its_event_back(scheduled, google):
    before = kept(scheduled)
    unschedule(scheduled)

    [line] = rebuild_from_calendar()

    assert (line["action"], line["done"]) == ("adopt", True)
    assert kept(scheduled) == before


def test_rows_that_exist_are_never_overwritten(scheduled, google):
    VirtualClass.objects.update(learning_focus="otra cosa", class_price=1)
    rows = dump()

    assert rebuild_from_calendar() == []
    assert dump() == rows


def test_a_payment_without_its_class_gets_it_back(scheduled, google, host, mercadopago):
    """Else it would be paid back, as money for which nobody booked."""
    lose(scheduled)
    unjoined = Payment.objects.create(
        preference_id=scheduled.preference_id,
        user=host,
        amount=scheduled.class_price,
        status=PaymentStatus.APPROVED,
        approved_at=timezone.now(),
    )

    rebuild_from_calendar()

    unjoined.refresh_from_db()
    assert unjoined.virtual_class == VirtualClass.objects.get()
    assert unjoined.next_check_at is not None


def test_a_payment_that_is_not_stored_is_looked_up_again(scheduled, google, host, mercadopago):
    lose(scheduled)

    rebuild_from_calendar()

    payment = Payment.objects.get()
    assert payment.virtual_class == VirtualClass.objects.get()
    assert (payment.amount, payment.status, payment.user) == (
        scheduled.class_price,
        PaymentStatus.PENDING,
        host,
    )
    assert payment.next_check_at <= timezone.now()


def test_without_a_payment_provider_there_is_no_payment_to_look_up(scheduled, google):
    lose(scheduled)

    rebuild_from_calendar()

    assert not Payment.objects.exists()


def test_classes_that_are_over_come_back_without_a_mail(scheduled, google):
    lose(scheduled)

    with time_machine.travel(scheduled.end_time + timedelta(days=1)):
        [line] = rebuild_from_calendar()

    assert line["done"]
    assert not Notice.objects.exists()


def test_the_calendars_of_people_follow_a_class_that_came_back(scheduled, google, teacher):
    earlier = scheduled.ics_sequence
    for hours in (1, 2):
        start = scheduled.start_time + timedelta(hours=hours)
        moved = reschedule_class(class_id=scheduled.pk, actor=teacher, start=start)
    lose(scheduled)

    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        rebuild_from_calendar()

    assert VirtualClass.objects.get().ics_sequence > moved.ics_sequence > earlier


def test_a_host_who_signed_up_again_is_found_by_address(scheduled, google, host):
    lose(scheduled)
    address = host.email
    host.delete()
    again = UserFactory(email=address)

    [line] = rebuild_from_calendar()

    assert line["done"]
    assert VirtualClass.objects.get().booked_by == again


def test_a_preference_that_another_class_has_stands_in_the_way(scheduled, google):
    lose(scheduled)
    VirtualClassFactory(preference_id=scheduled.preference_id)

    assert problems(rebuild_from_calendar()) == ["preference_taken"]


def test_a_class_without_its_meeting_waits_for_one(scheduled, google):
    lose(scheduled)
    google.edit_event(scheduled.provider_event_id, conferenceData=None)

    assert problems(rebuild_from_calendar()) == ["no_link"]


def forged(google, virtual_class, record):
    private = {"reference": str(virtual_class.pk)} | ({"record0": record} if record else {})
    google.edit_event(virtual_class.provider_event_id, extendedProperties={"private": private})


def test_a_record_that_was_tampered_with_is_no_record(scheduled, google, host):
    [event] = google.live_events()
    parts = event["extendedProperties"]["private"]
    other = VirtualClassFactory.build(booked_by=host)
    records = [
        "",
        "not sealed",
        json.dumps({"version": 1, "class_id": str(scheduled.pk)}),
        parts["record0"][:-8] + "AAAAAAA=",
        Fernet(Fernet.generate_key()).encrypt(b"{}").decode(),
        seal_record(other),
    ]
    lose(scheduled)

    for record in records:
        forged(google, scheduled, record)
        assert problems(rebuild_from_calendar()) == ["no_record"]
    assert not VirtualClass.objects.exists()


def test_a_copy_of_an_event_makes_no_class(scheduled, google):
    google.copy_event(scheduled.provider_event_id)
    google.delete_event(scheduled.provider_event_id)
    lose(scheduled)

    assert rebuild_from_calendar() == []


def test_the_record_tells_nothing_to_who_reads_it(scheduled, google, host):
    [event] = google.live_events()

    text = json.dumps(event["extendedProperties"])
    for secret in (host.email, str(host.pk), scheduled.preference_id, scheduled.access_code):
        assert secret not in text
    assert "viajar" not in text


def test_the_record_survives_a_change_of_keys(scheduled, google, settings):
    sealed = seal_record(scheduled)
    settings.FIELD_KEYS = [Fernet.generate_key().decode(), *settings.FIELD_KEYS]

    assert open_record(sealed, class_id=scheduled.pk).preference_id == scheduled.preference_id


@pytest.mark.parametrize("fault", [Fault.status(500), Fault.status(401), Fault.empty()])
def test_a_calendar_that_fails_rebuilds_nothing(scheduled, google, fault):
    lose(scheduled)
    rows = dump()
    google.fault("events.list", *[fault] * 6)

    code, output = run("--from-calendar")

    assert (code, output) == (2, "")
    assert dump() == rows


def run(*arguments):
    output = StringIO()
    try:
        call_command("rebuild", *arguments, stdout=output)
    except CommandError as error:
        return error.returncode, output.getvalue()
    return 0, output.getvalue()


def test_the_command_rebuilds_once_not_in_a_dry_run_and_prints_json(scheduled, google, host):
    lose(scheduled)
    rows, events = dump(), google.events()

    dry = run("--from-calendar", "--dry-run")
    assert dump() == rows
    done = run("--from-calendar")
    rows = dump()
    again = run("--from-calendar")
    assert (dump(), google.events()) == (rows, events)

    line = {
        "class": str(scheduled.pk),
        "event": scheduled.provider_event_id,
        "action": "rebuild",
        "done": False,
    }
    assert (dry[0], json.loads(dry[1])) == (0, {"classes": [line]})
    assert (done[0], json.loads(done[1])) == (0, {"classes": [{**line, "done": True}]})
    assert (again[0], json.loads(again[1])) == (0, {"classes": []})


def test_the_command_ends_with_3_while_a_host_is_not_stored(scheduled, google, host):
    lose(scheduled)
    host.delete()

    code, output = run("--from-calendar")

    assert code == 3
    assert json.loads(output)["classes"][0]["problem"] == "host_not_stored"
    assert not VirtualClass.objects.exists()
