"""What the service needs of a payment provider, in its own words. No provider import here.

Money is integer centavos everywhere on this side of the door.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from bookings.models import ChargeStatus


class PaymentError(Exception):
    """The provider could not do what was asked."""


class PaymentUnavailableError(PaymentError):
    """The provider failed, was slow or could not be understood. Try again later."""


class PaymentRefusedError(PaymentError):
    """The provider understood and said no. Trying again changes nothing."""


@dataclass(frozen=True, slots=True)
class PreferenceDraft:
    """What somebody is asked to pay.

    reference: ours, at most 64 characters of ``A``-``Z``, ``a``-``z``, ``0``-``9``, ``_``, ``-``.
    amount: centavos, above 0. expires_at: aware; afterwards the provider takes no money.
    cash_until: aware, until when a voucher can be paid, which takes days to be credited; None
    when such payments are not offered.
    """

    reference: str
    title: str
    description: str
    amount: int
    payer_name: str
    payer_email: str
    expires_at: datetime
    return_url: str
    notification_url: str
    cash_until: datetime | None


@dataclass(frozen=True, slots=True)
class CreatedPreference:
    """A preference as the provider stored it. checkout_url: where the person pays."""

    preference_id: str
    checkout_url: str


@dataclass(frozen=True, slots=True)
class Charge:
    """One attempt to pay, as the provider tells it now.

    amount, refunded_amount: centavos. currency: ISO 4217. collector_id: whose account got the
    money. reference: the preference's. updated_at: aware, when the provider last changed it.
    """

    charge_id: str
    status: ChargeStatus
    status_detail: str
    amount: int
    refunded_amount: int
    currency: str
    collector_id: str
    reference: str
    order_id: str
    method: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class ChargeUpdate:
    """A charge that a search found. updated_at: aware, when the provider last changed it."""

    charge_id: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Settlement:
    """Every attempt to pay one preference, oldest first."""

    preference_id: str
    charges: tuple[Charge, ...]


class RefundState(StrEnum):
    """How a refund stands at the provider."""

    DONE = "done"
    IN_PROCESS = "in_process"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class CreatedRefund:
    """A refund as the provider stored it."""

    refund_id: str
    state: RefundState


@dataclass(frozen=True, slots=True)
class ListedRefund:
    """A refund among those of a charge. amount: centavos. created_at: aware, the provider's."""

    refund: CreatedRefund
    amount: int
    created_at: datetime


class PaymentGateway(Protocol):
    """One payment provider. Each method raises only the two children of PaymentError."""

    def create_preference(self, draft: PreferenceDraft) -> CreatedPreference:
        """Ask for money; nothing is owed until somebody pays."""
        ...

    def find_settlement(
        self, *, preference_id: str, reference: str | None, known: Collection[str] = ()
    ) -> Settlement:
        """Read what was paid for a preference, from the provider itself.

        reference: ours, when we made the preference: a second way to find its charges. known:
        numbers of charges that are read as well, for a search forgets old ones.
        """
        ...

    def search_updates(self, *, since: datetime) -> list[ChargeUpdate]:
        """Search the account for charges that were updated after ``since``, latest update first.

        The search may lag behind, and stops after some hundred charges. It finds the charges of
        every system that uses the account.
        """
        ...

    def get_charge(self, charge_id: str) -> tuple[Charge, str | None] | None:
        """Read one charge and the preference it pays; None when the provider knows no such charge.

        The preference is as ``find_preference`` returns it, and empty without an order.
        """
        ...

    def find_preference(self, order_id: str) -> str | None:
        """Find the preference of an order, empty for an order without one.

        None when the provider does not know the order, which may be so at first.
        """
        ...

    def refund(self, *, charge_id: str, amount: int | None, key: str) -> CreatedRefund | None:
        """Refund money, once for each ``key``; all of it when ``amount`` is None.

        Returns None when the answer does not say which refund was made, if any.
        """
        ...

    def get_refund(self, *, charge_id: str, refund_id: str) -> CreatedRefund:
        """Read how a refund stands."""
        ...

    def list_refunds(self, charge_id: str) -> list[ListedRefund]:
        """Read every refund of a charge, whoever asked for it, oldest first."""
        ...

    def cancel(self, charge_id: str) -> None:
        """Cancel a charge that is still pending; one that is final already is left as it is."""
        ...
