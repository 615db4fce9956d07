"""notices/delivery.py: delivery after the commit, in a thread."""

import threading

import pytest
from django.core import mail

from bookings.domain.classes.scheduling import schedule_class
from bookings.models import Notice, NoticeState
from bookings.notices import delivery
from config.lib.background_jobs import SECONDS_OUT

JOIN_SECONDS = 10

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _on_duty(monkeypatch):
    monkeypatch.delattr(delivery.job, "call")
    yield
    wait_for_delivery()


def wait_for_delivery():
    """Allow the thread again."""
    for thread in threading.enumerate():
        if thread.name == "deliver_mails_soon":
            thread.join(JOIN_SECONDS)
            assert not thread.is_alive()


def test_a_committed_class_has_its_mails_sent(pending, host, teacher):
    schedule_class(preference_id=pending.preference_id)

    wait_for_delivery()
    assert sorted(letter.to for letter in mail.outbox) == [[host.email], [teacher.email]]
    assert {one.state for one in Notice.objects.all()} == {NoticeState.SENT}


def test_the_one_who_schedules_does_not_wait_for_the_mail_server(pending, monkeypatch):
    server_answers, turns = threading.Event(), []

    def deliver(seconds):
        turns.append(seconds)
        server_answers.wait(JOIN_SECONDS)

    monkeypatch.setattr(delivery, "deliver_due", deliver)

    scheduled = schedule_class(preference_id=pending.preference_id)

    assert scheduled.is_scheduled
    server_answers.set()
    wait_for_delivery()
    assert turns == [SECONDS_OUT]
