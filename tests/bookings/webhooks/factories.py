"""A receiver to tell things to."""

import factory
from factory.django import DjangoModelFactory

from bookings.models import CHOSEN_KINDS, WebhookEndpoint


class WebhookEndpointFactory(DjangoModelFactory[WebhookEndpoint]):
    """A receiver that wants to know everything."""

    class Meta:
        model = WebhookEndpoint

    address = factory.Sequence(lambda n: f"https://receiver{n}.example.com/hooks")
    kinds = factory.LazyFunction(lambda: [kind.value for kind in CHOSEN_KINDS])
    secret = "whsec_" + "c2VjcmV0IG9mIGEgdGVzdCwgb2YgMzIgYnl0ZXMhISE="
