"""notices/delivery.py: each mail leaves once, and failed ones are retried."""

from datetime import timedelta
from itertools import pairwise

import pytest
import time_machine
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.places.joining import join_class
from bookings.models import Notice, NoticeKind, NoticeState, Role, UserActivity
from bookings.notices.delivery import LEASE, LONGEST_DELAY, MAX_ATTEMPTS, deliver_due
from bookings.notices.due import record_due
from tests.bookings.notices.backends import DOWN, DYING, SLOW
from tests.concurrency.racing import race
from tests.factories import UserFactory
from tests.standins.mail import MailServer

SMTP = "django.core.mail.backends.smtp.EmailBackend"


@pytest.fixture
def repair(settings):
    working = settings.EMAIL_BACKEND
    return lambda: setattr(settings, "EMAIL_BACKEND", working)


def deliver_at(moment):
    with time_machine.travel(moment, tick=False):
        return deliver_due()


def test_deliver_due_sends_once(notice):
    counts = [deliver_due(), deliver_due()]

    notice.refresh_from_db()
    assert (counts, len(mail.outbox)) == ([1, 0], 1)
    assert (notice.state, notice.attempts, notice.failure) == (NoticeState.SENT, 1, "")


def test_a_mail_server_that_is_down_breaks_neither_scheduling_nor_joining(
    pending, host, student, teacher, settings, repair, django_capture_on_commit_callbacks
):
    settings.EMAIL_BACKEND = DOWN
    with django_capture_on_commit_callbacks(execute=True):
        scheduled = schedule_class(preference_id=pending.preference_id)
        joined = join_class(user=student, access_code=scheduled.access_code)
    assert (deliver_due(), joined.current_participants) == (0, 2)
    repair()

    later = timezone.now() + timedelta(minutes=5)
    assert [deliver_at(later), deliver_at(later)] == [3, 0]
    told = {letter.to[0] for letter in mail.outbox}
    assert told == {host.email, student.email, teacher.email}


def test_failures_are_tried_again_ever_later_and_given_up_visibly(notice, settings):
    settings.EMAIL_BACKEND = DOWN
    notice.virtual_class.end_time += timedelta(days=9)
    notice.virtual_class.save()
    now, waits = timezone.now(), []

    while notice.next_attempt_at:
        deliver_at(now)
        notice.refresh_from_db()
        if notice.next_attempt_at:
            waits.append(notice.next_attempt_at - now)
            now = notice.next_attempt_at

    assert (notice.state, notice.attempts) == (NoticeState.FAILED, MAX_ATTEMPTS)
    assert notice.failure == "SMTPAuthenticationError 535"
    assert len(waits) == MAX_ATTEMPTS - 1
    assert timedelta(seconds=45) <= waits[0] <= timedelta(seconds=75)
    assert all(later > sooner for sooner, later in pairwise(waits[:8]))
    assert max(waits) <= LONGEST_DELAY * 1.25


def test_a_crash_after_sending_repeats_the_mail_once_and_recognisably(notice, settings, repair):
    settings.EMAIL_BACKEND = DYING
    with pytest.raises(SystemExit):
        deliver_due()
    repair()
    now = timezone.now()

    counts = [deliver_at(now + wait) for wait in (timedelta(0), LEASE, LEASE * 2)]

    notice.refresh_from_db()
    ids = {letter.extra_headers["Message-ID"] for letter in mail.outbox}
    assert (counts, notice.state) == ([0, 1, 0], NoticeState.SENT)
    assert (len(mail.outbox), len(ids)) == (2, 1)


@pytest.fixture
def many(scheduled, monkeypatch):
    """Seven due mails, more than one connection takes."""
    monkeypatch.setattr("bookings.notices.delivery.MAILS_PER_CONNECTION", 4)
    people = [user.pk for user in UserFactory.create_batch(7)]
    UserActivity.objects.bulk_create(
        UserActivity(user_id=pk, virtual_class=scheduled, rol=Role.PARTICIPANT) for pk in people
    )
    Notice.objects.all().delete()
    record_due(NoticeKind.JOINED, scheduled, people)


def test_a_mail_costs_eight_statements_however_many_there_are(many):
    with CaptureQueriesContext(connection) as captured:
        assert deliver_due() == 7

    # Claimed, read, its purchases, not left since, not replaced, how the person signs in, the
    # teacher's name, noted. Besides: three looks at what is due.
    assert len(captured) == 8 * 7 + 3


def test_a_real_server_takes_many_mails_in_one_conversation(many, settings):
    """Over real SMTP."""
    with MailServer() as server:
        settings.EMAIL_BACKEND = SMTP
        settings.EMAIL_HOST, settings.EMAIL_PORT = server.address

        assert deliver_due() == 7

    assert (server.conversations, server.mails) == (2, 7)


def test_a_mail_that_kills_its_workers_is_given_up(notice):
    Notice.objects.update(attempts=MAX_ATTEMPTS)

    assert deliver_due() == 0

    notice.refresh_from_db()
    assert notice.failure == "El envío se interrumpió demasiadas veces."


def test_a_worker_that_was_too_slow_does_not_overrule_the_next_one(notice, monkeypatch):
    later = timezone.now() + timedelta(hours=2)

    def overtaken(notice):
        Notice.objects.update(next_attempt_at=later)  # the lease ran out, and somebody took it
        raise OSError

    monkeypatch.setattr("bookings.notices.delivery.render_mail", overtaken)
    deliver_due()

    notice.refresh_from_db()
    assert (notice.next_attempt_at, notice.failure) == (later, "")


@pytest.mark.concurrency
@pytest.mark.django_db(transaction=True)
def test_many_workers_send_each_mail_once(scheduled, settings):
    settings.EMAIL_BACKEND = SLOW
    for _ in range(4):
        join_class(user=UserFactory(), access_code=scheduled.access_code)

    counts = race(*[deliver_due] * 4)

    assert sum(counts) == len(mail.outbox) == 5
    assert len({letter.extra_headers["Message-ID"] for letter in mail.outbox}) == 5
    assert set(Notice.objects.values_list("attempts", flat=True)) == {1}


@pytest.mark.concurrency
@pytest.mark.django_db(transaction=True)
def test_without_the_claim_they_would_send_it_again(notice, settings, monkeypatch):
    """The control of the race above."""
    settings.EMAIL_BACKEND = SLOW

    monkeypatch.setattr("bookings.notices.delivery.claim", lambda *args, **how: True)
    race(*[deliver_due] * 4)

    assert len(mail.outbox) > 1
