"""Signatures: those of the specification, and the examples of docs/webhooks.md."""

import base64

import pytest
from cryptography.fernet import Fernet
from django.db.models import TextField
from django.db.models.functions import Cast
from django.utils import timezone

from accounts.management.key_rotation import Outcome, rotate_encrypted_fields
from bookings.models import WebhookEndpoint
from bookings.webhooks.signing import build_headers, generate_secret, sign
from tests.bookings.webhooks.factories import WebhookEndpointFactory

# The example of the specification's own libraries.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
MESSAGE = {
    "message_id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "timestamp": 1614265330,
    "body": b'{"test": 2432232314}',
}
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_the_signature_is_that_of_the_specification():
    assert sign(SECRET, **MESSAGE) == SIGNATURE


@pytest.mark.parametrize(
    "change",
    [{"message_id": "msg_other"}, {"timestamp": 1614265331}, {"body": b'{"test": 2432232315}'}],
    ids=["id", "time", "body"],
)
def test_everything_is_signed(change):
    assert sign(SECRET, **(MESSAGE | change)) != SIGNATURE


def test_two_secrets_give_two_signatures():
    other = generate_secret()

    headers = build_headers([other, SECRET], **MESSAGE)

    assert headers == {
        "webhook-id": MESSAGE["message_id"],
        "webhook-timestamp": "1614265330",
        "webhook-signature": f"{sign(other, **MESSAGE)} {SIGNATURE}",
    }


def test_secrets_are_long_and_each_its_own():
    one, other = generate_secret(), generate_secret()

    assert one != other
    assert one.startswith("whsec_")
    assert len(base64.b64decode(one.removeprefix("whsec_"), validate=True)) == 32


def test_key_rotation_moves_the_secrets(db, settings):
    earlier = settings.FIELD_KEYS
    endpoint = WebhookEndpointFactory(previous_secret=SECRET, previous_until=timezone.now())
    new = Fernet.generate_key().decode()
    settings.FIELD_KEYS = [new, *earlier]

    assert rotate_encrypted_fields() == {Outcome.ROTATED: 2}

    settings.FIELD_KEYS = [new]
    stored = WebhookEndpoint.objects.get()
    assert (stored.secret, stored.previous_secret) == (endpoint.secret, SECRET)


def test_secrets_are_stored_sealed(db):
    endpoint = WebhookEndpointFactory()

    as_stored = WebhookEndpoint.objects.annotate(sealed=Cast("secret", TextField()))
    assert endpoint.secret not in as_stored.values_list("sealed", flat=True).get()
