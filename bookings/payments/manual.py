"""Payments without a provider: the teacher marks a class as paid in the panel."""

import uuid
from collections.abc import Collection
from datetime import datetime

from bookings.payments.gateway import (
    Charge,
    ChargeUpdate,
    CreatedPreference,
    CreatedRefund,
    ListedRefund,
    NotifiedPayment,
    PaymentRefusedError,
    PreferenceDraft,
)


class ManualGateway:
    """Knows no charges and refuses refunds."""

    def create_preference(self, draft: PreferenceDraft) -> CreatedPreference:
        return CreatedPreference(f"manual-{uuid.uuid4()}", checkout_url="")

    def list_charges(
        self, *, preference_id: str, reference: str | None, known: Collection[str] = ()
    ) -> list[Charge]:
        return []

    def search_updates(self, *, since: datetime) -> list[ChargeUpdate]:
        return []

    def get_charge(self, charge_id: str) -> Charge | None:
        return None

    def find_notified(self, *, topic: str, resource_id: str) -> NotifiedPayment | None:
        return None

    def refund(self, *, charge_id: str, amount: int | None, key: str) -> CreatedRefund:
        raise PaymentRefusedError("There is no payment provider to refund through.")

    def get_refund(self, *, charge_id: str, refund_id: str) -> CreatedRefund:
        raise PaymentRefusedError("There is no payment provider to refund through.")

    def list_refunds(self, charge_id: str) -> list[ListedRefund]:
        return []

    def cancel(self, charge_id: str) -> None:
        pass
