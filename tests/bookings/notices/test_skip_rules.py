"""notices/skip_rules.py: obsolete mails are skipped, with a reason."""

from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine
from django.core import mail
from django.utils import timezone

from accounts.models import UserStatus
from bookings.domain.classes.cancelling import leave_class
from bookings.domain.places.joining import join_class
from bookings.models import (
    ClassStatus,
    Notice,
    NoticeKind,
    NoticeState,
    UserActivity,
    VirtualClass,
    WaitingListEntry,
    WaitingState,
)
from bookings.notices import skip_rules
from bookings.notices.delivery import deliver_due
from bookings.notices.due import record_alert, record_due
from bookings.notices.mail import Planned
from bookings.notices.registry import MAILS
from tests.bookings.notices.backends import DOWN
from tests.bookings.stored import store_scheduled

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
    """Return the reasons of skipped mails."""
    return set(Notice.objects.exclude(failure="").values_list("failure", flat=True))


def test_reminders_leave_when_they_are_due_and_once(booked):
    start = booked.start_time

    sent = [deliver_at(start - lead) for lead in (DAY + SECOND, DAY, HOUR + SECOND, HOUR)]

    assert sent == [
        [],
        [("Ana", "reminder_day"), ("Bruno", "reminder_day")],
        [],
        [("Ana", "reminder_hour"), ("Bruno", "reminder_hour")],
    ]
    assert deliver_at(start + HOUR) == []


@pytest.mark.parametrize("lead", [DAY, HOUR], ids=["day", "hour"])
def test_a_worker_that_stood_still_for_an_hour_sends_each_reminder_once(booked, lead):
    standstill = booked.start_time - lead + (timedelta(minutes=31))

    sent = [deliver_at(standstill), deliver_at(standstill)]

    kind = "reminder_day" if lead == DAY else "reminder_hour"
    assert sent == [[("Ana", kind), ("Bruno", kind)], []]


def test_the_day_s_reminder_gives_way_to_the_hour_s(booked):
    sent = deliver_at(booked.start_time - HOUR)

    assert sent == [("Ana", "reminder_hour"), ("Bruno", "reminder_hour")]
    assert reasons() == {"Era tarde para recordar la clase."}


@pytest.mark.parametrize(
    ("late", "count"), [(timedelta(minutes=9), 2), (timedelta(minutes=10), 0)], ids=["in", "out"]
)
def test_the_hour_s_reminder_is_of_use_for_ten_minutes_more(booked, late, count):
    assert len(deliver_at(booked.start_time + late)) == count


def test_nobody_writes_to_whoever_erased_their_account(booked, student):
    type(student).objects.filter(pk=student.pk).update(status=UserStatus.ERASED)

    assert deliver_at(booked.start_time - DAY) == [("Ana", "reminder_day")]
    assert reasons() == {"La persona borró su cuenta."}


def test_whoever_left_is_not_reminded(booked, student):
    UserActivity.objects.filter(user=student).delete()

    assert deliver_at(booked.start_time - DAY) == [("Ana", "reminder_day")]
    assert reasons() == {"La persona ya no estaba en la clase."}


def test_a_class_that_moved_is_not_recalled_at_its_old_time(booked):
    old_start = booked.start_time
    VirtualClass.objects.update(start_time=old_start + HOUR, end_time=old_start + 2 * HOUR)

    assert deliver_at(old_start - DAY) == []
    assert reasons() == {"La clase cambió de horario."}


def test_a_cancelled_class_is_not_recalled(booked):
    VirtualClass.objects.update(status=ClassStatus.CANCELLED)

    assert deliver_at(booked.start_time - DAY) == []
    assert reasons() == {"La clase ya no estaba agendada."}


@pytest.mark.parametrize("rule", ["not_in_class", "not_scheduled", "is_moved", "is_too_late"])
def test_without_its_rule_an_obsolete_reminder_leaves(booked, student, rule, monkeypatch):
    """The control of the tests above."""
    if rule in {"is_moved", "is_too_late"}:
        monkeypatch.setattr(Planned, rule, lambda self, notice: False)
    else:
        reminder = MAILS[NoticeKind.REMINDER_DAY]
        off = tuple(one for one in reminder.skip_if if one is not getattr(skip_rules, rule))
        assert len(off) == len(reminder.skip_if) - 1
        monkeypatch.setitem(MAILS, NoticeKind.REMINDER_DAY, replace(reminder, skip_if=off))
    start = booked.start_time
    if rule == "not_in_class":
        UserActivity.objects.filter(user=student).delete()
    elif rule == "is_moved":
        VirtualClass.objects.update(start_time=start + HOUR, end_time=start + 2 * HOUR)
    elif rule == "not_scheduled":
        VirtualClass.objects.update(status=ClassStatus.CANCELLED)
    at = start - (HOUR if rule == "is_too_late" else DAY)

    assert ("Bruno", "reminder_day") in deliver_at(at)


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


def test_of_two_moves_the_last_one_is_told(booked, host):
    record_due(NoticeKind.RESCHEDULED, booked, [host.pk], occasion="1")
    record_due(NoticeKind.RESCHEDULED, booked, [host.pk], occasion="2")

    assert deliver_at(timezone.now()) == [("Ana", "rescheduled")]
    assert reasons() == {"Un correo posterior lo reemplaza."}


def test_a_cancellation_leaves_however_late(booked, host):
    VirtualClass.objects.update(status=ClassStatus.CANCELLED)
    record_due(NoticeKind.CANCELLED, booked, [host.pk])

    assert deliver_at(booked.end_time + HOUR) == [("Ana", "cancelled")]


def test_leaving_is_confirmed_unless_they_are_back(booked, student, stranger):
    record_due(NoticeKind.LEFT, booked, [student.pk, stranger.pk], occasion="1")

    assert deliver_at(timezone.now()) == [("Carla", "left")]
    assert reasons() == {"La persona volvió a la clase."}


def test_somebody_who_left_and_came_back_hears_of_the_last_place_alone(booked, student):
    leave_class(class_id=booked.pk, user=student)
    join_class(user=student, access_code=booked.access_code)
    leave_class(class_id=booked.pk, user=student)
    join_class(user=student, access_code=booked.access_code)

    sent = deliver_at(timezone.now())

    assert [kind for name, kind in sent if name == "Bruno"] == ["joined"]
    assert reasons() == {"Un correo posterior lo reemplaza.", "La persona volvió a la clase."}


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


def test_a_mail_that_failed_until_it_was_too_late_says_both(booked, settings, host):
    working = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = DOWN
    deliver_at(booked.start_time - HOUR)
    settings.EMAIL_BACKEND = working

    assert deliver_at(booked.start_time + HOUR / 2) == []

    reminder = Notice.objects.get(user=host, kind=NoticeKind.REMINDER_HOUR)
    assert reminder.state == NoticeState.FAILED
    assert reminder.failure == "Era tarde para recordar la clase. SMTPAuthenticationError 535"
