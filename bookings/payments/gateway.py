"""The interface of a payment provider. Money is integer centavos here."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from bookings.models import ChargeStatus, SignatureState

# The topic of a notification about a charge; a provider's folder may have others.
CHARGE_TOPIC = "payment"
# A larger body is no notification.
MAX_NOTIFICATION_BYTES = 16 * 1024


class PaymentError(Exception):
    """The provider could not do what was asked."""


class PaymentUnavailableError(PaymentError):
    """The provider failed, was slow or sent an unreadable answer. Try again later."""


class PaymentRefusedError(PaymentError):
    """The provider understood and refused. Trying again changes nothing."""


@dataclass(frozen=True, slots=True)
class PreferenceDraft:
    """A payment to ask for.

    reference: ours, at most 64 characters of ``A``-``Z``, ``a``-``z``, ``0``-``9``, ``_``, ``-``.
    amount: centavos, above 0. expires_at: aware; afterwards the provider takes no money.
    cash_until: aware, until when a voucher, which is credited days later, can be paid; None to
    offer no vouchers.
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
    """One attempt to pay, as the provider reports it now.

    amount, refunded_amount: centavos. currency: ISO 4217. account_id: the account that got the
    money. is_ours: whether that is our account. reference: the preference's. updated_at: aware.
    """

    charge_id: str
    status: ChargeStatus
    status_detail: str
    amount: int
    refunded_amount: int
    currency: str
    account_id: str
    is_ours: bool
    reference: str
    method: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class ChargeUpdate:
    """A charge that a search found. updated_at: aware, the provider's last change."""

    charge_id: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Settlement:
    """Every attempt to pay one preference, oldest first."""

    preference_id: str
    charges: tuple[Charge, ...]


class RefundState(StrEnum):
    """State of a refund at the provider."""

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
    """A refund of a charge. amount: centavos. created_at: aware, by the provider's clock."""

    refund: CreatedRefund
    amount: int
    created_at: datetime


class Verdict(StrEnum):
    """What to do with a notification: DROP is answered as TAKE, since a repeat changes nothing."""

    TAKE = "take"
    DROP = "drop"
    FORGED = "forged"


@dataclass(frozen=True, slots=True)
class IncomingNotification:
    """A notification: a hint where to look. Nothing in it is believed.

    topic: CHARGE_TOPIC or one of the provider's own. resource_id: the number of the charge or of
    the topic's resource. notification_id: the provider's own, may be empty.
    """

    topic: str
    resource_id: str
    action: str
    notification_id: str
    signature: SignatureState
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class NotifiedPayment:
    """The payment that a notification is about.

    charge_id, reference: empty if the notification names no charge. preference_id: empty if there
    is none; None if the provider does not know it yet.
    """

    preference_id: str | None
    charge_id: str = ""
    reference: str = ""


class PaymentGateway(Protocol):
    """One payment provider. Methods raise PaymentUnavailableError and PaymentRefusedError only."""

    def create_preference(self, draft: PreferenceDraft) -> CreatedPreference:
        """Ask for money."""
        ...

    def find_settlement(
        self, *, preference_id: str, reference: str | None, known: Collection[str] = ()
    ) -> Settlement:
        """Read what was paid for a preference, from the provider itself.

        reference: if we made the preference, a second way to find its charges. known: ids of
        charges to read as well, since a search forgets old ones.
        """
        ...

    def search_updates(self, *, since: datetime) -> list[ChargeUpdate]:
        """Search the whole account for charges updated after ``since``, latest update first.

        The search may lag behind, and stops after some hundred charges.
        """
        ...

    def get_charge(self, charge_id: str) -> Charge | None:
        """Read one charge; None if the provider does not know it."""
        ...

    def find_notified(self, *, topic: str, resource_id: str) -> NotifiedPayment | None:
        """Read what a notification is about; None if the provider does not know the charge."""
        ...

    def refund(self, *, charge_id: str, amount: int | None, key: str) -> CreatedRefund | None:
        """Refund money, once for each ``key``; all of it if ``amount`` is None.

        Return None if the answer does not say which refund was made, if any.
        """
        ...

    def get_refund(self, *, charge_id: str, refund_id: str) -> CreatedRefund:
        """Read the state of a refund."""
        ...

    def list_refunds(self, charge_id: str) -> list[ListedRefund]:
        """Read every refund of a charge, ours or not, oldest first."""
        ...

    def cancel(self, charge_id: str) -> None:
        """Cancel a pending charge; leave a final one as it is."""
        ...
