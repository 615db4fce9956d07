"""notices/due.py: notices are written with the change that makes them due, or not at all."""

import pytest
from django.db import transaction

from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.exceptions import AlreadyJoinedError
from bookings.domain.places.joining import join_class
from bookings.models import Notice, NoticeKind, NoticeState
from bookings.notices.due import make_due_again, record_alert, record_due


def written():
    """Return each notice's reader and kind."""
    return set(Notice.objects.values_list("user__email", "kind"))


def test_scheduling_writes_the_host_a_confirmation(pending, host, teacher):
    schedule_class(preference_id=pending.preference_id)

    assert written() == {(host.email, "confirmation"), (teacher.email, "new_booking")}


def test_scheduling_again_writes_nothing_more(scheduled):
    schedule_class(preference_id=scheduled.preference_id)

    assert Notice.objects.count() == 1


def test_joining_writes_the_guest_a_notice(scheduled, host, student):
    join_class(user=student, access_code=scheduled.access_code)

    assert written() == {(host.email, "confirmation"), (student.email, "joined")}


def test_a_refused_guest_gets_no_other_notice(joined, student):
    with pytest.raises(AlreadyJoinedError):
        join_class(user=student, access_code=joined.access_code)

    assert Notice.objects.count() == 2


def test_cancelling_writes_everyone_a_notice_once(joined, host, student, teacher):
    cancel_class(class_id=joined.pk, actor=teacher)
    cancel_class(class_id=joined.pk, actor=teacher)

    cancelled = Notice.objects.filter(kind=NoticeKind.CANCELLED)
    assert {notice.user for notice in cancelled} == {host, student}
    assert cancelled.count() == 2


def test_cancelling_a_pending_class_tells_its_host(pending, host, teacher):
    cancel_class(class_id=pending.pk, actor=teacher)

    assert written() == {(host.email, "cancelled")}


def test_cancelling_raises_the_revision_in_calendars(scheduled, teacher):
    cancel_class(class_id=scheduled.pk, actor=teacher)
    cancel_class(class_id=scheduled.pk, actor=teacher)

    scheduled.refresh_from_db()
    assert scheduled.ics_sequence == 1


def test_a_notice_is_rolled_back_with_its_transaction(scheduled, student):
    with transaction.atomic():
        record_due(NoticeKind.JOINED, scheduled, [student.pk])
        transaction.set_rollback(True)

    assert not Notice.objects.filter(user=student).exists()


def test_notices_cost_one_statement(scheduled, host, student, django_assert_num_queries):
    with transaction.atomic(), django_assert_num_queries(1):
        record_due(NoticeKind.CANCELLED, scheduled, [host.pk, student.pk])


def test_make_due_again_starts_the_story_anew(notice):
    Notice.objects.update(attempts=12, next_attempt_at=None, failure="SMTPServerDisconnected")

    count = make_due_again(Notice.objects.all())

    again = Notice.objects.get()
    assert (count, again.state) == (1, NoticeState.DUE)
    assert (again.attempts, again.failure) == (0, "")
    assert again.due_at > notice.due_at


def test_an_alert_is_written_once_for_each_occasion(teacher):
    for occasion in ("grant-1", "grant-1", "grant-2"):
        record_alert(NoticeKind.GRANT_REVOKED, teacher, occasion)

    assert Notice.objects.count() == 2
