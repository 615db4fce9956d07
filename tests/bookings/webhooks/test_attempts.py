"""Delivering: everything arrives, under one id, and nobody waits for anybody else."""

import base64
import json
import threading
import time
from datetime import timedelta

from cryptography.fernet import Fernet
from django.db.models import TextField
from django.db.models.functions import Cast
from django.utils import timezone
from standardwebhooks import Webhook

from accounts.management.key_rotation import Outcome, rotate_encrypted_fields
from bookings.models import Notice, WebhookAttempt, WebhookDelivery, WebhookEndpoint, WebhookState
from bookings.webhooks.attempts import MAX_ATTEMPTS, deliver_webhooks
from bookings.webhooks.endpoints import (
    deliver_again,
    generate_secret,
    make_due_again,
    record_test_event,
    switch_on,
)
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


def fail_before(delivery, attempts):
    for _ in range(attempts):
        WebhookAttempt.objects.create(delivery=delivery, took_ms=1, failure="Respondió 500.")
    WebhookDelivery.objects.filter(pk=delivery.pk).update(attempts=attempts)


def interrupt(delivery, attempts=1):
    """Leave what a worker leaves that was killed while sending, once its lease is over."""
    fail_before(delivery, attempts - 1)
    WebhookDelivery.objects.filter(pk=delivery.pk).update(attempts=attempts)


def test_an_interrupted_attempt_is_a_failure_and_the_receiver_rests(
    clock, delivery, endpoint, receiver
):
    record_test_event(endpoint)
    interrupt(delivery)

    assert deliver_webhooks() == 0

    assert receiver.requests == []
    assert state(delivery) == WebhookState.FAILED
    assert (delivery.attempts, delivery.log.count()) == (1, 1)
    assert delivery.failure == "El intento se cortó antes de la respuesta."
    endpoint.refresh_from_db()
    assert (endpoint.failures, endpoint.failing_since) == (1, NOON)
    assert wait(clock, seconds=20) == 0
    assert wait(clock, seconds=20) == 2
    assert (state(delivery), delivery.attempts) == (WebhookState.SENT, 2)


def test_the_last_attempt_counts_if_it_is_interrupted(delivery, receiver):
    interrupt(delivery, MAX_ATTEMPTS)

    assert deliver_webhooks() == 0

    assert state(delivery) == WebhookState.GAVE_UP
    assert receiver.requests == []


def test_an_interrupted_attempt_does_not_hinder_sending_again(delivery, receiver):
    interrupt(delivery)

    deliver_again(WebhookDelivery.objects.get(pk=delivery.pk))

    assert state(delivery) == WebhookState.SENT


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


def test_410_switches_a_receiver_off_and_the_teacher_is_told(delivery, endpoint, receiver, teacher):
    receiver.status = 410
    other = record_test_event(endpoint)

    deliver_webhooks()

    endpoint.refresh_from_db()
    assert (endpoint.is_active, endpoint.disabled_reason) == (False, "gone")
    assert state(delivery) == WebhookState.GAVE_UP
    assert state(other) == WebhookState.PENDING
    assert len(receiver.requests) == 1
    [notice] = Notice.objects.all()
    assert (notice.user, notice.kind) == (teacher, "webhook_disabled")


def test_what_waits_for_a_receiver_leaves_once_it_is_on_again(clock, endpoint, receiver):
    endpoint.is_active = False
    endpoint.save()
    delivery = record_test_event(endpoint)
    assert deliver_webhooks() == 0

    switch_on(endpoint)
    endpoint.save()

    assert deliver_webhooks() == 1
    assert state(delivery) == WebhookState.SENT


def test_switched_on_again_it_gets_what_was_given_up_while_it_failed(clock, endpoint, receiver):
    receiver.status = 500
    long_given_up = record_test_event(endpoint)
    fail_before(long_given_up, MAX_ATTEMPTS - 1)
    deliver_webhooks()
    receiver.status = 200
    record_test_event(endpoint)
    wait(clock, hours=1)
    receiver.status = 500
    given_up, planned = record_test_event(endpoint), record_test_event(endpoint)
    fail_before(given_up, MAX_ATTEMPTS - 1)
    fail_before(planned, MAX_ATTEMPTS - 2)
    wait(clock, minutes=1)
    receiver.status = 410
    wait(clock, hours=1)
    gone = record_test_event(endpoint)
    wait(clock, days=2)

    endpoint.refresh_from_db()
    switch_on(endpoint)
    endpoint.save()
    receiver.status = 200
    receiver.requests.clear()

    assert deliver_webhooks() == 3
    assert {state(one) for one in (given_up, planned, gone)} == {WebhookState.SENT}
    assert state(long_given_up) == WebhookState.GAVE_UP


def test_secrets_are_long_and_each_its_own():
    one, other = generate_secret(), generate_secret()

    assert one != other
    assert one.startswith("whsec_")
    assert len(base64.b64decode(one.removeprefix("whsec_"), validate=True)) == 32


def test_key_rotation_moves_the_secrets(db, settings):
    earlier = settings.FIELD_KEYS
    endpoint = WebhookEndpointFactory()
    new = Fernet.generate_key().decode()
    settings.FIELD_KEYS = [new, *earlier]

    assert rotate_encrypted_fields() == {Outcome.ROTATED: 1}

    settings.FIELD_KEYS = [new]
    assert WebhookEndpoint.objects.get().secret == endpoint.secret


def test_secrets_are_stored_sealed(db):
    endpoint = WebhookEndpointFactory()

    as_stored = WebhookEndpoint.objects.annotate(sealed=Cast("secret", TextField()))
    assert endpoint.secret not in as_stored.values_list("sealed", flat=True).get()
