"""A revoked grant stops scheduling until the teacher reconnects."""

import pytest
import time_machine
from django.core import mail
from django.utils import timezone

from accounts.services import mark_grant_revoked, remember_refresh_token
from bookings.domain.classes import finishing
from bookings.domain.classes.finishing import finish_requested_schedulings
from bookings.domain.classes.scheduling import schedule_class
from bookings.models import Notice, NoticeKind, VirtualClass
from bookings.notices.delivery import deliver_due
from calendar_sync import CalendarNotConnectedError
from tests.bookings.interrupted import MINUTE, interrupt_many, interrupted, sweep_every_minute


def test_revoked_grant_is_asked_with_once(host, teacher, google):
    interrupt_many(host, 3)
    google.revoke(teacher.provider_refresh_token)

    done = [finish_requested_schedulings(), *sweep_every_minute(10)]

    assert done == [0] * 11
    assert [one.route for one in google.requests] == ["token"]
    assert not VirtualClass.objects.exclude(next_scheduling_at=None).exists()


def test_revoked_grant_is_told_to_the_teacher_once(host, teacher, google):
    interrupt_many(host, 2)
    google.revoke(teacher.provider_refresh_token)

    finish_requested_schedulings()
    sweep_every_minute(3)
    deliver_due()

    notice = Notice.objects.get()
    assert (notice.kind, notice.user, notice.virtual_class) == (
        NoticeKind.GRANT_REVOKED,
        teacher,
        None,
    )
    assert [letter.to for letter in mail.outbox] == [[teacher.email]]


def test_nobody_asks_with_a_grant_that_is_known_to_be_revoked(host, teacher, google):
    interrupted(host)
    mark_grant_revoked(user=teacher)

    with pytest.raises(CalendarNotConnectedError):
        schedule_class(preference_id=VirtualClass.objects.get().preference_id)

    assert google.requests == []


def test_each_revoked_grant_is_told(host, teacher, google):
    interrupt_many(host, 1)
    for _ in range(2):
        google.revoke(teacher.provider_refresh_token)
        with time_machine.travel(timezone.now() + MINUTE * 5):
            finish_requested_schedulings()
        remember_refresh_token(user=teacher, refresh_token=google.grant(teacher.email))
        teacher.refresh_from_db()
        google.revoke(teacher.provider_refresh_token)
        finish_requested_schedulings()

    assert Notice.objects.filter(kind=NoticeKind.GRANT_REVOKED).count() == 3


def test_reconnecting_resumes_all_in_order(host, teacher, google):
    classes = interrupt_many(host, 4)
    google.revoke(teacher.provider_refresh_token)
    sweep_every_minute(2)

    remember_refresh_token(user=teacher, refresh_token=google.grant(teacher.email))

    assert finish_requested_schedulings() == 4
    assert [event["start"]["dateTime"] for event in google.live_events()] == sorted(
        event["start"]["dateTime"] for event in google.live_events()
    )
    assert len(classes) == len(google.live_events())


def test_reconnecting_resumes_at_once(
    host, teacher, google, monkeypatch, django_capture_on_commit_callbacks
):
    called = []
    monkeypatch.setattr(finishing.job, "call", lambda: called.append(True))
    with django_capture_on_commit_callbacks(execute=True):
        remember_refresh_token(user=teacher, refresh_token=google.grant(teacher.email))

    assert called == [True]


def test_sign_in_does_not_fail_by_what_follows_from_it(teacher, monkeypatch):
    def broken():
        raise RuntimeError

    monkeypatch.setattr("bookings.domain.classes.finishing.resume_schedulings", broken)

    remember_refresh_token(user=teacher, refresh_token="1//new")

    teacher.refresh_from_db()
    assert teacher.provider_refresh_token == "1//new"
