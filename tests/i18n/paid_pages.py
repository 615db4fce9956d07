"""The pages of payments, transfers, places and links, as pages.py has the others."""

from datetime import timedelta
from typing import Any

from django.urls import reverse

from accounts.models import User
from accounts.services import write_down
from bookings.domain.places.joining import join_class
from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.her_bookings import book_for
from bookings.domain.sales.holds import PayWay
from bookings.models import (
    BankTransfer,
    BookingRules,
    ChargeStatus,
    ClassType,
    MoneyWay,
    OpenClass,
    Payment,
    PaymentCharge,
    PaymentStatus,
    Purchase,
    Refund,
    RefundReason,
    RefundStatus,
    TransferState,
    VirtualClass,
)
from bookings.pages.sales import paying
from tests.factories import (
    BankTransferFactory,
    OpenClassFactory,
    PaymentFactory,
    PlaceFactory,
    PurchaseFactory,
)
from tests.i18n.world import CODE, NOW, World, state

# --- The page of a payment ------------------------------------------------------------------------


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


def store_unbooked(world: World) -> Purchase:
    return PurchaseFactory(person=world.host, price=2_400_000, paid=True)


@state("bookings:payment")
def a_rejected_payment(world):
    payment = make_payment(world, status=PaymentStatus.REJECTED, charge=ChargeStatus.REJECTED)
    return world.get("bookings:payment", payment.pk, user=world.host)


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


@state("bookings:cancel")
def cancelling_a_paid_group(world):
    virtual_class = world.schedule(paid_at=NOW)
    make_payment(world, virtual_class.purchase, approved_at=NOW, charge=ChargeStatus.APPROVED)
    PaymentCharge.objects.update(counts=True)
    join_class(user=world.guest, access_code=CODE)
    return world.get("bookings:cancel", virtual_class.pk, user=world.host)


# --- Paying by transfer ---------------------------------------------------------------------------


def take_transfers(world: World) -> None:
    BookingRules.objects.update_or_create(
        pk=BookingRules.SINGLETON,
        defaults={"transfer_alias": "shakespeare.25", "transfer_holder": "W. Shakespeare"},
    )


def announce(world: World, **changes: Any) -> BankTransfer:
    """Store a transfer of the host's class."""
    purchase = world.book(**changes).purchase
    return BankTransferFactory(purchase=purchase, operation_number="12345678")


def show(world: World, virtual_class: VirtualClass) -> Any:
    return world.get("bookings:class", virtual_class.pk, user=world.host)


def choose(world: World) -> VirtualClass:
    """Let the host hold a time and choose the transfer."""
    take_transfers(world)
    hold = world.hold()
    return check_out_hold(user=world.host, hold_id=hold.pk, students_count=1, way=PayWay.TRANSFER)


@state("bookings:class")
def a_class_with_a_refused_transfer(world):
    booked = choose(world)
    refused = {"operation_number": "12345678", "state": TransferState.REFUSED}
    BankTransferFactory(purchase=booked.purchase, **refused)
    return show(world, booked)


@state("bookings:transfer")
def a_number_that_is_too_short(world):
    booked = choose(world)
    address = reverse("bookings:transfer", args=[booked.pk])
    return world.client(world.host).post(address, {"operation_number": "1"})


@state("bookings:place_transfer")
def a_place_to_pay_by_transfer(world):
    take_transfers(world)
    place = hold(world)
    return world.get("bookings:place_transfer", place.pk, user=world.guest)


# --- Open classes, and the places that students hold and pay --------------------------------------


def publish(world: World, *, days: int = 3, **changes: Any) -> OpenClass:
    """Let the host give an open class, whose title belongs to no language."""
    booked = {"max_participants": 7, "class_price": 0, "start_time": world.at("10:00", days=days)}
    virtual_class = world.schedule(is_sold=False, **booked)
    return OpenClassFactory(virtual_class=virtual_class, title="B1", **changes)


def hold(world: World, open_class: OpenClass | None = None, **changes: Any) -> Purchase:
    """Let the guest hold a place."""
    kept = {"kept_until": NOW + timedelta(minutes=15), "person": world.guest}
    return PlaceFactory(open_class=open_class or publish(world), **kept | changes)


@state("bookings:open_classes")
def open_classes_with_one_place_and_none(world):
    hold(world, publish(world, days=2, place_price=0))
    VirtualClass.objects.update(max_participants=3)
    return world.get("bookings:open_classes")


@state("bookings:open_class")
def open_class_with_a_held_place(world):
    place = hold(world)
    return world.get("bookings:open_class", place.virtual_class_id, user=world.guest)


@state("bookings:reserve_place")
def a_place_at_another_price(world):
    open_class = publish(world)
    return world.post("bookings:reserve_place", open_class.pk, user=world.guest, seen="1")


@state("bookings:place")
def a_place_shortly_before_the_class(world):
    place = hold(world, publish(world, days=0))
    return world.get("bookings:place", place.pk, user=world.guest)


# --- The link of a class that the teacher booked, and the links that do not serve -----------------


def book_for_zoe(
    world: World, student: User | None = None, *, days: int = 3, students: int = 1
) -> VirtualClass:
    """Book in three days for a person without an account, or for another student."""
    return book_for(
        student=student or write_down(name="Zoe", email="zoe@example.com"),
        start=world.at("18:30", days=days),
        minutes=60,
        class_type=ClassType.GROUP if students > 1 else ClassType.INDIVIDUAL,
        students=students,
        price=1_500_000,
        is_paid=False,
        by=world.teacher,
    )


@state("bookings:class_link")
def link_after_announcing_a_transfer(world):
    take_transfers(world)
    token = book_for_zoe(world).link.token
    return world.post("bookings:announce_by_link", token, operation_number="123456")


@state("bookings:back_from_paying")
def back_in_another_browser(world):
    payment = PaymentFactory()
    return world.get("bookings:back_from_paying", payment.pk)
