"""What goes back of a purchase that ends: decided once, then promised."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.domain.change_policy import refuse_old_sign_in
from bookings.domain.exceptions import BookingError, RefundChangedError
from bookings.domain.history import record_event
from bookings.domain.money.purchases import book_return, lock_purchase
from bookings.domain.money.refunds import (
    find_second_payment,
    refund_second_payment,
    refundable_amount,
    request_refund,
    store_refund,
)
from bookings.models import (
    FOREIGN,
    BankTransfer,
    ClassEvent,
    Entry,
    EntryKind,
    MoneyWay,
    Payment,
    PaymentCharge,
    Purchase,
    PurchaseState,
    Refund,
    RefundCase,
    RefundReason,
    RefundStatus,
)

NOT_PROMISED = _("Esa devolución ya está hecha.")


@dataclass(frozen=True, slots=True)
class MoneyBack:
    """Centavos. online, by_hand: what the provider and the teacher would return, without what is
    promised or returned already.
    """

    reason: RefundReason
    online: int
    by_hand: int
    kept: int

    @property
    def total(self) -> int:
        return self.online + self.by_hand


@dataclass(slots=True)
class _HandMoney:
    """Money that the teacher took herself and did not promise back."""

    way: MoneyWay
    left: int
    transfer: BankTransfer | None = None


def find_money_back(
    purchase: Purchase, case: RefundCase = RefundCase.PAID_AFTER_CANCELLING
) -> MoneyBack:
    """Return the stored decision, or else that for ``case``."""
    payment = purchase.find_payment()
    is_paid = purchase.was_paid
    online = sum(map(refundable_amount, _list_paying(payment))) if payment and is_paid else 0
    by_hand = sum(one.left for one in _list_by_hand(purchase)) if is_paid else 0
    if purchase.amount_kept is None:
        reason = case.reason
        kept = online + by_hand if case is RefundCase.PLACE_LEFT_LATE else 0
    else:
        reason, kept = RefundReason(purchase.refund_reason), purchase.amount_kept
    # The teacher keeps first what she has taken herself.
    online_back = max(online - max(kept - by_hand, 0), 0)
    if payment is not None and payment.approved_at is None:
        online_back += find_second_payment(payment)
    return MoneyBack(reason, online_back, max(by_hand - kept, 0), kept)


def end_purchase(locked: Purchase, case: RefundCase | None, by: User | None) -> list[Refund]:
    """End the claim of a locked purchase; return the refunds that its decision still lacks.

    case: None if a bank or the provider took the money back: the rest stays undecided.
    """
    if not locked.is_given_up:
        is_lost = locked.is_paid and case is not None and case.is_loss
        locked.state = PurchaseState.LOST if is_lost else PurchaseState.ENDED
    if case is not None and locked.amount_kept is None:
        _lock_charges(locked)
        money = find_money_back(locked, case)
        if locked.was_paid:
            locked.refund_reason, locked.amount_kept = money.reason, money.kept
    decided = ["paid_at", "refund_reason", "amount_kept"]
    locked.save(update_fields=["state", *decided, "updated_at"])
    return promise_money_back(locked, by) if case is not None else []


def refuse_refunding_less(locked: Purchase | None, case: RefundCase, shown: int | None) -> None:
    """Raise RefundChangedError if fewer centavos would go back than the client showed."""
    if locked is None or shown is None:
        return
    _lock_charges(locked)
    if find_money_back(locked, case).total < shown:
        raise RefundChangedError


def refuse_keeping_more(decided: Purchase, shown: int | None) -> None:
    """Raise RefundChangedError if more centavos are kept than the page showed; None: no page."""
    if shown is not None and (decided.amount_kept or 0) > shown:
        raise RefundChangedError


def promise_money_back(locked: Purchase, by: User | None) -> list[Refund]:
    """Store the refunds that the stored decision still lacks; return them."""
    payment = locked.find_payment()
    refunds = []
    if payment is not None and payment.approved_at is None:
        case = RefundCase.PAID_TWICE if locked.is_paid else RefundCase.PAID_AFTER_CANCELLING
        refunds += refund_second_payment(payment, case)
    if locked.amount_kept is None:
        if locked.is_given_up:  # what the teacher took, and it paid nothing
            refunds += promise_by_hand(locked, RefundCase.PAID_AFTER_CANCELLING.reason, by=by)
        return refunds
    reason, keep = RefundReason(locked.refund_reason), locked.amount_kept
    by_hand = sum(one.left for one in _list_by_hand(locked))
    refunds += promise_by_hand(locked, reason, keep=keep, by=by)
    if payment is not None:
        rest = max(keep - by_hand, 0)
        refunds += request_refund(payment=payment, reason=reason, keep=rest, by=by)
    return refunds


def promise_by_hand(
    locked: Purchase, reason: RefundReason, *, keep: int = 0, by: User | None = None
) -> list[Refund]:
    """Promise that the teacher returns what she took for a purchase, except ``keep`` centavos."""
    sources = _list_by_hand(locked)
    owed = sum(one.left for one in sources) - keep
    refunds = []
    for one in sources:  # transfers first: she keeps cash first
        amount = min(one.left, owed)
        if amount > 0:
            owed -= amount
            refund = store_refund(locked.pk, amount, reason, by, way=one.way, transfer=one.transfer)
            refunds.append(refund)
    return refunds


@transaction.atomic
def promise_cash(*, refund_id: int, by: User, fresh_sign_in: bool = False) -> Refund:
    """Promise in cash what the provider refused to refund; repeated, return the same promise.

    Raises FreshSignInNeededError; BookingError if the refund did not fail, was asked for again, or
    is not of pesos of ours.
    """
    refuse_old_sign_in(by, fresh_sign_in=fresh_sign_in)
    locked = lock_purchase(Refund.objects.values_list("purchase", flat=True).get(pk=refund_id))
    _lock_charges(locked)
    failed = Refund.objects.select_related("charge").get(pk=refund_id)
    charge = failed.charge
    if charge is None or failed.status != RefundStatus.FAILED or charge.problem in FOREIGN:
        raise BookingError(NOT_PROMISED)
    if known := charge.refunds.filter(way=MoneyWay.CASH, pk__gt=failed.pk).first():
        return known
    amount = min(failed.owed, refundable_amount(charge))
    if amount <= 0:
        raise BookingError(NOT_PROMISED)
    reason = RefundReason(failed.reason)
    return store_refund(locked.pk, amount, reason, by, way=MoneyWay.CASH, charge=charge)


@transaction.atomic
def note_return(*, refund_id: int, actor: User) -> Refund:
    """Store that the teacher returned money herself; repeated, change nothing.

    Raises BookingError for a refund by the provider.
    """
    purchase_id = Refund.objects.values_list("purchase", flat=True).get(pk=refund_id)
    locked = lock_purchase(purchase_id)
    refund = Refund.objects.select_related("transfer").get(pk=refund_id)
    if not refund.is_by_hand:
        raise BookingError(NOT_PROMISED)
    if refund.status == RefundStatus.DONE:
        return refund
    refund.status, refund.done_at = RefundStatus.DONE, timezone.now()
    refund.save(update_fields=["status", "done_at"])
    book_return(refund, actor)
    if locked.virtual_class is not None:
        is_transfer = refund.way == MoneyWay.TRANSFER
        event = ClassEvent.TRANSFER_RETURNED if is_transfer else ClassEvent.CASH_RETURNED
        details = {"person": str(locked.person_id), "amount": refund.amount}
        record_event(locked.virtual_class, event, actor=actor, details=details)
    return refund


def _list_by_hand(purchase: Purchase) -> list[_HandMoney]:
    """List the transfers, then the cash, that paid for a purchase."""
    entries = [one for one in purchase.entries.all() if _is_first_by_hand(one)]
    promised = [one for one in purchase.refunds.all() if one.is_by_hand and one.charge_id is None]
    found = []
    for one in entries:
        if one.transfer_id is not None:
            back = sum(ours.amount for ours in promised if ours.transfer_id == one.transfer_id)
            found.append(_HandMoney(MoneyWay.TRANSFER, max(one.amount - back, 0), one.transfer))
    cash = sum(one.amount for one in entries if one.way == MoneyWay.CASH)
    back = sum(ours.amount for ours in promised if ours.transfer_id is None)
    return [*found, _HandMoney(MoneyWay.CASH, max(cash - back, 0))]


def _is_first_by_hand(entry: Entry) -> bool:
    is_payment = entry.kind == EntryKind.PAYMENT and not entry.is_second
    return is_payment and entry.way != MoneyWay.ONLINE


def _lock_charges(locked: Purchase) -> None:
    payment = locked.find_payment()
    if payment is not None:
        list(payment.charges.select_for_update().order_by("id"))


def _list_paying(payment: Payment) -> Iterable[PaymentCharge]:
    return [charge for charge in payment.charges.all() if charge.counts]  # may be prefetched
