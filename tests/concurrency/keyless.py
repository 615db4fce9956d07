"""A refund that is asked for under another key each time: the control of its key."""

import uuid

import pytest

from bookings.payments.mercadopago.gateway import MercadoPagoGateway


def forget_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out that a refund that is asked for again has the key of the first time."""
    ask = MercadoPagoGateway.refund
    monkeypatch.setattr(
        MercadoPagoGateway,
        "refund",
        lambda gateway, **what: ask(gateway, **{**what, "key": uuid.uuid4().hex}),
    )
