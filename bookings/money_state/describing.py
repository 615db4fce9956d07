"""The facts and words of a purchase's money, read from its rows."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from bookings.models import (
    FOREIGN,
    BankTransfer,
    ChargeStatus,
    ClassStatus,
    Entry,
    EntryKind,
    MinimumDecision,
    MoneyWay,
    Payment,
    PaymentCharge,
    Purchase,
    PurchaseState,
    Refund,
    RefundReason,
    ReviewReason,
    TransferState,
    VirtualClass,
    find_open_class,
    find_refused,
)
from bookings.money_state.finding import find_state
from bookings.money_state.returns import ReturnedMoney, list_returns
from bookings.money_state.states import (
    AS_PAID,
    BACK_BY_HAND,
    BACK_ONLINE,
    BY_TRANSFER,
    IN_CASH,
    NO_LONGER_KEPT,
    NOT_BACK,
    MoneyState,
    Words,
)
from bookings.payments.backend import name_provider
from bookings.templatetags.class_times import long_day, pesos

# For so long after its end, the purchase of a student who comes back from paying has not lapsed.
RETURN_GRACE = timedelta(minutes=5)
ZERO = timedelta(0)
WAYS = {
    MoneyWay.TRANSFER: "transferencia",
    MoneyWay.CASH: "a mano",
}


def with_money(purchases: QuerySet[Purchase]) -> QuerySet[Purchase]:
    """Prefetch what ``describe_money`` reads, in five queries for any number of rows."""
    return purchases.select_related(
        "person", "payment", "virtual_class__open_class", "virtual_class__offer"
    ).prefetch_related(
        "payment__charges",
        Prefetch("entries", Entry.objects.select_related("transfer", "charge")),
        "transfers",
        Prefetch("refunds", Refund.objects.select_related("charge")),
    )


def say_what_goes_back(*, online: int, by_hand: int, kept: int) -> list[str]:
    """Say what becomes of the money of a purchase that its buyer is about to give up."""
    values = {"kept": pesos(kept), "how": AS_PAID}
    parts = (online, BACK_ONLINE), (by_hand, BACK_BY_HAND), (kept, NOT_BACK)
    return [str(text) % {**values, "back": pesos(amount)} for amount, text in parts if amount]


def with_class_money(classes: QuerySet[VirtualClass]) -> QuerySet[VirtualClass]:
    """Prefetch the purchases of classes ``with_money``, and nothing else."""
    purchases = with_money(Purchase.objects.select_related("hold"))
    return classes.prefetch_related(None).prefetch_related(Prefetch("purchases", purchases))


def describe_money(purchase: Purchase, now: datetime, *, says_paid: bool = False) -> "Money":
    """Return the state of a purchase's money. Read many purchases ``with_money``.

    says_paid: the buyer has just come back from paying.
    """
    return Money(purchase, now, says_paid)


@dataclass(frozen=True)
class Money:
    """Amounts are centavos."""

    purchase: Purchase
    now: datetime
    says_paid: bool = False

    # --- Words ---

    @property
    def badge(self) -> str:
        return self._write(self.state.words.badge)

    @property
    def line(self) -> str:
        """What the buyer reads, with ``also``."""
        if self.state is MoneyState.ANNOUNCED and self.purchase.is_given_up:
            return self.cancelling
        return " ".join(filter(None, [self._write(self.state.words.line), self.also]))

    @property
    def cancelling(self) -> str:
        """What the buyer reads before cancelling."""
        if self.state is MoneyState.UNDECIDED and self.left == 0:
            return self._write(MoneyState.KEPT.words.cancelling)
        return " ".join(filter(None, [self._write(self.state.words.cancelling), self.also]))

    @property
    def hers(self) -> str:
        """What the teacher reads on her sheet, with a second payment or a surplus."""
        return "; ".join(filter(None, [self._write(self.state.words.hers), self._hers_also]))

    @property
    def report(self) -> str:
        if self.second_back:
            return MoneyState.OWED_BY_HAND.words.report
        return "Pagada dos veces" if self.second else self.state.words.report

    @property
    def words(self) -> Words:
        return self.state.words

    @property
    def also(self) -> str:
        """A second payment, a surplus, or the rest of what goes back."""
        if self.state is MoneyState.ANNOUNCED and self.has_lost_its_time:
            return str(NO_LONGER_KEPT)
        if self.state in {MoneyState.OWED_BY_HAND, MoneyState.RETURNING}:
            is_by_hand = self.state is MoneyState.OWED_BY_HAND
            online = self.owed_online if is_by_hand else 0
            return " ".join(say_what_goes_back(online=online, by_hand=0, kept=self.kept))
        if self.second_back:
            text = _("Pagaste dos veces: la profe te devuelve %(amount)s.")
            return text % {"amount": pesos(self.second_back)}
        if self.review == ReviewReason.PAID_TWICE:
            return _("Pagaste dos veces: la profe lo está mirando.")
        if self.review == ReviewReason.OVERPAID:
            return _("Entró más de lo que cuesta: la profe lo mira.")
        return ""

    @property
    def why_review(self) -> str:
        """What does not match, or the money that is left without a reason."""
        label = self.payment.get_review_display().lower() if self.payment and self.review else ""
        return label or pesos(self.left)

    @property
    def _hers_also(self) -> str:
        if self.second_back and self.state is not MoneyState.OWED_BY_HAND:
            return f"pagó dos veces, te toca devolver {pesos(self.second_back)}"
        if self.review == ReviewReason.PAID_TWICE:
            return "pagó dos veces"
        return "pagó de más" if self.review == ReviewReason.OVERPAID else ""

    @property
    def may_pay(self) -> bool:
        """The only answer to whether any page, link or endpoint may ask for money."""
        return self.state.may_pay and not self.is_paid_enough

    # --- Facts ---

    @cached_property
    def state(self) -> MoneyState:
        return find_state(self)

    @cached_property
    def payment(self) -> Payment | None:
        return self.purchase.find_payment()

    @cached_property
    def charges(self) -> list[PaymentCharge]:
        return list(self.payment.charges.all()) if self.payment else []

    @cached_property
    def entries(self) -> list[Entry]:
        return list(self.purchase.entries.all())

    @cached_property
    def refunds(self) -> list[Refund]:
        return list(self.purchase.refunds.all())

    @cached_property
    def transfer(self) -> BankTransfer | None:
        """The one announced last."""
        rows = self.purchase.transfers.all()
        return max(rows, key=lambda one: (one.announced_at, one.pk), default=None)

    @property
    def is_announced(self) -> bool:
        return self.transfer is not None and self.transfer.state == TransferState.ANNOUNCED

    @property
    def review(self) -> str:
        return self.payment.review if self.payment else ReviewReason.NONE

    @cached_property
    def gross(self) -> int:
        """Everything that came for it, without second payments."""
        return sum(one.amount for one in self.entries if _came(one) and not one.is_second)

    @cached_property
    def second(self) -> int:
        """What came when it was already paid, is still here, and is not promised back."""
        sources = {_source_of(one) for one in self.entries if one.is_second}
        here = sum(one.amount for one in self.entries if _source_of(one) in sources)
        back = (one for one in self.refunds if _source_of(one) in sources and _is_to_take_off(one))
        return max(here - sum(one.amount for one in back), 0)

    @property
    def second_back(self) -> int:
        """What the teacher still has to return of a second payment."""
        return sum(
            one.amount
            for one in self.refunds
            if _is_of_second(one) and one.is_by_hand and one.is_open
        )

    @cached_property
    def left(self) -> int:
        """What is here of all money, also of what is promised back."""
        return sum(one.amount for one in self.entries)

    @property
    def kept(self) -> int:
        """What stays of what the teacher may keep: she may return some of her own."""
        promised = self.purchase.owed_by_hand + self.owed_online
        return min(self.purchase.amount_kept or 0, max(self.left - promised, 0))

    @property
    def missing(self) -> int:
        return self.purchase.missing

    @property
    def is_paid_enough(self) -> bool:
        return self.missing == 0 < self.purchase.price

    @cached_property
    def returned(self) -> int:
        return -sum(one.amount for one in self.entries if one.kind == EntryKind.REFUND)

    @cached_property
    def owed_online(self) -> int:
        """What is on its way, or sent and not reported yet. Foreign money is in no sum."""
        owed = 0
        for charge in self.charges:
            if charge.problem not in FOREIGN:
                asked = (one for one in self.refunds if one.charge_id == charge.pk)
                online = (one for one in asked if not one.is_by_hand and not _failed(one))
                reported = charge.refunded_amount - charge.refunded_elsewhere
                unreported = max(sum(one.amount for one in online) - reported, 0)
                owed += min(unreported, charge.amount - charge.refunded_amount)
        return owed

    @cached_property
    def failed(self) -> int:
        return sum(
            find_refused(charge, [one for one in self.refunds if one.charge_id == charge.pk])[1]
            for charge in self.charges
        )

    @property
    def returns(self) -> list[ReturnedMoney]:
        """What went back of its charges, is under way, or was refused."""
        return list_returns(self.charges, self.refunds)

    @property
    def back(self) -> int:
        """The money that the state's words say goes back, or went."""
        if self.state is MoneyState.REFUND_FAILED:
            return self.failed
        if self.state is MoneyState.OWED_BY_HAND:
            return self.purchase.owed_by_hand
        if self.state is MoneyState.RETURNING:
            return self.owed_online
        if self.purchase.is_given_up or self.state is MoneyState.PARTLY_RETURNED:
            return self.returned
        return self.left or self.returned

    @property
    def moved_at(self) -> datetime | None:
        """When the state's money moved."""
        if self.state is MoneyState.ANNOUNCED and self.transfer:
            return self.transfer.announced_at
        if self.state is MoneyState.RETURNED:
            return max((one.at for one in self.entries), default=None)
        came = (one.at for one in self.entries if _came(one))
        return max(came, default=self.purchase.paid_at)

    @property
    def until(self) -> datetime | None:
        """Until when it is kept, or when its minimum is decided."""
        if self.state is MoneyState.AWAITS_MINIMUM:
            open_class = find_open_class(self.purchase.virtual_class)
            return open_class.decides_at if open_class else None
        return self.purchase.kept_until if self.purchase.is_kept(self.now) else None

    @property
    def way(self) -> str:
        """How the money came that pays it."""
        ways = {one.way for one in self.entries if _came(one) and not one.is_second}
        names = {**WAYS, MoneyWay.ONLINE: self.provider}
        return ", ".join(names[MoneyWay(way)] for way in sorted(ways)) or WAYS[MoneyWay.CASH]

    @property
    def provider(self) -> str:
        payment = self.purchase.find_payment()
        return name_provider(payment.provider if payment else None)

    @property
    def people_missing(self) -> int:
        open_class = find_open_class(self.purchase.virtual_class)
        if open_class is None or open_class.decision != MinimumDecision.WAITING:
            return 0
        return max(open_class.minimum - self.purchase.booked_class.guest_count, 0)

    @property
    def has_lost_its_time(self) -> bool:
        """True if nothing keeps an unpaid time or place any more."""
        purchase = self.purchase
        is_endless = purchase.state == PurchaseState.KEPT and purchase.kept_until is None
        return purchase.is_unpaid and not is_endless and not purchase.is_kept(self.now)

    @property
    def how(self) -> str:
        """How the teacher returns what she promised."""
        ways = {one.way for one in self.refunds if one.is_by_hand and one.is_open}
        said = {MoneyWay.CASH.value: IN_CASH, MoneyWay.TRANSFER.value: BY_TRANSFER}
        return str(said[ways.pop()] if len(ways) == 1 else AS_PAID)

    @property
    def has_lapsed(self) -> bool:
        then = self.now - (RETURN_GRACE if self.says_paid else ZERO)
        booked = self.purchase.virtual_class
        if booked and booked.status == ClassStatus.PENDING and booked.has_ended(then):
            return True
        return self.purchase.has_lapsed(then)

    def has_charge(self, *states: ChargeStatus) -> bool:
        return any(one.status in states and not one.problem for one in self.charges)

    def _write(self, text: object) -> str:
        return str(text) % _Values(self)

    @property
    def people(self) -> str:
        people = self.people_missing
        text = ngettext("Falta %(count)d persona", "Faltan %(count)d personas", people)
        return text % {"count": people}


# The values that a state's words may name: functions, because a text names only one or two.
VALUES: dict[str, Callable[[Money], str]] = {
    "amount": lambda money: pesos(money.purchase.price),
    "came": lambda money: pesos(money.left),
    "gross": lambda money: pesos(money.gross),
    "missing": lambda money: pesos(money.missing),
    "back": lambda money: pesos(money.back),
    "kept": lambda money: pesos(money.kept),
    "until": lambda money: long_day(money.until) if money.until else "",
    "day": lambda money: long_day(money.moved_at) if money.moved_at else "",
    "number": lambda money: money.transfer.operation_number if money.transfer else "",
    "asked": lambda money: pesos(money.transfer.amount) if money.transfer else "",
    "how": lambda money: money.how,
    "way": lambda money: money.way,
    "provider": lambda money: money.provider,
    "review": lambda money: money.why_review,
    "people": lambda money: money.people,
}


class _Values:
    def __init__(self, money: Money) -> None:
        self._money = money

    def __getitem__(self, name: str) -> str:
        return VALUES[name](self._money)


def _came(entry: Entry) -> bool:
    return entry.kind == EntryKind.PAYMENT


def _failed(refund: Refund) -> bool:
    return not refund.is_open and refund.done_at is None


def _source_of(row: Entry | Refund) -> tuple[int | None, object]:
    return row.charge_id, row.transfer_id


def _is_to_take_off(refund: Refund) -> bool:
    # The entry of a charge's money that went back in cash names no charge.
    return refund.is_open or (refund.is_by_hand and not _failed(refund) and bool(refund.charge_id))


def _is_of_second(refund: Refund) -> bool:
    return refund.reason == RefundReason.PAID_TWICE
