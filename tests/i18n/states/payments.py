"""The page of a payment."""

from datetime import timedelta
from typing import Any

from django.urls import reverse

from bookings.models import (
    ChargeStatus,
    ClassStatus,
    Payment,
    PaymentCharge,
    PaymentStatus,
    PriceDecision,
    Refund,
    RefundReason,
    RefundStatus,
    ReviewReason,
)
from bookings.pages.sales import paying
from tests.factories import VirtualClassFactory
from tests.i18n.states.world import NOW, World, state


def make_payment(world: World, *, charge: ChargeStatus | None = None, **changes: Any) -> Payment:
    """Let the host have a payment of tomorrow's class, which the provider is not asked about."""
    world.monkeypatch.setattr(paying, "settle_if_not_recent", lambda payment: None)
    usual = {
        "user": world.host,
        "virtual_class": None,
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
    if "virtual_class" not in changes:
        changes["virtual_class"] = world.book()
    payment = Payment.objects.create(**usual | changes)
    if charge:
        PaymentCharge.objects.create(
            payment=payment,
            charge_id="140000000001",
            status=charge,
            amount=payment.amount,
            currency="ARS",
            account_id="1000000001",
            provider_updated_at=NOW,
        )
    return payment


def open_payment(world: World, query: str = "", **changes: Any) -> Any:
    """Open the page of a payment."""
    path = reverse("bookings:payment", args=[make_payment(world, **changes).pk])
    return world.client(world.host).get(path + query)


@state("bookings:payment")
def a_payment_of_a_time_that_was_taken(world):
    payment = make_payment(world)
    start = payment.purchase.virtual_class.start_time
    VirtualClassFactory(scheduled=True, booked_by=world.guest, start_time=start)
    return world.get("bookings:payment", payment.pk, user=world.host)


@state("bookings:payment")
def a_payment_of_a_class_that_the_price_list_lacks(world):
    virtual_class = world.book(price_decision=PriceDecision.WAITING, paid_at=NOW)
    return open_payment(
        world, virtual_class=virtual_class, status=PaymentStatus.APPROVED, approved_at=NOW
    )


@state("bookings:payment")
def a_payment_to_make(world):
    return open_payment(world)


@state("bookings:payment")
def a_payment_on_its_way(world):
    return open_payment(world, "?status=approved")


@state("bookings:payment")
def a_payment_in_cash(world):
    return open_payment(world, charge=ChargeStatus.PENDING)


@state("bookings:payment")
def a_rejected_payment(world):
    return open_payment(world, status=PaymentStatus.REJECTED, charge=ChargeStatus.REJECTED)


@state("bookings:payment")
def an_expired_payment(world):
    return open_payment(world, expires_at=NOW - timedelta(minutes=1))


@state("bookings:payment")
def a_paid_class_in_preparation(world):
    virtual_class = world.book(scheduling_requested_at=NOW)
    return open_payment(world, status=PaymentStatus.APPROVED, virtual_class=virtual_class)


@state("bookings:payment")
def a_paid_class(world):
    return open_payment(
        world, status=PaymentStatus.APPROVED, approved_at=NOW, virtual_class=world.schedule()
    )


@state("bookings:payment")
def a_paid_class_that_begins_soon(world):
    soon = world.schedule(start_time=NOW + timedelta(hours=2), max_participants=1)
    return open_payment(world, status=PaymentStatus.APPROVED, approved_at=NOW, virtual_class=soon)


@state("bookings:payment")
def a_paid_class_that_is_over(world):
    over = world.book(status=ClassStatus.COMPLETED)
    return open_payment(world, status=PaymentStatus.APPROVED, approved_at=NOW, virtual_class=over)


@state("bookings:payment")
def a_payment_without_a_booking(world):
    return open_payment(world, status=PaymentStatus.APPROVED, virtual_class=None)


@state("bookings:payment")
def a_payment_that_goes_back(world):
    cancelled = world.book(status=ClassStatus.CANCELLED)
    return open_payment(world, status=PaymentStatus.APPROVED, virtual_class=cancelled)


@state("bookings:payment")
def a_refunded_payment(world):
    return open_payment(world, status=PaymentStatus.REFUNDED)


def give_back(payment: Payment, reason: RefundReason, status: RefundStatus) -> Refund:
    """Let a payment have a refund of its only charge."""
    charge = payment.charges.get()
    return Refund.objects.create(
        charge=charge,
        amount=charge.amount,
        key=f"refund-{charge.charge_id}-1",
        reason=reason,
        status=status,
        done_at=NOW if status == RefundStatus.DONE else None,
    )


def open_returned(world: World, reason: RefundReason, status: RefundStatus, **changes: Any) -> Any:
    """Open the page of an approved payment with a refund."""
    usual = {"status": PaymentStatus.APPROVED, "charge": ChargeStatus.APPROVED}
    payment = make_payment(world, **usual | changes)
    give_back(payment, reason, status)
    return world.client(world.host).get(reverse("bookings:payment", args=[payment.pk]))


@state("bookings:payment")
def a_payment_whose_refund_was_refused(world):
    cancelled = world.book(status=ClassStatus.CANCELLED)
    reason, status = RefundReason.SLOT_LOST, RefundStatus.FAILED
    return open_returned(world, reason, status, virtual_class=cancelled)


@state("bookings:payment")
def a_payment_that_was_never_booked(world):
    reason, status = RefundReason.NEVER_BOOKED, RefundStatus.REQUESTED
    return open_returned(world, reason, status, virtual_class=None)


@state("bookings:payment")
def a_class_that_was_paid_twice(world):
    reason, status = RefundReason.PAID_TWICE, RefundStatus.DONE
    return open_returned(world, reason, status, virtual_class=world.schedule())


@state("bookings:payment")
def a_cancelled_class_that_was_refunded_in_part(world):
    cancelled = world.book(status=ClassStatus.CANCELLED)
    return open_payment(world, status=PaymentStatus.PARTIALLY_REFUNDED, virtual_class=cancelled)


@state("bookings:payment")
def a_payment_that_was_charged_back(world):
    return open_payment(
        world,
        status=PaymentStatus.CHARGED_BACK,
        charge=ChargeStatus.CHARGED_BACK,
        virtual_class=world.schedule(),
    )


@state("bookings:class")
def a_class_whose_money_went_back(world):
    virtual_class = world.schedule()
    payment = make_payment(
        world,
        status=PaymentStatus.REFUNDED,
        charge=ChargeStatus.APPROVED,
        virtual_class=virtual_class,
    )
    give_back(payment, RefundReason.BY_TEACHER, RefundStatus.DONE)
    return world.client(world.host).get(reverse("bookings:class", args=[virtual_class.pk]))


@state("bookings:payment")
def a_payment_to_look_into(world):
    return open_payment(world, review=ReviewReason.SHORT)
