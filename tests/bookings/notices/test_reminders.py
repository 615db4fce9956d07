"""notices/due.py, skip_rules.py: reminders are planned anew; obsolete mails are skipped."""

from datetime import timedelta

import pytest
import time_machine
from django.core import mail
from django.utils import timezone

from accounts.models import UserStatus
from bookings.domain.places.joining import join_class
from bookings.models import Notice, NoticeKind, VirtualClass, WaitingListEntry, WaitingState
from bookings.notices.delivery import deliver_due
from bookings.notices.due import plan_missing_reminders, record_alert, record_due, replan_reminders
from tests.bookings.stored import store_scheduled

DAY_BEFORE, HOUR_BEFORE = NoticeKind.REMINDER_DAY, NoticeKind.REMINDER_HOUR


def schedule_in(time_ahead, **changes):
    start = timezone.now() + time_ahead
    return store_scheduled(start_time=start, **changes)


@pytest.fixture
def far(host, teacher):
    """Ana's class in three days, with two reminders planned."""
    return schedule_in(timedelta(days=3), booked_by=host)


def planned():
    """Return address, kind and lead of each reminder."""
    reminders = Notice.objects.filter(kind__in=[DAY_BEFORE, HOUR_BEFORE]).select_related(
        "user", "virtual_class"
    )
    return {
        (one.user.email, one.kind, one.virtual_class.start_time - one.due_at) for one in reminders
    }


def test_a_class_that_moves_reminds_of_its_new_start_alone(far, host):
    far.start_time += timedelta(hours=5)
    far.end_time += timedelta(hours=5)
    far.save()

    replan_reminders(far)

    assert planned() == {
        (host.email, DAY_BEFORE, timedelta(hours=24)),
        (host.email, HOUR_BEFORE, timedelta(minutes=60)),
    }
    assert Notice.objects.filter(kind__in=[DAY_BEFORE, HOUR_BEFORE]).count() == 2


def test_what_it_is_too_late_for_is_written_down_as_not_sent(far):
    Notice.objects.all().delete()

    with time_machine.travel(far.end_time, tick=False):
        count = plan_missing_reminders()
        deliver_due()

    failures = Notice.objects.filter(sent_at=None, next_attempt_at=None)
    assert count == 2
    assert set(failures.values_list("kind", "failure")) == {
        (DAY_BEFORE, "La clase ya había terminado."),
        (HOUR_BEFORE, "La clase ya había terminado."),
    }


DAY, HOUR, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)


@pytest.fixture
def booked(host, teacher, student):
    """Ana's class in three days, with Bruno as its guest; both got their mails."""
    now = timezone.now()
    booked = store_scheduled(booked_by=host, start_time=now + 3 * DAY)
    joined = join_class(user=student, access_code=booked.access_code)
    Notice.objects.filter(due_at__lte=timezone.now()).update(sent_at=now, next_attempt_at=None)
    return joined


def deliver_at(moment):
    """Send what is due at that time; return first name and kind of each mail."""
    mail.outbox.clear()
    before = {notice.pk for notice in Notice.objects.exclude(sent_at=None)}
    with time_machine.travel(moment, tick=False):
        deliver_due()
    sent = Notice.objects.exclude(sent_at=None).exclude(pk__in=before)
    assert len(mail.outbox) == sent.count()
    return sorted((notice.user.first_name, notice.kind) for notice in sent)


def reasons():
    return set(Notice.objects.exclude(failure="").values_list("failure", flat=True))


def test_the_day_s_reminder_gives_way_to_the_hour_s(booked):
    sent = deliver_at(booked.start_time - HOUR)

    assert sent == [("Ana", "reminder_hour"), ("Bruno", "reminder_hour")]
    assert reasons() == {"Ya era tarde para mandarlo."}


@pytest.mark.parametrize(
    ("late", "count"), [(timedelta(minutes=9), 2), (timedelta(minutes=10), 0)], ids=["in", "out"]
)
def test_the_hour_s_reminder_is_of_use_for_ten_minutes_more(booked, late, count):
    assert len(deliver_at(booked.start_time + late)) == count


def test_nobody_writes_to_whoever_erased_their_account(booked, student):
    type(student).objects.filter(pk=student.pk).update(status=UserStatus.ERASED)

    assert deliver_at(booked.start_time - DAY) == [("Ana", "reminder_day")]
    assert reasons() == {"La persona borró su cuenta."}


def test_a_class_that_moved_is_not_recalled_at_its_old_time(booked):
    old_start = booked.start_time
    VirtualClass.objects.update(start_time=old_start + HOUR, end_time=old_start + 2 * HOUR)

    assert deliver_at(old_start - DAY) == []
    assert reasons() == {"La clase cambió de horario."}


@pytest.mark.parametrize("state", WaitingState)
def test_a_move_is_told_to_who_still_waits(booked, stranger, state):
    now = timezone.now()
    WaitingListEntry.objects.create(
        virtual_class=booked, user=stranger, state=state, offered_at=now, offer_expires_at=now
    )
    record_due(NoticeKind.WAITING_CLASS_MOVED, booked, [stranger.pk], occasion="1")

    is_in_line = state in {WaitingState.WAITING, WaitingState.OFFERED}
    assert deliver_at(now + SECOND) == ([("Carla", "waiting_class_moved")] if is_in_line else [])
    assert reasons() == (set() if is_in_line else {"La persona ya no esperaba un lugar."})


def test_leaving_is_confirmed_unless_they_are_back(booked, student, stranger):
    record_due(NoticeKind.LEFT, booked, [student.pk, stranger.pk], occasion="1")

    assert deliver_at(timezone.now()) == [("Carla", "left")]
    assert reasons() == {"La persona volvió a la clase."}


@pytest.mark.parametrize("minutes", [29, 30])
def test_a_place_is_offered_as_long_as_it_is_kept(booked, stranger, minutes):
    now = timezone.now()
    WaitingListEntry.objects.create(
        virtual_class=booked,
        user=stranger,
        state=WaitingState.OFFERED,
        offered_at=now,
        offer_expires_at=now + timedelta(minutes=30),
    )
    record_due(NoticeKind.PLACE_OFFERED, booked, [stranger.pk], occasion="1")

    sent = deliver_at(now + timedelta(minutes=minutes))

    assert sent == ([("Carla", "place_offered")] if minutes < 30 else [])
    assert reasons() == (set() if minutes < 30 else {"El lugar ya no se ofrecía."})


@pytest.mark.parametrize("kind", [NoticeKind.GRANT_REVOKED, NoticeKind.GRANT_AT_RISK])
@pytest.mark.parametrize("is_reconnected", [False, True])
def test_the_teacher_is_not_alarmed_after_reconnecting(teacher, kind, is_reconnected):
    record_alert(kind, teacher, "grant")
    saved_at = timezone.now() + (HOUR if is_reconnected else -HOUR)
    type(teacher).objects.filter(pk=teacher.pk).update(provider_token_saved_at=saved_at)

    assert deliver_at(timezone.now()) == ([] if is_reconnected else [("Paula", kind.value)])
