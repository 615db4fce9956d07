"""What tests of transfers share."""

from datetime import datetime, timedelta
from typing import IO, Any

from django.utils import timezone

from accounts.models import User
from bookings.domain.money.money_back import note_return
from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.holds import PayWay
from bookings.domain.sales.settling import settle
from bookings.domain.sales.transfers import announce_transfer
from bookings.models import (
    BankTransfer,
    BookingRules,
    MoneyWay,
    NoticeKind,
    Price,
    Refund,
    VirtualClass,
)
from bookings.notices.due import plan_mail
from tests.factories import HoldFactory, VirtualClassFactory
from tests.payments import make_payment

START = (timezone.now() + timedelta(days=7)).replace(minute=0, second=0, microsecond=0)
PRICE = 1_500_000
SHORT = 400_000
ALIAS = "clases.con.paula"


def take_transfers(**changes: Any) -> BookingRules:
    """Store an account, and the price of an hour."""
    account = {"transfer_alias": ALIAS, "transfer_holder": "Paula Ferreyra"}
    rules, _ = BookingRules.objects.update_or_create(
        pk=BookingRules.SINGLETON, defaults=account | changes
    )
    Price.objects.get_or_create(
        class_type="individual", minutes=60, amount=PRICE, valid_from="2026-01-01"
    )
    return rules


def keep(user: User, *, start: datetime = START, minutes: int = 15, **more: Any) -> Any:
    return HoldFactory(
        user=user,
        start_time=start,
        end_time=start + timedelta(hours=1),
        class_type="individual",
        expires_at=timezone.now() + timedelta(minutes=minutes),
        **more,
    )


def book(
    user: User, *, start: datetime = START, way: PayWay = PayWay.TRANSFER, minutes: int = 15
) -> VirtualClass:
    """Hold a time and book it; by default, to be paid by transfer."""
    hold = keep(user, start=start, minutes=minutes)
    return check_out_hold(user=user, hold_id=hold.pk, students_count=1, way=way)


def store(user: User, *, start: datetime = START) -> VirtualClass:
    """Store a class whose time is kept a day for a transfer, as ``book`` leaves it."""
    virtual_class = VirtualClassFactory(
        booked_by=user,
        start_time=start,
        class_type="individual",
        class_price=PRICE,
        max_participants=1,
        has_preference=False,
        kept_until=timezone.now() + timedelta(days=1),
        kept_for=MoneyWay.TRANSFER,
    )
    hold = HoldFactory(purchase=virtual_class.purchase)
    plan_mail(NoticeKind.TRANSFER_OVER, virtual_class, user.pk, due_at=hold.ends_at)
    return virtual_class


def announce(
    virtual_class: VirtualClass, number: str = "12345678", receipt: IO[bytes] | None = None
) -> BankTransfer:
    purchase = virtual_class.purchase
    return announce_transfer(
        user=purchase.person, purchase=purchase, operation_number=number, receipt=receipt
    )


def is_given_back(transfer: BankTransfer) -> bool:
    """True if the teacher has to return all of a transfer, or did."""
    return sum(one.amount for one in transfer.refunds.all()) == transfer.amount


def send_back(transfer: BankTransfer, by: User) -> Refund:
    """Say that the teacher returned a transfer."""
    return note_return(refund_id=transfer.refunds.get().pk, actor=by)


def announce_with_lost_time(user: User, mercadopago: Any, *, is_lost: bool = True) -> BankTransfer:
    """Announce a transfer for a class that a charge paid in part and whose time is taken now."""
    take_transfers()
    payment = make_payment(user)
    mercadopago.pay(payment.preference_id, amount=SHORT / 100)
    settle(payment.preference_id or "")
    payment.refresh_from_db()
    booked = payment.purchase.booked_class
    transfer = announce(booked)
    if is_lost:
        VirtualClassFactory(scheduled=True, owns_time=True, start_time=booked.start_time)
    return transfer
