"""mercadopago/notifications.py: what a notice is about, and who signed it."""

import hashlib
import hmac
import json

import pytest
from django.test import override_settings

from bookings.models import SignatureState
from bookings.payments.mercadopago.notifications import check_signature, read_notification

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


SECRET = "s3cr3t"
RESOURCE = "123456789"
REQUEST = "7b3f1a52-0000-4000-8000-000000000001"
# Computed with the provider's own library.
VECTOR = "ts=1704908010,v1=817598a5b29856728ac2e00f2de9451feb9f4481c4a1daadf3df92bd8461cc0d"


def sign(manifest, secret=SECRET):
    return hmac.new(secret.encode(), manifest.encode(), hashlib.sha256).hexdigest()


def check(header, *, request_id=REQUEST, resource_id=RESOURCE, secret=SECRET):
    headers = {"x-signature": header, "x-request-id": request_id}
    with override_settings(MERCADOPAGO_WEBHOOK_SECRET=secret):
        return check_signature({"data.id": resource_id}, headers) == SignatureState.VALID


def test_the_known_vector_is_signed():
    assert check(VECTOR)


@pytest.mark.parametrize("ts", ["1704908010", "1704908010123"], ids=["seconds", "milliseconds"])
def test_both_units_of_time_are_taken_however_old(ts):
    digest = sign(f"id:{RESOURCE};request-id:{REQUEST};ts:{ts};")

    assert check(f"ts={ts},v1={digest}")


@pytest.mark.parametrize("signed_as", ["ABC123def", "abc123def"], ids=["as it is", "lower-cased"])
def test_identifiers_with_letters_are_tried_both_ways(signed_as):
    digest = sign(f"id:{signed_as};request-id:{REQUEST};ts:1704908010;")

    assert check(f"ts=1704908010,v1={digest}", resource_id="ABC123def")


@pytest.mark.parametrize(
    ("given", "manifest"),
    [
        ({"request_id": ""}, f"id:{RESOURCE};ts:1704908010;"),
        ({"resource_id": ""}, f"request-id:{REQUEST};ts:1704908010;"),
        ({"request_id": "", "resource_id": ""}, "ts:1704908010;"),
    ],
    ids=["no request id", "no resource", "neither"],
)
def test_missing_parts_are_left_out_of_what_is_signed(given, manifest):
    assert check(f"ts=1704908010,v1={sign(manifest)}", **given)


@pytest.mark.parametrize(
    "changes",
    [
        {"resource_id": "123456780"},
        {"request_id": "7b3f1a52-0000-4000-8000-000000000002"},
        {"secret": "another"},
        {"secret": ""},
    ],
    ids=["other resource", "other request", "other secret", "no secret"],
)
def test_a_signature_fits_only_what_it_was_made_for(changes):
    assert not check(VECTOR, **changes)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "ts=1704908010",
        VECTOR.split(",")[1],
        VECTOR.replace("1704908010", "1704908011"),
        VECTOR.replace("1704908010", "١٧٠٤٩٠٨٠١٠"),
        VECTOR[:-1],
        VECTOR[:-1] + "ñ",
        VECTOR[:-1] + "\udcf1",
        "ts=1704908010,v1=" + "é" * 64,
        "ts==1704908010,,v1",
        "ts=1704908010,v1=" + "0" * 64,
    ],
    ids=ascii,
)
def test_malformed_signatures_are_refused_and_never_raise(header):
    assert not check(header)


def test_an_empty_secret_signs_nothing():
    digest = sign(f"id:{RESOURCE};request-id:{REQUEST};ts:1704908010;", secret="")

    assert not check(f"ts=1704908010,v1={digest}", secret="")
