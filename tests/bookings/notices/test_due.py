"""notices/due.py, registry.py: a mail is one entry, written with the change that makes it due."""

from django.db import transaction

from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.places.joining import join_class
from bookings.models import Notice, NoticeKind, NoticeState
from bookings.models.notice import list_kinds
from bookings.notices.due import make_due_again, record_alert, record_due
from bookings.notices.registry import MAILS
from bookings.notices.to_people import MAILS_TO_PEOPLE
from bookings.notices.to_teacher import MAILS_TO_TEACHER


def written():
    return set(Notice.objects.values_list("user__email", "kind"))


def test_joining_writes_the_guest_a_notice(scheduled, host, student):
    join_class(user=student, access_code=scheduled.access_code)

    assert written() == {(host.email, "confirmation"), (student.email, "joined")}


def test_cancelling_writes_everyone_a_notice_once(joined, host, student, teacher):
    cancel_class(class_id=joined.pk, actor=teacher)
    cancel_class(class_id=joined.pk, actor=teacher)

    cancelled = Notice.objects.filter(kind=NoticeKind.CANCELLED)
    assert {notice.user for notice in cancelled} == {host, student}
    assert cancelled.count() == 2


def test_cancelling_a_pending_class_tells_its_host(pending, host, teacher):
    cancel_class(class_id=pending.pk, actor=teacher)

    assert written() == {(host.email, "cancelled")}


def test_a_notice_is_rolled_back_with_its_transaction(scheduled, student):
    with transaction.atomic():
        record_due(NoticeKind.JOINED, scheduled, [student.pk])
        transaction.set_rollback(True)

    assert not Notice.objects.filter(user=student).exists()


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


def test_every_kind_has_its_entry():
    assert set(MAILS) == set(NoticeKind)
    assert len(MAILS) == len(MAILS_TO_PEOPLE) + len(MAILS_TO_TEACHER)


def test_a_new_kind_needs_no_migration():
    """A callable goes into the migration by its name, so kinds may come and go."""
    *_, options = Notice._meta.get_field("kind").deconstruct()

    assert options["choices"] is list_kinds
