"""The money of a purchase on its buyer's pages: ``Money`` with what its buttons need."""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.utils.functional import Promise

from bookings.domain.money.checkouts import find_checkout_url
from bookings.models import (
    ChangeTerms,
    ChargeStatus,
    ClassType,
    Payment,
    RefundReason,
    VirtualClass,
    find_change_terms,
)
from bookings.money_state import REASONS, Money, MoneyState, ReturnedMoney
from bookings.pages.choosing import TITLES, title_of

# Seconds between two requests of an open page.
REFRESH_SECONDS = {
    MoneyState.KEPT: 4,
    MoneyState.PROCESSING: 4,
    MoneyState.PREPARING: 4,
    MoneyState.COUPON: 10,
    MoneyState.REFUND_FAILED: 10,
    MoneyState.RETURNING: 10,
    MoneyState.TIME_TAKEN: 10,
    MoneyState.UNBOOKED: 10,
    MoneyState.UNDECIDED: 10,
}
# The look and the icon of the box around a state, by the colour of its badge.
BOXES = {
    "scheduled": ("success", "check"),
    "completed": ("", "info"),
    "cancelled": ("error", "alert"),
}
# What was paid and needs no more of its buyer.
SETTLED = {
    MoneyState.FREE_AWAITS_MINIMUM,
    MoneyState.FREE,
    MoneyState.AWAITS_MINIMUM,
    MoneyState.PAID,
}
# Only a notification changes these, so the page stops asking the provider.
FINAL = SETTLED | {
    MoneyState.CHARGED_BACK,
    MoneyState.DISPUTED,
    MoneyState.KEPT_ALL,
    MoneyState.KEPT_PART,
    MoneyState.PARTLY_RETURNED,
    MoneyState.RETURNED,
    MoneyState.REVIEW,
}
TO_TALK_ABOUT = {
    MoneyState.CHARGED_BACK,
    MoneyState.DISPUTED,
    MoneyState.NOT_SCHEDULED,
    MoneyState.OWED_BY_HAND,
    MoneyState.REFUND_FAILED,
    MoneyState.REVIEW,
}


@dataclass(frozen=True)
class MoneyCard(Money):
    @property
    def virtual_class(self) -> VirtualClass | None:
        return self.purchase.virtual_class

    @property
    def is_place(self) -> bool:
        return self.purchase.is_place

    # --- What is paid ---

    @property
    def what(self) -> VirtualClass:
        """The class; not saved if it is only quoted."""
        return self.virtual_class or _read_quote(self.payment)

    @property
    def title(self) -> str | Promise:
        if self.virtual_class is not None:
            return title_of(self.virtual_class)
        return TITLES[ClassType(self.what.class_type)]

    @property
    def start(self) -> datetime:
        return self.what.start_time

    @property
    def end(self) -> datetime:
        return self.what.end_time

    @property
    def terms(self) -> ChangeTerms:
        return find_change_terms(self.what, self.now)

    # --- What the page offers ---

    @property
    def kept_until(self) -> datetime | None:
        """The end of the kept time or place, while it may be paid."""
        return self.purchase.kept_until if self.may_pay and self.until else None

    @property
    def is_only_kept(self) -> bool:
        """True if nothing more is to say of the money than until when it is kept."""
        return self.state is MoneyState.KEPT and self.kept_until is not None

    @property
    def checkout_url(self) -> str:
        return find_checkout_url(self)

    @property
    def box(self) -> tuple[str, str]:
        return BOXES.get(self.state.look, ("warning", "clock"))

    @property
    def is_settled(self) -> bool:
        return self.state in SETTLED and not self.also

    @property
    def is_over(self) -> bool:
        """True if the buyer has to choose anew."""
        lapsed = {MoneyState.LAPSED, MoneyState.TIME_TAKEN}
        return self.state in lapsed or self.purchase.is_given_up

    @property
    def is_to_talk_about(self) -> bool:
        return self.state in TO_TALK_ABOUT

    @property
    def refresh_seconds(self) -> int | None:
        return REFRESH_SECONDS.get(self.state)

    # --- The payment ---

    @property
    def has_payment_page(self) -> bool:
        """True if the payment's page says more than that of the class, which it leads back to."""
        return self.payment is not None and not self.may_pay and not self.is_announced

    @property
    def charge_id(self) -> str:
        """The number of the last charge that was not rejected."""
        counted = [one for one in self.charges if one.status != ChargeStatus.REJECTED]
        return counted[-1].charge_id if counted else ""

    @property
    def returns_online(self) -> list[ReturnedMoney]:
        return [part for part in self.returns if not part.is_by_hand]

    @property
    def why(self) -> Promise | str:
        """The reason, if the service gave it up by itself."""
        reason = self.purchase.refund_reason
        return REASONS[reason] if reason not in {"", RefundReason.CANCELLED} else ""


def _read_quote(payment: Payment | None) -> VirtualClass:
    """Return the class of a preference that is not booked."""
    if payment is None:
        raise ValueError("A purchase without a class has a quote.")
    quote = payment.quote
    start, end = (datetime.fromtimestamp(quote[key], UTC) for key in ("start", "end"))
    class_type = ClassType.GROUP if quote["is_group_class"] else ClassType.INDIVIDUAL
    return VirtualClass(start_time=start, end_time=end, class_type=class_type)
