"""The interface of a payment provider. Money is integer centavos."""

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar, Literal

from django.core.checks import CheckMessage

from bookings.models import ChargeStatus, PaymentNotification, RefundStatus

# The topic of a notification about a charge; a provider's folder may have others.
CHARGE_TOPIC = "payment"
# A larger body is no notification.
MAX_NOTIFICATION_BYTES = 16 * 1024
# What to do with a notification.
Verdict = Literal["take", "drop", "forged"]


class PaymentError(Exception):
    """The provider did not do what was asked."""


class PaymentUnavailableError(PaymentError):
    """The provider failed, was slow or unreadable. Try again later."""


class PaymentRefusedError(PaymentError):
    """The provider refused. Trying again changes nothing."""


@dataclass(frozen=True, slots=True)
class PreferenceDraft:
    """reference: ours, at most 64 of ``A``-``Z``, ``a``-``z``, ``0``-``9``, ``_``, ``-``.

    amount: above 0. cash_until: the last time to pay a voucher; None without vouchers.
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
class Charge:
    """currency: ISO 4217. account_id: the account that got the money.

    refunds: the id and the centavos of each refund that was made. approved_at: None of a charge
    that was never approved.
    """

    charge_id: str
    status: ChargeStatus
    status_detail: str
    amount: int
    refunded_amount: int
    refunds: tuple[tuple[str, int], ...]
    currency: str
    account_id: str
    is_ours: bool
    reference: str
    method: str
    approved_at: datetime | None
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class CreatedRefund:
    """state: DONE, IN_PROCESS or FAILED."""

    refund_id: str
    state: RefundStatus


@dataclass(frozen=True, slots=True)
class NotifiedPayment:
    """preference_id: empty if there is none, None if the provider does not know it yet."""

    preference_id: str | None
    charge_id: str = ""
    reference: str = ""


class PaymentGateway:
    """Payments by hand: no charges, no refunds. A provider overrides everything.

    name: in our rows and addresses. label: for people. Methods raise PaymentUnavailableError and
    PaymentRefusedError only.
    """

    name: ClassVar[str] = "manual"
    label: ClassVar[str] = ""

    @classmethod
    def is_configured(cls) -> bool:
        return False

    @classmethod
    def check_settings(cls) -> list[CheckMessage]:
        """Return what ``check --deploy`` says of the provider's settings."""
        return []

    @classmethod
    def read_notification(
        cls, query: Mapping[str, str], headers: Mapping[str, str], body: bytes
    ) -> tuple[PaymentNotification, Verdict] | None:
        """Return an unsaved row and its verdict; None if there is nothing to look up."""
        return None

    @property
    def patience(self) -> timedelta:
        """How long an answer may take."""
        return timedelta(0)

    def create_preference(self, draft: PreferenceDraft) -> tuple[str, str]:
        """Return the preference's id and the address of its checkout."""
        return f"manual-{uuid.uuid4()}", ""

    def list_charges(
        self, *, preference_id: str, reference: str | None, known: Collection[str] = ()
    ) -> list[Charge]:
        """Return every attempt to pay a preference, oldest first.

        reference: to search by, if ours. known: charges to read as well.
        """
        return []

    def search_updates(self, *, since: datetime) -> list[tuple[str, datetime]]:
        """Return id and update of some hundred charges, latest first; may lag."""
        return []

    def get_charge(self, charge_id: str) -> Charge | None:
        """Return None if the provider does not know it, as ``find_notified``."""
        return None

    def find_notified(self, *, topic: str, resource_id: str) -> NotifiedPayment | None:
        return None

    def refund(self, *, charge_id: str, amount: int | None, key: str) -> CreatedRefund | None:
        """Refund once for each ``key``; everything if ``amount`` is None.

        Return None if the answer does not name the refund.
        """
        raise PaymentRefusedError("There is no payment provider to refund through.")

    def get_refund(self, *, charge_id: str, refund_id: str) -> CreatedRefund:
        raise PaymentRefusedError("There is no payment provider to refund through.")

    def find_refund(
        self, *, charge_id: str, amount: int, since: datetime, known: Collection[str]
    ) -> CreatedRefund | None:
        """Return the oldest refund of this amount that is not ``known``, ours or not.

        since: by the provider's clock, which may differ from ours.
        """
        return None

    def cancel(self, charge_id: str) -> None:
        """Cancel a pending charge; leave a final one as it is."""
