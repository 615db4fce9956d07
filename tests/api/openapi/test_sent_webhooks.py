"""What other systems are sent is what the document says they are."""

import json
from datetime import timedelta

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from accounts.services import write_down
from bookings.domain.classes.cancelling import cancel_class, leave_class
from bookings.domain.classes.changing import reschedule_class
from bookings.domain.classes.completing import complete_ended_classes
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.history import describe_sale, record_event
from bookings.domain.people.claiming import claim_class, return_claim
from bookings.domain.places.joining import join_class
from bookings.domain.sales.buying import pay_place_by_hand
from bookings.domain.sales.open_classes import go_on_anyway
from bookings.domain.sales.transfers import note_arrival, refuse_transfer
from bookings.models import CHOSEN_KINDS, ClassEvent, Purchase, WebhookEvent, make_link
from bookings.webhooks.events import announce_events
from config.api.openapi import generate
from tests.bookings.webhooks.factories import WebhookEndpointFactory
from tests.factories import VirtualClassFactory
from tests.sales.open_classes import hold, in_days, publish
from tests.sales.transfers import announce, take_transfers
from tests.sales.written_down import book_class_for


@pytest.fixture(scope="module")
def document():
    return generate()


@pytest.fixture
def events(host, student, teacher):
    """Everything that other systems are told of, as it leaves."""
    WebhookEndpointFactory()
    pending = VirtualClassFactory(booked_by=host)
    scheduled = schedule_class(preference_id=pending.preference_id)
    join_class(user=student, access_code=scheduled.access_code)
    leave_class(class_id=pending.pk, user=student)
    later = pending.start_time + timedelta(days=1)
    reschedule_class(class_id=pending.pk, actor=teacher, start=later)
    cancel_class(class_id=pending.pk, actor=teacher)
    VirtualClassFactory(scheduled=True, ended=True, booked_by=host)
    complete_ended_classes()
    link = make_link(VirtualClassFactory(booked_by=write_down(name="Zoe", phone="341 555 0199")))
    claim_class(user=host, token=link.token)
    return_claim(class_id=link.pk, by=teacher, fresh_sign_in=True)
    book_class_for(host, teacher)
    take_transfers()
    transfer = announce(VirtualClassFactory(booked_by=host))
    refuse_transfer(transfer_id=transfer.pk, actor=teacher)
    note_arrival(announce(transfer.purchase.virtual_class).pk, teacher)
    open_class = publish(teacher, start=in_days(20), decides_at=in_days(19))
    pay_place_by_hand(purchase_id=hold(open_class, student).pk, actor=teacher)
    # Only a payment through Mercado Pago is too late.
    lost = describe_sale(Purchase.objects.places().get(person=student))
    record_event(open_class.virtual_class, ClassEvent.SEAT_LOST, actor=student, details=lost)
    go_on_anyway(class_id=open_class.pk, actor=teacher)
    announce_events()
    return {one.kind: json.loads(one.body) for one in WebhookEvent.objects.all()}


def content(document, kind):
    body = document["webhooks"][kind]["post"]["requestBody"]["content"]["application/json"]
    return body["schema"] | {"components": document["components"]}, body["example"]


def has_nothing_else(schema, value, document):
    """Whether an object has no key that the document does not tell of, at any depth."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if not isinstance(value, dict):
        return True
    known = schema["properties"]
    return value.keys() <= known.keys() and all(
        has_nothing_else(known[name], inner, document) for name, inner in value.items()
    )


def test_every_event_is_described(document):
    assert list(document["webhooks"]) == [kind.value for kind in CHOSEN_KINDS]


def test_every_event_is_as_described(document, events):
    assert events.keys() == document["webhooks"].keys()
    for kind, event in events.items():
        schema, _ = content(document, kind)
        Draft202012Validator(schema, format_checker=FormatChecker()).validate(event)
        assert has_nothing_else(schema, event, document)


@pytest.mark.parametrize("kind", CHOSEN_KINDS)
def test_the_examples_are_as_described(document, kind):
    schema, example = content(document, kind.value)

    Draft202012Validator(schema, format_checker=FormatChecker()).validate(example)
    assert has_nothing_else(schema, example, document)
