"""A preference to make at the gateway, and what came of it."""

from datetime import UTC, datetime

from bookings.payments.gateway import PreferenceDraft

EXPIRES_AT = datetime(2030, 1, 5, 18, 30, tzinfo=UTC)
REFERENCE = "0d5020ed1af6469cae06c3bec19954bb"


def draft(**changes):
    values = {
        "reference": REFERENCE,
        "title": "Clase grupal",
        "description": "viernes 5 de enero, 18:00",
        "amount": 1_250_050,
        "payer_name": "Ana",
        "payer_email": "ana@example.com",
        "expires_at": EXPIRES_AT,
        "return_url": "https://clases.example/inicio/pagos/1",
        "notification_url": "https://clases.example/api/webhooks/mercadopago",
        "cash_until": datetime(2030, 1, 3, 18, 0, tzinfo=UTC),
    }
    return PreferenceDraft(**values | changes)


def charges_of(gateway, preference_id):
    return gateway.list_charges(preference_id=preference_id, reference=REFERENCE)
