"""No transaction is open, and so no lock held, while the calendar's provider is waited for."""

import json

import pytest
from django.db import connection

from bookings.domain.classes.cancelling import cancel_class
from calendar_sync.google.transport import Transport
from tests.factories import VirtualClassFactory
from tests.performance.test_statements import statements

# Class and sale twice, what has its time, the wish, the grant, the outage's end; then, under the
# lock, class and sale, what has its time, the row, the host's part, the line, the mails to the host
# and, as the rules say, to the teacher.
STATEMENTS_OF_SCHEDULING = 32


@pytest.fixture
def calls(monkeypatch):
    """Collect, for each request to the provider, whether a transaction was open."""
    was_open, send = [], Transport.request

    def watch(*args, **kwargs):
        was_open.append(connection.in_atomic_block)
        return send(*args, **kwargs)

    monkeypatch.setattr(Transport, "request", watch)
    return was_open


@pytest.mark.django_db(transaction=True)
def test_provider_is_asked_outside_of_transactions(client, host, teacher, calls):
    virtual_class = VirtualClassFactory(booked_by=host)
    body = json.dumps({"preferenceId": virtual_class.preference_id})

    with statements() as seen:
        answer = client.post("/api/calendar", body, content_type="application/json")
    client.get("/api/calendar")
    cancel_class(class_id=virtual_class.pk, actor=teacher)

    assert (answer.status_code, len(seen)) == (200, STATEMENTS_OF_SCHEDULING)
    assert len(calls) > 3
    assert not any(calls)
