"""Paying by transfer."""

from typing import Any

from django.urls import reverse

from bookings.domain.money.money_back import note_return, promise_transfer
from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.transfer_times import PayWay
from bookings.models import (
    BankTransfer,
    BookingRules,
    ClassType,
    Refund,
    RefundCase,
    TransferState,
    VirtualClass,
)
from tests.factories import BankTransferFactory
from tests.i18n.states.open_classes import hold
from tests.i18n.states.payments import make_payment
from tests.i18n.states.world import NOW, World, state


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


@state("bookings:hold")
def details_with_a_transfer(world):
    take_transfers(world)
    return world.get("bookings:hold", world.hold().pk, user=world.host)


@state("bookings:hold")
def details_with_both_ways(world):
    world.settings.MERCADOPAGO_ACCESS_TOKEN = "TEST-1"
    take_transfers(world)
    return world.get("bookings:hold", world.hold().pk, user=world.host)


@state("bookings:hold")
def details_too_late_for_a_transfer(world):
    world.settings.MERCADOPAGO_ACCESS_TOKEN = "TEST-1"
    take_transfers(world)
    hold = world.hold(ClassType.GROUP)
    BookingRules.objects.update(minimum_notice_minutes=43_200)
    return world.get("bookings:hold", hold.pk, user=world.host)


@state("bookings:class")
def a_class_to_pay_in_both_ways(world):
    take_transfers(world)
    return show(world, make_payment(world).purchase.virtual_class)


@state("bookings:class")
def a_class_with_a_refused_transfer(world):
    booked = choose(world)
    refused = {"operation_number": "12345678", "state": TransferState.REFUSED}
    BankTransferFactory(purchase=booked.purchase, **refused)
    return show(world, booked)


@state("bookings:class")
def a_lapsed_class_with_an_announced_transfer(world):
    take_transfers(world)
    transfer = announce(world, has_preference=False, kept_until=NOW)
    return show(world, transfer.purchase.virtual_class)


@state("bookings:class")
def a_lapsed_class_that_may_have_been_paid(world):
    take_transfers(world)
    return show(world, world.book(has_preference=False, kept_until=NOW))


@state("bookings:class")
def a_class_that_was_paid_twice(world):
    return show(world, promise(world).purchase.virtual_class)


@state("bookings:class")
def a_class_whose_transfer_was_returned(world):
    refund = promise(world)
    note_return(refund_id=refund.pk, actor=world.teacher)
    return show(world, refund.purchase.virtual_class)


def promise(world: World) -> Refund:
    """Let the host's transfer of a paid class be for the teacher to return."""
    transfer = announce(world, scheduled=True, paid_at=NOW)
    return promise_transfer(transfer, RefundCase.PAID_TWICE, world.teacher)


def announce_again(world: World, **changes: Any) -> Any:
    """Announce one more than the host may."""
    booked = choose(world)
    for clock in ("12:00", "14:00", "16:00", "18:00", "20:00"):
        announce(world, start_time=world.at(clock, days=9))
    BankTransfer.objects.update(**changes)
    number = {"operation_number": "12345678"}
    return world.post("bookings:transfer", booked.pk, user=world.host, **number)


@state("bookings:class")
def announcing_while_several_wait(world):
    return announce_again(world)


@state("bookings:class")
def announcing_too_often_in_a_day(world):
    return announce_again(world, state=TransferState.REFUSED)


@state("bookings:transfer")
def a_number_that_is_too_short(world):
    booked = choose(world)
    address = reverse("bookings:transfer", args=[booked.pk])
    return world.client(world.host).post(address, {"operation_number": "1"})


@state("bookings:class")
def a_time_kept_for_a_transfer(world):
    take_transfers(world)
    booked = choose(world)
    return world.post("bookings:transfer", booked.pk, user=world.host, esperar="1")


@state("bookings:place_transfer")
def a_place_to_pay_by_transfer(world):
    take_transfers(world)
    place = hold(world)
    return world.get("bookings:place_transfer", place.pk, user=world.guest)
