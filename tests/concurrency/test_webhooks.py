"""Many workers tell other systems of classes: each event is handed on once and sent once."""

import signal
import threading
from collections.abc import Callable
from functools import partial

import pytest
from django.db import connection, transaction
from django.db.models import F
from standardwebhooks import Webhook

from bookings.domain.history import record_event
from bookings.models import ClassEvent, WebhookDelivery, WebhookEndpoint, WebhookEvent, WebhookState
from bookings.webhooks import attempts as delivering
from bookings.webhooks import events
from bookings.webhooks.attempts import LEASE, deliver_webhooks
from bookings.webhooks.endpoints import record_test_event
from bookings.webhooks.events import announce_events
from tests.concurrency.racing import LONG_PATIENCE, SHORT_PATIENCE, Gate, race
from tests.drills.points import die_after, die_before
from tests.factories import VirtualClassFactory
from tests.processes import run_forked

pytestmark = pytest.mark.concurrency

POINTS: dict[str, Callable[[], None]] = {
    "handed on, not yet crossed out": partial(
        die_after, "bookings.models.WebhookDelivery.objects.bulk_create"
    ),
    "while sending": partial(die_before, "bookings.webhooks.attempts.send"),
    "between sending and noting": partial(die_before, "bookings.webhooks.attempts.record_answer"),
}


def tell(point: str) -> None:
    POINTS[point]()
    announce_events()
    deliver_webhooks()


def send_together(monkeypatch, endpoint):
    """Have two workers find the same delivery before either claims it."""
    record_test_event(endpoint)
    gate, claim = Gate(2, LONG_PATIENCE), delivering.claim

    def wait_and_claim(*args, **how):
        gate.wait()
        return claim(*args, **how)

    monkeypatch.setattr(delivering, "claim", wait_and_claim)
    race(deliver_webhooks, deliver_webhooks)


def test_two_workers_that_find_the_same_event_send_it_once(endpoint, receiver, monkeypatch):
    send_together(monkeypatch, endpoint)

    assert len(receiver.requests) == 1


def test_without_the_condition_of_the_claim_both_send_it(endpoint, receiver, monkeypatch):
    monkeypatch.setattr(delivering, "claim", lambda *args, **how: True)
    both_take_it, sign = Gate(2, LONG_PATIENCE), Webhook.sign

    def wait_and_sign(*args):
        both_take_it.wait()
        return sign(*args)

    monkeypatch.setattr(Webhook, "sign", wait_and_sign)
    send_together(monkeypatch, endpoint)

    assert len(receiver.requests) == 2


def announce_together(monkeypatch, patience):
    """Have two workers take what is to be announced at the same moment."""
    record_event(VirtualClassFactory(scheduled=True), ClassEvent.SCHEDULED)
    gate, build = Gate(2, patience), events.build_event

    def wait_and_build(*args, **how):
        gate.wait()
        return build(*args, **how)

    monkeypatch.setattr(events, "build_event", wait_and_build)
    return race(announce_events, announce_events)


def test_two_workers_hand_an_event_on_once(endpoint, monkeypatch):
    assert sorted(announce_together(monkeypatch, SHORT_PATIENCE)) == [0, 1]
    assert WebhookEvent.objects.count() == 1


def test_without_locks_an_event_is_handed_on_twice(endpoint, monkeypatch, without_locks):
    if connection.vendor == "sqlite":
        pytest.skip("SQLite refuses the second writer what it read before the first one wrote.")
    without_locks()
    announce_together(monkeypatch, LONG_PATIENCE)

    assert WebhookEvent.objects.count() == 2


def test_an_event_that_is_committed_late_is_told_all_the_same(endpoint):
    """Its line has the lower number, and was not there yet when the higher one was announced."""
    if connection.vendor == "sqlite":
        pytest.skip("SQLite lets nobody write beside an open transaction.")
    first, second = VirtualClassFactory.create_batch(2, scheduled=True)
    is_written, may_commit = threading.Event(), threading.Event()

    def commit_late():
        with transaction.atomic():
            record_event(first, ClassEvent.SCHEDULED)
            is_written.set()
            may_commit.wait(LONG_PATIENCE)

    def overtake():
        is_written.wait(LONG_PATIENCE)
        record_event(second, ClassEvent.SCHEDULED)
        told = announce_events()
        may_commit.set()
        return told

    assert race(commit_late, overtake) == [None, 1]
    assert announce_events() == 1
    assert set(WebhookEvent.objects.values_list("virtual_class", flat=True)) == {
        first.pk,
        second.pk,
    }


@pytest.mark.parametrize("point", POINTS)
def test_what_a_killed_worker_leaves_is_told_by_the_next(endpoint, receiver, point):
    record_event(VirtualClassFactory(scheduled=True), ClassEvent.SCHEDULED)

    assert run_forked(tell, point) == -signal.SIGKILL

    for _ in range(3):
        announce_events()
        deliver_webhooks()
        waiting = WebhookDelivery.objects.filter(next_attempt_at__isnull=False)
        waiting.update(next_attempt_at=F("next_attempt_at") - LEASE)
        WebhookEndpoint.objects.update(resting_until=None)
    event = WebhookEvent.objects.get()
    repeats = 2 if point == "between sending and noting" else 1
    assert receiver.ids == [str(event.pk)] * repeats
    assert WebhookDelivery.objects.get().state == WebhookState.SENT
