"""Delivering: everything arrives, under one id, and nobody waits for anybody else."""

import json
import threading
import time
from datetime import timedelta

import pytest
from django.utils import timezone
from standardwebhooks import Webhook, WebhookVerificationError

from bookings.models import (
    WebhookAttempt,
    WebhookDelivery,
    WebhookState,
)
from bookings.webhooks import delivery as delivering
from bookings.webhooks.delivery import LEASE, MAX_ATTEMPTS, deliver_now, deliver_webhooks
from bookings.webhooks.endpoints import make_due_again, record_test_event, rotate_secrets
from bookings.webhooks.events import forget_webhooks
from tests.bookings.webhooks.factories import WebhookEndpointFactory
from tests.bookings.webhooks.steps import NOON, state, wait


def test_a_delivery_is_signed_and_arrives(delivery, endpoint, receiver):
    assert deliver_webhooks() == 1

    [(headers, body)] = receiver.requests
    assert headers["content-type"] == "application/json"
    assert body.decode() == delivery.event.body
    assert headers["webhook-id"] == json.loads(body)["id"] == str(delivery.event_id)
    assert abs(int(headers["webhook-timestamp"]) - time.time()) < 5
    Webhook(endpoint.secret).verify(body, headers)
    assert state(delivery) == WebhookState.SENT
    assert (delivery.attempts, delivery.last_status) == (1, 200)
    attempt = WebhookAttempt.objects.get()
    assert (attempt.status, attempt.failure, attempt.excerpt) == (200, "", "ok")


def test_a_long_queue_gives_way_to_other_work(endpoint, receiver):
    for _ in range(4):
        record_test_event(endpoint)

    assert [deliver_webhooks(0), deliver_webhooks(0), deliver_webhooks()] == [1, 1, 2]


def test_what_was_taken_is_not_sent_again(delivery, receiver):
    deliver_webhooks()

    assert deliver_webhooks() == 0
    assert len(receiver.requests) == 1


def test_what_fails_is_tried_again_later_and_under_the_same_id(clock, delivery, receiver):
    receiver.status, receiver.body = 500, b"oops"

    assert deliver_webhooks() == 0
    assert state(delivery) == WebhookState.FAILED
    assert (delivery.failure, delivery.last_status) == ("Respondió 500.", 500)
    receiver.status = 200
    assert wait(clock, seconds=3) == 0
    assert wait(clock, seconds=4) == 1
    assert receiver.ids == [str(delivery.event_id)] * 2
    assert [one.excerpt for one in WebhookAttempt.objects.all()] == ["oops", "oops"]


def test_attempts_take_three_days_and_then_end(clock, delivery, receiver, settings):
    settings.WEBHOOK_PATIENCE = timedelta(days=30)
    receiver.status = 500

    moments = []
    for _ in range(5 * 24 * 60):
        deliver_webhooks()
        if len(receiver.requests) > len(moments):
            moments.append(timezone.now() - NOON)
        clock.shift(timedelta(minutes=1))
        if state(delivery) == WebhookState.GAVE_UP:
            break
        planned = delivery.next_attempt_at - timezone.now()
        clock.shift(max(planned - timedelta(minutes=1), timedelta(0)))

    assert len(moments) == MAX_ATTEMPTS
    assert timedelta(days=2.4) < moments[-1] < timedelta(days=3.9)
    assert state(delivery) == WebhookState.GAVE_UP
    assert delivery.failure == "Respondió 500."


def test_a_worker_that_dies_after_sending_has_it_sent_again_under_the_same_id(
    clock, delivery, receiver, monkeypatch
):
    def die(*args):
        raise SystemExit

    with monkeypatch.context() as killed:
        killed.setattr(delivering, "record_answer", die)
        with pytest.raises(SystemExit):
            deliver_webhooks()

    assert wait(clock, seconds=1) == 0  # it is still the dead one's
    assert wait(clock, seconds=LEASE.total_seconds()) == 1
    assert receiver.ids == [str(delivery.event_id)] * 2
    assert state(delivery) == WebhookState.SENT


def test_hours_of_outage_lose_nothing_and_their_end_is_noticed(clock, endpoint, receiver):
    receiver.status = 503
    for _ in range(20):
        record_test_event(endpoint)
    for _ in range(2 * 12):
        wait(clock, minutes=5)

    # It is asked now and then, not by everything that waits.
    assert len(receiver.requests) < 20
    receiver.requests.clear()
    receiver.status = 200
    taken = sum(wait(clock, minutes=1) for _ in range(15))

    assert taken == 20
    assert len(set(receiver.ids)) == 20
    endpoint.refresh_from_db()
    assert (endpoint.failures, endpoint.failing_since, endpoint.resting_until) == (0, None, None)


def test_a_receiver_that_is_down_does_not_use_up_what_waits_for_it(clock, endpoint, receiver):
    receiver.status = 500
    deliveries = [record_test_event(endpoint) for _ in range(10)]

    deliver_webhooks()

    assert len(receiver.requests) == 3
    assert sum(WebhookDelivery.objects.values_list("attempts", flat=True)) == 3
    assert state(deliveries[-1]) == WebhookState.PENDING


def test_a_receiver_that_hangs_keeps_nobody(endpoint, receiver, new_receiver, settings):
    settings.WEBHOOK_TIMEOUT = timedelta(seconds=0.3)
    let_go = threading.Event()
    receiver.meanwhile = lambda: let_go.wait(5)
    for _ in range(5):
        record_test_event(endpoint)
    quick = new_receiver()
    other = WebhookEndpointFactory(address=quick.address)
    for _ in range(5):
        record_test_event(other)

    started = time.monotonic()
    taken = deliver_webhooks()
    let_go.set()

    assert taken == 5
    assert len(receiver.requests) == 1
    assert time.monotonic() - started < 4


def test_a_refusal_now_and_then_keeps_nothing_back(clock, endpoint, receiver):
    bad = record_test_event(endpoint)
    good = [record_test_event(endpoint) for _ in range(2)]

    def answer():
        is_bad = receiver.requests[-1][0]["webhook-id"] == str(bad.event_id)
        receiver.status = 422 if is_bad else 200

    receiver.meanwhile = answer
    deliver_webhooks()

    assert [state(one) for one in good] == [WebhookState.SENT] * 2
    assert state(bad) == WebhookState.FAILED


def test_a_receiver_says_how_long_to_wait(clock, delivery, receiver):
    receiver.status, receiver.headers = 429, {"Retry-After": "1800"}
    deliver_webhooks()

    assert wait(clock, minutes=29) == 0
    assert len(receiver.requests) == 1
    receiver.status = 200
    assert wait(clock, minutes=2) == 1


def test_delivered_again_it_has_the_same_id_and_body(delivery, receiver):
    deliver_webhooks()

    assert make_due_again(WebhookDelivery.objects.all()) == 1
    assert deliver_webhooks() == 1
    assert receiver.ids == [str(delivery.event_id)] * 2
    assert receiver.requests[0][1] == receiver.requests[1][1]
    assert delivery.log.count() == 2


def test_a_trial_by_hand_waits_for_no_rest(clock, endpoint, receiver):
    endpoint.resting_until = NOON + timedelta(minutes=10)
    endpoint.failing_since = NOON
    endpoint.save()
    delivery = record_test_event(endpoint)

    assert deliver_webhooks() == 0
    deliver_now(delivery)
    assert len(receiver.requests) == 1
    endpoint.refresh_from_db()
    assert endpoint.resting_until is None


def test_a_new_secret_signs_alone(endpoint, receiver):
    earlier = endpoint.secret
    rotate_secrets([endpoint.pk])
    endpoint.refresh_from_db()

    deliver_now(record_test_event(endpoint))

    [(headers, body)] = receiver.requests
    Webhook(endpoint.secret).verify(body, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(earlier).verify(body, headers)


def test_an_unknown_address_is_a_failure_like_any_other(db, settings):
    settings.WEBHOOKS_MAY_STAY_LOCAL = False
    endpoint = WebhookEndpointFactory(address="https://127.0.0.1:1/")
    delivery = record_test_event(endpoint)

    assert deliver_webhooks() == 0
    assert state(delivery) == WebhookState.FAILED
    assert delivery.failure == "La dirección lleva a una red interna."


def test_a_secret_that_cannot_be_read_is_that_receivers_trouble_alone(
    sealed_endpoint, endpoint, receiver
):
    unsigned, signed = record_test_event(sealed_endpoint), record_test_event(endpoint)

    assert deliver_webhooks() == 1

    assert [state(unsigned), state(signed)] == [WebhookState.FAILED, WebhookState.SENT]
    assert unsigned.failure == "El secreto no se puede leer: cambialo."
    assert [one.failure for one in unsigned.log.all()] == [unsigned.failure]


def test_old_events_are_forgotten_and_what_waits_is_not(clock, endpoint, receiver):
    sent = record_test_event(endpoint)
    deliver_webhooks()
    waiting = record_test_event(endpoint)
    unwanted = record_test_event(WebhookEndpointFactory(is_active=False))
    assert forget_webhooks() == 0

    clock.shift(timedelta(days=30, seconds=1))

    assert forget_webhooks() == 2
    assert list(WebhookDelivery.objects.all()) == [waiting]
    assert sent != waiting != unwanted


def test_looking_for_what_is_due_costs_one_statement(endpoint, django_assert_num_queries):
    with django_assert_num_queries(1):
        deliver_webhooks()
