"""The referee sees each kind of broken promise, and nothing in a world where all are kept."""

import uuid
from datetime import timedelta

import pytest
from django.core.mail import EmailMessage, get_connection

from accounts.models import User
from bookings.models import (
    ClassEvent,
    ClassLog,
    ClassStatus,
    NoticeKind,
    Role,
    WaitingListEntry,
    WaitingState,
)
from tests.drills.mails import Mail, read_mails
from tests.drills_tests.scenery import NOW, pending_class


def test_referee_finds_nothing_where_every_promise_is_kept(scenery):
    assert scenery.judge() == set()


def forget_booking(scenery):
    scenery.promises.bookings.add("preference-2")


def book_twice(scenery):
    scenery.rows.classes.append(pending_class(preference_id="preference-1"))


def forget_place(scenery):
    scenery.promises.places.add((scenery.one.pk, uuid.uuid4()))


def lose_event(scenery):
    scenery.outside.events[0]["status"] = "cancelled"


def double_event(scenery):
    scenery.outside.events.append(scenery.event("event2"))


def double_event_and_remove_it(scenery):
    scenery.outside.events.append(scenery.event("event2", status="cancelled"))


def mistake_event(scenery):
    scenery.one.provider_event_id = "event2"


def move_event(scenery):
    scenery.one.start_time += timedelta(hours=1)


def forget_to_tell_of_a_move(scenery):
    scenery.rows.log.append(ClassLog(virtual_class=scenery.one, event=ClassEvent.RESCHEDULED))


def give_up_a_reminder(scenery):
    notice = scenery.notice(scenery.host, NoticeKind.REMINDER_DAY)
    notice.sent_at, notice.failure = None, "Tarde."
    scenery.rows.notices.append(notice)


def orphan_event(scenery):
    scenery.outside.events.append(scenery.event("event2", reference=str(uuid.uuid4())))


def lose_host(scenery):
    scenery.rows.activities[0].rol = Role.PARTICIPANT


def double_log(scenery):
    scenery.rows.log.append(ClassLog(virtual_class=scenery.one, event=ClassEvent.SCHEDULED))


def lose_link(scenery):
    scenery.one.html_link = ""


def half_write(scenery):
    scenery.rows.classes.append(pending_class(access_code="QQQQ2222"))


def miscount(scenery):
    scenery.one.current_participants = 3


def join_twice(scenery):
    scenery.rows.activities.append(scenery.activity(scenery.guest, Role.PARTICIPANT))


def oversell(scenery):
    scenery.one.max_participants = 1


def change_code(scenery):
    scenery.one.access_code = "ZZZZ9999"


def share_code(scenery):
    scenery.rows.classes.append(pending_class(access_code="ABCD2345"))


def misspell_code(scenery):
    scenery.one.access_code = "abcd2345"


def lose_mail(scenery):
    scenery.outside.mails.pop()


def leave_mail(scenery):
    notice = scenery.notices[0]
    notice.sent_at, notice.due_at, notice.next_attempt_at = None, NOW, NOW


def double_mail(scenery):
    scenery.outside.mails.append(scenery.mail(scenery.notices[0], when="2"))


def tell_nobody(scenery):
    scenery.rows.notices.pop()


def tell_twice(scenery):
    again = scenery.notice(scenery.host, NoticeKind.CONFIRMATION)
    scenery.rows.notices.append(again)
    scenery.outside.mails.append(scenery.mail(again))


def count_twice(scenery):
    scenery.host.total_classes = 1


def count_never(scenery):
    scenery.one.status = ClassStatus.COMPLETED
    for activity in scenery.rows.activities:
        activity.completed = True


def complete_early(scenery):
    scenery.rows.activities[0].completed = True


def queue_up(scenery, state=WaitingState.WAITING):
    entry = WaitingListEntry(
        virtual_class=scenery.one,
        user=User(email="carla@example.com"),
        state=state,
        offer_expires_at=NOW + timedelta(hours=1),
    )
    scenery.rows.line.append(entry)


def forget_the_line(scenery):
    queue_up(scenery)


def offer_twice(scenery):
    scenery.one.max_participants = 3
    queue_up(scenery, WaitingState.OFFERED)
    queue_up(scenery, WaitingState.OFFERED)


def claim_for_nothing(scenery):
    queue_up(scenery, WaitingState.CLAIMED)


def keep_a_guest_who_left(scenery):
    scenery.promises.left.add((scenery.one.pk, scenery.guest.pk))


@pytest.mark.parametrize(
    ("plant", "invariant", "kind", "subject"),
    [
        (forget_booking, "I1", "lost", "booking"),
        (book_twice, "I1", "doubled", "booking"),
        (forget_place, "I1", "lost", "activity"),
        (keep_a_guest_who_left, "I1", "wrong", "activity"),
        (lose_event, "I2", "lost", "event"),
        (double_event, "I2", "doubled", "event"),
        (double_event_and_remove_it, "I2", "doubled", "event"),
        (mistake_event, "I2", "wrong", "event"),
        (move_event, "I2", "wrong", "event time"),
        (orphan_event, "I2", "wrong", "event"),
        (lose_host, "I3", "lost", "host"),
        (double_log, "I3", "doubled", "log entry"),
        (lose_link, "I3", "wrong", "class"),
        (half_write, "I3", "wrong", "class"),
        (miscount, "I4", "wrong", "counter"),
        (join_twice, "I4", "doubled", "activity"),
        (oversell, "I4", "doubled", "place"),
        (change_code, "I6", "wrong", "code"),
        (share_code, "I6", "doubled", "code"),
        (misspell_code, "I6", "wrong", "code"),
        (lose_mail, "I7", "lost", "mail"),
        (leave_mail, "I7", "lost", "mail"),
        (double_mail, "I7", "doubled", "mail"),
        (tell_nobody, "I7", "lost", "notice"),
        (tell_twice, "I7", "doubled", "notice"),
        (forget_to_tell_of_a_move, "I7", "lost", "notice"),
        (give_up_a_reminder, "I7", "lost", "reminder"),
        (count_twice, "I8", "doubled", "total"),
        (count_never, "I8", "lost", "total"),
        (complete_early, "I8", "wrong", "activity"),
        (forget_the_line, "I9", "lost", "offer"),
        (offer_twice, "I9", "doubled", "offer"),
        (claim_for_nothing, "I9", "lost", "claimed place"),
    ],
)
def test_referee_finds_a_planted_violation(scenery, plant, invariant, kind, subject):
    plant(scenery)

    assert (invariant, kind, subject) in scenery.judge()


def test_mail_that_leaves_twice_under_one_message_id_is_no_double(scenery):
    scenery.outside.mails.append(scenery.outside.mails[0])

    assert scenery.judge() == set()


@pytest.mark.parametrize("state", [WaitingState.OFFERED, WaitingState.LEFT])
def test_line_that_has_its_offer_or_nobody_in_it_is_kept(scenery, state):
    queue_up(scenery, state)

    assert scenery.judge() == set()


def test_mail_that_is_due_later_is_not_lost(scenery):
    later = scenery.notice(scenery.host, NoticeKind.REMINDER_HOUR)
    later.sent_at, later.due_at = None, NOW + timedelta(hours=1)
    later.next_attempt_at = later.due_at
    scenery.rows.notices.append(later)

    assert scenery.judge() == set()


def test_mails_are_read_from_the_folder(tmp_path):
    backend = get_connection(
        "django.core.mail.backends.filebased.EmailBackend", file_path=str(tmp_path)
    )
    for number in (1, 2):
        headers = {"Message-ID": f"<{number}@example.com>"}
        mail = EmailMessage("Hola", "Texto", to=["ana@example.com"], headers=headers)
        backend.send_messages([mail])

    found = list(read_mails(tmp_path))

    assert found == [
        Mail("<1@example.com>", "ana@example.com", "Hola"),
        Mail("<2@example.com>", "ana@example.com", "Hola"),
    ]
