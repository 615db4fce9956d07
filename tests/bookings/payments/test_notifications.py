"""payments/mercadopago/notifications.py: what a notice is about, whatever it looks like."""

import json

import pytest

from bookings.models import SignatureState
from bookings.payments.mercadopago.notifications import read_notification

WEBHOOK = {
    "id": 12345,
    "live_mode": True,
    "type": "payment",
    "action": "payment.created",
    "data": {"id": "999"},
}


def read(query, body):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    taken = read_notification(query, {}, raw)
    return taken and taken[0]


def named(query, body):
    notification = read(query, body)
    return notification and (notification.topic, notification.resource_id)


def test_a_webhook_is_read_whole():
    query = {"data.id": "999", "type": "payment"}

    notification, verdict = read_notification(query, {}, json.dumps(WEBHOOK).encode())

    assert named(query, WEBHOOK) == ("payment", "999")
    assert notification.action == "payment.created"
    assert notification.notification_id == "12345"
    assert notification.signature == SignatureState.UNCONFIGURED
    assert verdict == "take"


@pytest.mark.parametrize(
    ("query", "body", "expected"),
    [
        ({"data.id": "1", "type": "payment"}, WEBHOOK, ("payment", "1")),
        ({}, WEBHOOK, ("payment", "999")),
        ({"id": "7", "topic": "payment"}, {}, ("payment", "7")),
        ({"id": "7", "topic": "payment"}, b"\xff", ("payment", "7")),
        ({}, {"resource": "7", "topic": "payment"}, ("payment", "7")),
        ({}, {"resource": 7, "topic": "payment"}, ("payment", "7")),
        (
            {},
            {"resource": "https://evil.example/merchant_orders/8", "topic": "merchant_order"},
            ("merchant_order", "8"),
        ),
        ({"data.id": "9", "type": "topic_merchant_order_wh"}, {}, ("merchant_order", "9")),
        (
            {},
            {"type": "topic_merchant_order_wh", "id": "9", "data": {"status": "opened"}},
            ("merchant_order", "9"),
        ),
        (
            {"data.id": "217", "type": "topic_chargebacks_wh"},
            {"data": {"id": "217", "payment_id": 999}},
            ("payment", "999"),
        ),
    ],
    ids=[
        "the address wins",
        "webhook without an address",
        "ipn",
        "ipn with garbage",
        "ipn in the body",
        "ipn with a number",
        "ipn with an address",
        "order",
        "order without a number in data",
        "chargeback",
    ],
)
def test_a_notice_names_what_to_look_up(query, body, expected):
    assert named(query, body) == expected


@pytest.mark.parametrize(
    ("query", "body"),
    [
        ({}, b""),
        ({}, b"null"),
        ({}, b"[" * 10_000),
        ({}, {"type": "payment", "data": []}),
        ({}, {"type": "payment", "data": {"id": True}}),
        ({}, {"type": {"a": 1}, "data": {"id": "1"}}),
        ({"data.id": "1' OR 1=1", "type": "payment"}, {}),
        ({"data.id": "../../v1/users/me", "type": "payment"}, {}),
        ({"data.id": "1" * 21, "type": "payment"}, {}),
        ({"data.id": "١٢٣", "type": "payment"}, {}),
        ({"data.id": "1", "type": "subscription_preapproval"}, {}),
        ({}, {"topic": "payment", "resource": "https://evil.example/9?x=y"}),
        ({"id": "217", "topic": "chargebacks"}, {}),
    ],
)
def test_what_names_nothing_is_nothing(query, body):
    assert read(query, body) is None


def test_words_that_would_not_fit_are_left_out():
    notification = read(
        {"data.id": "1", "type": "payment"},
        {"action": "x" * 51, "id": "y\n", "data": {}, "type": "payment"},
    )

    assert (notification.action, notification.notification_id) == ("", "")
