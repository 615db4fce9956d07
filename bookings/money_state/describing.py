"""The words of a purchase's money."""

from collections.abc import Callable
from datetime import datetime

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from bookings.models import (
    Entry,
    EntryKind,
    MoneyWay,
    Purchase,
    Refund,
    ReviewReason,
    VirtualClass,
)
from bookings.money_state.purchase_facts import MoneyFacts
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
)
from bookings.payments.backend import name_provider
from bookings.templatetags.class_times import long_day, pesos

WAYS = {MoneyWay.TRANSFER: "transferencia", MoneyWay.CASH: "a mano"}


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


def describe_money(purchase: Purchase, now: datetime) -> "Money":
    """Return the state of a purchase's money. Read many purchases ``with_money``."""
    return Money(purchase, now)


class Money(MoneyFacts):
    """The money of a purchase, in words."""

    @property
    def badge(self) -> str:
        return self._write(self.state.badge)

    @property
    def line(self) -> str:
        """What the buyer reads, with ``also``."""
        if self.state is MoneyState.ANNOUNCED and self.purchase.is_given_up:
            return self.cancelling
        return " ".join(filter(None, [self._write(self.state.line), self.also]))

    @property
    def cancelling(self) -> str:
        """What the buyer reads before cancelling."""
        if self.state is MoneyState.UNDECIDED and self.left == 0:
            return self._write(MoneyState.KEPT.cancelling)
        return " ".join(filter(None, [self._write(self.state.cancelling), self.also]))

    @property
    def hers(self) -> str:
        """What the teacher reads on her sheet, with a second payment or a surplus."""
        return "; ".join(filter(None, [self._write(self.state.hers), self._hers_also]))

    @property
    def report(self) -> str:
        if self.second_back:
            return MoneyState.OWED_BY_HAND.report
        return "Pagada dos veces" if self.second else self.state.report

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
            text = _("Pagaste dos veces: tu profe te devuelve %(amount)s.")
            return text % {"amount": pesos(self.second_back)}
        if self.review == ReviewReason.PAID_TWICE:
            return _("Pagaste dos veces: tu profe lo está mirando.")
        if self.review == ReviewReason.OVERPAID:
            return _("Entró más de lo que cuesta: tu profe lo mira.")
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
        came = (one.at for one in self.entries if one.kind == EntryKind.PAYMENT)
        return max(came, default=self.purchase.paid_at)

    @property
    def until(self) -> datetime | None:
        """Until when it is kept, or when its minimum is decided."""
        awaiting = {MoneyState.FREE_AWAITS_MINIMUM, MoneyState.AWAITS_MINIMUM}
        if self.awaited_class and self.state in awaiting:
            return self.awaited_class.decides_at
        return self.purchase.kept_until if self.purchase.is_kept(self.now) else None

    @property
    def way(self) -> str:
        """How the money came that pays it."""
        ways = {one.way for one in self.first_payments}
        names = {**WAYS, MoneyWay.ONLINE: self.provider}
        return ", ".join(names[MoneyWay(way)] for way in sorted(ways)) or WAYS[MoneyWay.CASH]

    @property
    def provider(self) -> str:
        payment = self.purchase.find_payment()
        return name_provider(payment.provider if payment else None)

    @property
    def how(self) -> str:
        """How the teacher returns what she promised."""
        ways = {one.way for one in self.refunds if one.is_by_hand and one.is_open}
        said = {MoneyWay.CASH.value: IN_CASH, MoneyWay.TRANSFER.value: BY_TRANSFER}
        return str(said[ways.pop()] if len(ways) == 1 else AS_PAID)

    def _write(self, text: object) -> str:
        said = str(text)
        return said % {name: find(self) for name, find in VALUES.items() if f"%({name})s" in said}

    @property
    def people(self) -> str:
        people = self.awaited_class.people_missing if self.awaited_class else 0
        if not people:
            return _("Por ahora hay suficientes")
        text = ngettext("Falta %(count)d persona", "Faltan %(count)d personas", people)
        return text % {"count": people}


# The values that a state's words may name: functions, because a text names only one or two.
VALUES: dict[str, Callable[[Money], str]] = {
    "amount": lambda money: pesos(money.purchase.price),
    "came": lambda money: pesos(money.left),
    "gross": lambda money: pesos(money.gross),
    "missing": lambda money: pesos(money.purchase.missing),
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
