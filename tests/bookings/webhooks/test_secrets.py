"""The secrets of receivers: random, encrypted, rotated with the keys."""

import base64

from cryptography.fernet import Fernet
from django.db.models import TextField
from django.db.models.functions import Cast

from accounts.management.key_rotation import Outcome, rotate_encrypted_fields
from bookings.models import WebhookEndpoint
from bookings.webhooks.endpoints import generate_secret
from tests.bookings.webhooks.factories import WebhookEndpointFactory


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
