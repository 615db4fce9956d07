"""Other systems hear of a change right after the commit, in a thread; nobody waits for them."""

import threading

import pytest

from bookings.domain.places.joining import join_class
from bookings.models import WebhookDelivery
from bookings.webhooks import attempts as messenger
from tests.factories import VirtualClassFactory

JOIN_SECONDS = 10

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _on_duty(monkeypatch):
    monkeypatch.delattr(messenger.job, "call")
    yield
    wait_for_messenger()


@pytest.fixture
def scheduled(host):
    return VirtualClassFactory(scheduled=True, booked_by=host)


def wait_for_messenger():
    """Let the thread come back; tell whether there was one."""
    threads = [one for one in threading.enumerate() if one.name == "messenger"]
    for thread in threads:
        thread.join(JOIN_SECONDS)
        assert not thread.is_alive()
    return bool(threads)


def test_what_is_committed_is_told_at_once(endpoint, receiver, scheduled, student):
    join_class(user=student, access_code=scheduled.access_code)

    wait_for_messenger()
    assert len(receiver.requests) == 1
    assert WebhookDelivery.objects.get().sent_at is not None


def test_who_joins_does_not_wait_for_the_receiver(endpoint, receiver, scheduled, student):
    let_go = threading.Event()
    receiver.meanwhile = lambda: let_go.wait(JOIN_SECONDS)

    joined = join_class(user=student, access_code=scheduled.access_code)

    assert joined.current_participants == 2
    assert not let_go.is_set()
    let_go.set()
