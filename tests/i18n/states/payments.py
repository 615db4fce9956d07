"""The page of a payment."""

from datetime import timedelta
from typing import Any

from django.urls import reverse

from bookings.models import (
    ChargeStatus,
    ClassStatus,
    MoneyWay,
    Payment,
    PaymentCharge,
    PaymentStatus,
    PriceDecision,
    Purchase,
    PurchaseState,
    Refund,
    RefundReason,
    RefundStatus,
    ReviewReason,
)
from bookings.pages.sales import paying
from tests.factories import PurchaseFactory
from tests.i18n.states.world import NOW, World, state


def make_payment(
    world: World,
    purchase: Purchase | None = None,
    *,
    charge: ChargeStatus | None = None,
    **changes: Any,
) -> Payment:
    """Let a purchase, by default of tomorrow's class of the host, have a payment.

    The provider is not asked about it.
    """
    world.monkeypatch.setattr(paying, "settle_if_not_recent", lambda payment: None)
    usual = {
        "purchase": purchase or world.book(kept_until=NOW + timedelta(minutes=15)).purchase,
        "preference_id": "1000000001-abcd",
        "checkout_url": "https://www.mercadopago.com.ar/checkout/v1/redirect?pref_id=abcd",
        "amount": 2_400_000,
        "quote": {
            "start": world.at("10:00").timestamp(),
            "end": world.at("11:00").timestamp(),
            "is_group_class": True,
        },
        "status": PaymentStatus.PENDING,
        "expires_at": NOW + timedelta(minutes=15),
    }
    payment = Payment.objects.create(**usual | changes)
    if charge:
        PaymentCharge.objects.create(
            provider="mercadopago",
            payment=payment,
            charge_id="140000000001",
            status=charge,
            amount=payment.amount,
            currency="ARS",
            account_id="1000000001",
            provider_updated_at=NOW,
        )
    return payment


def open_payment(
    world: World, purchase: Purchase | None = None, query: str = "", **changes: Any
) -> Any:
    """Open the page of a payment."""
    path = reverse("bookings:payment", args=[make_payment(world, purchase, **changes).pk])
    return world.client(world.host).get(path + query)


def open_paid(world: World, purchase: Purchase, **changes: Any) -> Any:
    """Open the page of an approved payment."""
    usual = {"status": PaymentStatus.APPROVED, "approved_at": NOW}
    return open_payment(world, purchase, **usual | changes)


def store_unbooked(world: World) -> Purchase:
    return PurchaseFactory(person=world.host, price=2_400_000, paid=True)


@state("bookings:payment")
def a_payment_of_a_time_that_was_taken(world):
    payment = make_payment(world)
    Purchase.objects.update(state=PurchaseState.LAPSED)  # as a paid class that takes its time does
    return world.get("bookings:payment", payment.pk, user=world.host)


@state("bookings:payment")
def a_payment_of_a_class_that_the_price_list_lacks(world):
    virtual_class = world.book(price_decision=PriceDecision.WAITING, paid_at=NOW)
    return open_paid(world, virtual_class.purchase)


@state("bookings:payment")
def a_payment_to_make(world):
    return open_payment(world)


@state("bookings:payment")
def a_payment_on_its_way(world):
    return open_payment(world, query="?status=approved")


@state("bookings:payment")
def a_payment_in_cash(world):
    return open_payment(world, charge=ChargeStatus.PENDING)


@state("bookings:payment")
def a_rejected_payment(world):
    return open_payment(world, status=PaymentStatus.REJECTED, charge=ChargeStatus.REJECTED)


@state("bookings:payment")
def an_expired_payment(world):
    over = NOW - timedelta(minutes=1)
    return open_payment(world, world.book(kept_until=over).purchase, expires_at=over)


@state("bookings:payment")
def a_paid_class_in_preparation(world):
    return open_paid(world, world.book(scheduling_requested_at=NOW, paid_at=NOW).purchase)


@state("bookings:payment")
def a_paid_class(world):
    return open_paid(world, world.schedule(paid_at=NOW).purchase)


@state("bookings:payment")
def a_paid_class_that_begins_soon(world):
    start = NOW + timedelta(hours=2)
    soon = world.schedule(start_time=start, max_participants=1, paid_at=NOW)
    return open_paid(world, soon.purchase)


@state("bookings:payment")
def a_paid_class_that_is_over(world):
    return open_paid(world, world.book(status=ClassStatus.COMPLETED, paid_at=NOW).purchase)


@state("bookings:payment")
def a_payment_without_a_booking(world):
    return open_paid(world, store_unbooked(world))


@state("bookings:payment")
def a_payment_that_goes_back(world):
    return open_paid(world, world.book(status=ClassStatus.CANCELLED, paid_at=NOW).purchase)


@state("bookings:payment")
def a_refunded_payment(world):
    return open_payment(world, status=PaymentStatus.REFUNDED, approved_at=NOW)


def give_back(payment: Payment, reason: RefundReason, status: RefundStatus) -> Refund:
    """Let a payment have a refund of its only charge."""
    charge = payment.charges.get()
    return Refund.objects.create(
        purchase=payment.purchase,
        way=MoneyWay.ONLINE,
        charge=charge,
        amount=charge.amount,
        key=f"refund-{charge.charge_id}-1",
        reason=reason,
        status=status,
        done_at=NOW if status == RefundStatus.DONE else None,
    )


def open_returned(
    world: World, purchase: Purchase, reason: RefundReason, status: RefundStatus
) -> Any:
    """Open the page of an approved payment with a refund."""
    approved = {"status": PaymentStatus.APPROVED, "approved_at": NOW}
    payment = make_payment(world, purchase, charge=ChargeStatus.APPROVED, **approved)
    give_back(payment, reason, status)
    return world.client(world.host).get(reverse("bookings:payment", args=[payment.pk]))


@state("bookings:payment")
def a_payment_whose_refund_was_refused(world):
    cancelled = world.book(status=ClassStatus.CANCELLED, paid_at=NOW)
    reason, status = RefundReason.SLOT_LOST, RefundStatus.FAILED
    return open_returned(world, cancelled.purchase, reason, status)


@state("bookings:payment")
def a_payment_that_was_never_booked(world):
    reason, status = RefundReason.NEVER_BOOKED, RefundStatus.REQUESTED
    return open_returned(world, store_unbooked(world), reason, status)


@state("bookings:payment")
def a_class_that_was_paid_twice(world):
    reason, status = RefundReason.PAID_TWICE, RefundStatus.DONE
    return open_returned(world, world.schedule(paid_at=NOW).purchase, reason, status)


@state("bookings:payment")
def a_cancelled_class_that_was_refunded_in_part(world):
    cancelled = world.book(status=ClassStatus.CANCELLED, paid_at=NOW)
    return open_paid(world, cancelled.purchase, status=PaymentStatus.PARTIALLY_REFUNDED)


@state("bookings:payment")
def a_payment_that_was_charged_back(world):
    back = {"status": PaymentStatus.CHARGED_BACK, "charge": ChargeStatus.CHARGED_BACK}
    return open_paid(world, world.schedule(paid_at=NOW).purchase, **back)


@state("bookings:class")
def a_class_whose_money_went_back(world):
    virtual_class = world.schedule(paid_at=NOW)
    payment = make_payment(
        world,
        virtual_class.purchase,
        status=PaymentStatus.REFUNDED,
        approved_at=NOW,
        charge=ChargeStatus.APPROVED,
    )
    give_back(payment, RefundReason.BY_TEACHER, RefundStatus.DONE)
    return world.client(world.host).get(reverse("bookings:class", args=[virtual_class.pk]))


@state("bookings:payment")
def a_payment_to_look_into(world):
    return open_payment(world, review=ReviewReason.SHORT)
