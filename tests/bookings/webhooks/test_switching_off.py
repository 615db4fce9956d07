"""A receiver that fails for days is switched off; what is due leaves once it is on again."""

from datetime import timedelta

from bookings.models import (
    Notice,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookState,
)
from bookings.webhooks.delivery import MAX_ATTEMPTS, deliver_webhooks
from bookings.webhooks.endpoints import record_test_event, switch_on
from tests.bookings.webhooks.steps import state, wait


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


def test_days_of_failures_switch_a_receiver_off(clock, endpoint, receiver, teacher):
    receiver.status = 500
    record_test_event(endpoint)
    deliver_webhooks()
    for _ in range(4):
        wait(clock, days=1)
    assert WebhookEndpoint.objects.get().is_active
    clock.shift(timedelta(days=1.1))
    record_test_event(endpoint)
    deliver_webhooks()

    endpoint.refresh_from_db()
    assert (endpoint.is_active, endpoint.disabled_reason) == (False, "failing")
    assert Notice.objects.count() == 1


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
    WebhookDelivery.objects.update(attempts=MAX_ATTEMPTS - 1)
    deliver_webhooks()
    receiver.status = 200
    record_test_event(endpoint)
    wait(clock, hours=1)
    receiver.status = 500
    given_up, planned = record_test_event(endpoint), record_test_event(endpoint)
    WebhookDelivery.objects.filter(pk=given_up.pk).update(attempts=MAX_ATTEMPTS - 1)
    WebhookDelivery.objects.filter(pk=planned.pk).update(attempts=MAX_ATTEMPTS - 2)
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


def test_switched_on_again_it_gets_the_event_of_the_410(delivery, endpoint, receiver):
    receiver.status = 410
    deliver_webhooks()
    endpoint.refresh_from_db()
    receiver.status = 200

    switch_on(endpoint)
    endpoint.save()

    assert deliver_webhooks() == 1
    assert state(delivery) == WebhookState.SENT


def test_switched_on_again_it_gets_nothing_that_is_to_be_forgotten(
    clock, delivery, endpoint, receiver
):
    receiver.status = 410
    deliver_webhooks()
    endpoint.refresh_from_db()
    clock.shift(timedelta(days=30, seconds=1))

    switch_on(endpoint)
    endpoint.save()

    assert deliver_webhooks() == 0
