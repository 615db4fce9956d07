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
    PaymentRefusedError,
    PreferenceDraft,
    Settlement,
)


class ManualGateway:
    """Makes preferences that only a person can settle."""

    def create_preference(self, draft: PreferenceDraft) -> CreatedPreference:
        """Make an identifier; there is no checkout to go to."""
        return CreatedPreference(f"manual-{uuid.uuid4()}", checkout_url="")

    def find_settlement(
        self, *, preference_id: str, reference: str | None, known: Collection[str] = ()
    ) -> Settlement:
        """Know of no charges: the teacher's word is what counts."""
        return Settlement(preference_id, ())

    def search_updates(self, *, since: datetime) -> list[ChargeUpdate]:
        """Know of no charges."""
        return []

    def get_charge(self, charge_id: str) -> tuple[Charge, str | None] | None:
        """Know of no charges."""
        return None

    def find_preference(self, order_id: str) -> str | None:
        """Know of no orders."""
        return None

    def refund(self, *, charge_id: str, amount: int | None, key: str) -> CreatedRefund:
        """Refuse: the money came by hand and goes back by hand."""
        raise PaymentRefusedError("There is no payment provider to refund through.")

    def get_refund(self, *, charge_id: str, refund_id: str) -> CreatedRefund:
        """Refuse: there are no refunds to read."""
        raise PaymentRefusedError("There is no payment provider to refund through.")

    def list_refunds(self, charge_id: str) -> list[ListedRefund]:
        """Know of no refunds."""
        return []

    def cancel(self, charge_id: str) -> None:
        """Do nothing: no charge waits anywhere."""
