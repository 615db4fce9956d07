"""Discount codes.

A use is a purchase with the code that is paid, or may still be paid. If money arrives after the
use was given to another, ``refuse_lost_use`` sends it back.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.domain.exceptions import (
    BookingError,
    ClassCancelledError,
    PriceChangedError,
    SlotTakenError,
    TooManyAttemptsError,
)
from bookings.models import (
    GIVEN_UP,
    EntryKind,
    MoneyWay,
    Purchase,
    PurchaseKind,
    RefundCase,
)
from bookings.models.sales.discount_code import DiscountCode
from bookings.templatetags.class_times import pesos
from config.lib.throttling import count_one, give_back, seconds_left

# Spaces, dashes of every length, dots and underscores.
_SEPARATORS = re.compile(r"[\s\-\u2010-\u2015\u2212._]+")
_CODE = re.compile(r"[0-9A-Za-z]{3,20}", re.ASCII)
_PESO = 100
# MAX_WRONG_CODES are permitted in this time.
WINDOW = timedelta(minutes=10)


class DiscountCodeError(BookingError):
    """One text for every reason, so that a guess reveals no code."""

    text = _("Ese código no existe, ya se usó o ya no vale.")


class CodeUsedUpError(ClassCancelledError):
    """Money came for a purchase whose code others have used up meanwhile."""

    text = _("El pago llegó cuando el código de descuento ya se había usado.")
    code = "code_used_up"
    refund_case = RefundCase.CODE_USED_UP


@dataclass(frozen=True, slots=True)
class Discount:
    code: DiscountCode
    amount: int

    @property
    def fields(self) -> dict[str, Any]:
        """Return what a purchase stores of it."""
        terms = self.code.terms
        return {"discount": self.amount, "discount_terms": terms, "discount_code": self.code}

    def take(self, user: User, price: int) -> dict[str, Any]:
        """Take what was found before; return the fields of the purchase, at this lowered price.

        Raises as ``take_discount``; PriceChangedError if the teacher changed the code meanwhile.
        """
        if take_discount(user=user, typed=self.code.code, amount=price + self.amount) != self:
            raise PriceChangedError
        return self.fields


def normalize_discount_code(typed: str) -> str | None:
    """Return a code in capitals without separators; None if malformed."""
    code = _SEPARATORS.sub("", typed)
    # Checked before it is upper-cased: the capitals of "ß" are "SS".
    return code.upper() if _CODE.fullmatch(code) else None


def find_discount(*, user: User, typed: str, amount: int) -> Discount:
    """Return a typed code's discount on ``amount`` centavos, without using the code.

    Raises DiscountCodeError, with one text for unknown, finished and used codes;
    TooManyAttemptsError.
    """
    return _find(DiscountCode.objects.all(), user, typed, amount)


def take_discount(*, user: User, typed: str, amount: int) -> Discount:
    """Like ``find_discount``, but lock the code.

    The caller stores the purchase with the code in the same transaction.
    """
    # NO KEY: rows that refer to the code may be inserted meanwhile.
    return _find(DiscountCode.objects.select_for_update(no_key=True), user, typed, amount)


def count_off(code: DiscountCode, amount: int) -> int:
    """Return centavos; the rest of the price is rounded down to whole pesos."""
    if code.percent is not None:
        rest = amount * (100 - code.percent) // 100
    else:
        rest = amount - (code.amount or 0)
    return amount - max(rest // _PESO * _PESO, 0)


def describe_off(code: DiscountCode) -> str:
    """``10 %`` or ``$ 2.000``."""
    return f"{code.percent}\u00a0%" if code.percent is not None else pesos(code.amount or 0)


def list_uses() -> QuerySet[Purchase]:
    """List the purchases with a code that are paid, or may still be paid."""
    now = timezone.now()
    # A place that was given up may still be paid. A class that lapsed has lost its time.
    has_checkout = Q(
        kind=PurchaseKind.PLACE,
        payment__preference_id__isnull=False,
        payment__expires_at__gt=now,
    )
    lapsed = Purchase.objects.lapsed(now).exclude(has_checkout).filter(pk=OuterRef("pk"))
    with_code = Purchase.objects.filter(discount_code__isnull=False).exclude(state__in=GIVEN_UP)
    return with_code.filter(~Exists(lapsed)).order_by("-created_at", "-id")


def refuse_lost_use(purchase: Purchase) -> None:
    """Raise CodeUsedUpError for money that came too late, unless the teacher took it in cash."""
    if has_lost_its_use(purchase) and not _is_paid_in_cash(purchase):
        raise CodeUsedUpError


def has_lost_its_use(purchase: Purchase) -> bool:
    """True if money came too late for the code: others have used it up.

    Locks the code, which is locked after its class.
    """
    if purchase.discount_code_id is None or _was_kept_until_paid(purchase):
        return False
    with transaction.atomic():
        codes = DiscountCode.objects.select_for_update(no_key=True)
        code = codes.get(pk=purchase.discount_code_id)
        return not _has_use_left(code, purchase.person, besides=purchase)


def with_uses(codes: QuerySet[DiscountCode]) -> QuerySet[DiscountCode]:
    of_code = list_uses().filter(discount_code=OuterRef("pk")).order_by().values("discount_code")
    count = of_code.annotate(count=Count("pk")).values("count")
    return codes.annotate(uses=Coalesce(Subquery(count, output_field=IntegerField()), 0))


def has_usable_codes() -> bool:
    """True if any code is valid today, even if used up."""
    today = timezone.localdate()
    valid = Q(valid_until=None) | Q(valid_until__gte=today)
    return DiscountCode.objects.filter(valid, is_active=True).exists()


def is_over(code: DiscountCode) -> bool:
    has_ended = code.valid_until is not None and code.valid_until < timezone.localdate()
    return has_ended or not code.is_active


def _find(codes: QuerySet[DiscountCode], user: User, typed: str, amount: int) -> Discount:
    with _limit_wrong_codes(user):
        normalized = normalize_discount_code(typed)
        code = codes.filter(code=normalized).first() if normalized else None
        if code is None or amount <= 0 or is_over(code) or not _has_use_left(code, user):
            raise DiscountCodeError
        return Discount(code, count_off(code, amount))


def _has_use_left(code: DiscountCode, user: User, besides: Purchase | None = None) -> bool:
    uses = list_uses().filter(discount_code=code)
    if besides is not None:
        uses = uses.exclude(pk=besides.pk)
    if code.once_per_person and uses.filter(person=user).exists():
        return False
    return code.max_uses is None or uses.count() < code.max_uses


def _was_kept_until_paid(purchase: Purchase) -> bool:
    """Return True if no other person could take the use; then a lowered limit does not matter."""
    booked = purchase.virtual_class
    if not purchase.is_place and booked and booked.scheduling_refusal == SlotTakenError.code:
        return False  # it had lost its time, and its use with it
    payment = purchase.find_payment()
    ends = [purchase.kept_until]
    if payment is not None and payment.preference_id:
        ends.append(payment.expires_at)
    paid_at = purchase.paid_at or (payment and payment.approved_at) or timezone.now()
    return any(end is not None and paid_at <= end for end in ends)


def _is_paid_in_cash(purchase: Purchase) -> bool:
    # The teacher has then decided about the price.
    return purchase.entries.filter(way=MoneyWay.CASH, kind=EntryKind.PAYMENT).exists()


@contextmanager
def _limit_wrong_codes(user: User) -> Iterator[None]:
    # Counted before the look-up: many tries at once do not exceed the limit.
    count = count_one("wrong-discounts", user.pk, window=WINDOW)
    if count.number > settings.MAX_WRONG_CODES:
        raise TooManyAttemptsError(wait_seconds=seconds_left(WINDOW))
    is_wrong = False
    try:
        yield
    except DiscountCodeError:
        is_wrong = True
        raise
    finally:
        if not is_wrong:
            give_back(count)
