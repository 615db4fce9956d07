"""Receivers that listen, and something to tell them."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
import time_machine
from cryptography.fernet import Fernet

from bookings.models import WebhookDelivery, WebhookEndpoint
from bookings.webhooks.endpoints import record_test_event
from tests.bookings.webhooks.factories import WebhookEndpointFactory
from tests.bookings.webhooks.receiver import Receiver
from tests.bookings.webhooks.steps import NOON


@pytest.fixture
def clock():
    """Stop the time, and move it by hand. A test names it first, so that all it has is of then."""
    with time_machine.travel(NOON, tick=False) as traveller:
        yield traveller


@pytest.fixture
def new_receiver() -> Iterator[Callable[[], Receiver]]:
    """Make servers that take webhooks."""
    started: list[Receiver] = []

    def make() -> Receiver:
        started.append(Receiver().start())
        return started[-1]

    yield make
    for one in started:
        one.stop()


@pytest.fixture
def receiver(new_receiver) -> Receiver:
    """A server that takes webhooks."""
    return new_receiver()


@pytest.fixture
def endpoint(db, receiver) -> WebhookEndpoint:
    """It, as the teacher entered it."""
    return WebhookEndpointFactory(address=receiver.address)


@pytest.fixture
def sealed_endpoint(db, settings) -> WebhookEndpoint:
    """One whose secret cannot be read: the key that it was sealed with is gone."""
    keys, settings.FIELD_KEYS = settings.FIELD_KEYS, [Fernet.generate_key().decode()]
    sealed = WebhookEndpointFactory()
    settings.FIELD_KEYS = keys
    return WebhookEndpoint.objects.defer("secret").get(pk=sealed.pk)


@pytest.fixture
def delivery(endpoint) -> WebhookDelivery:
    """Something that it is due."""
    return record_test_event(endpoint)


@pytest.fixture
def in_a_hurry(settings) -> None:
    """Have a request end after an instant."""
    settings.WEBHOOK_TIMEOUT = timedelta(seconds=0.3)
