"""The link of a class that the teacher booked, and the links that do not serve."""

from datetime import timedelta

from accounts.models import User
from accounts.services import write_down
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.people.claiming import claim_class
from bookings.domain.places.class_links import replace_link
from bookings.domain.places.joining import join_class
from bookings.domain.sales.her_bookings import book_for, confirm_payment
from bookings.models import (
    ClassLink,
    ClassType,
    Purchase,
    PurchaseState,
    VirtualClass,
)
from tests.factories import PaymentFactory
from tests.i18n.states.transfers import announce, take_transfers
from tests.i18n.states.world import NOW, World, state


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


def open_link(world, virtual_class, user=None):
    token = ClassLink.objects.get(pk=virtual_class.pk).token
    return world.get("bookings:class_link", token, user=user)


@state("bookings:class_link")
def link_after_announcing_a_transfer(world):
    take_transfers(world)
    token = book_for_zoe(world).link.token
    return world.post("bookings:announce_by_link", token, operation_number="123456")


@state("bookings:class_link")
def link_to_pay_online(world):
    booked = book_for_zoe(world)
    PaymentFactory(
        purchase=booked.purchase,
        preference_id=booked.preference_id,
        status="pending",
        checkout_url="https://example.com/pay",
        expires_at=world.at("10:00", days=2),
        next_check_at=None,
    )
    return open_link(world, booked)


@state("bookings:class_link")
def link_of_a_time_that_is_no_longer_kept(world):
    booked = book_for_zoe(world)
    Purchase.objects.update(kept_until=NOW)
    return open_link(world, booked)


@state("bookings:class_link")
def link_of_a_paid_group_when_the_teacher_has_a_phone(world):
    User.objects.filter(pk=world.teacher.pk).update(phone="0341 555-0100")
    booked = book_for_zoe(world, students=3)
    confirm_payment(class_id=booked.pk, actor=world.teacher)
    return open_link(world, booked)


@state("bookings:class_link")
def link_of_a_paid_class_after_the_deadline(world):
    booked = book_for_zoe(world)
    confirm_payment(class_id=booked.pk, actor=world.teacher)
    VirtualClass.objects.update(start_time=NOW + timedelta(hours=1))
    return open_link(world, booked)


@state("bookings:class_link")
def link_of_a_class_being_scheduled(world):
    booked = book_for_zoe(world)
    VirtualClass.objects.update(scheduling_requested_at=NOW)
    Purchase.objects.update(paid_at=NOW, state=PurchaseState.PAID)
    return open_link(world, booked, user=world.guest)


@state("bookings:class_link")
def link_of_a_cancelled_class(world):
    booked = book_for_zoe(world)
    cancel_class(class_id=booked.pk, actor=world.teacher)
    return open_link(world, booked)


@state("bookings:class_link")
def link_of_an_account_s_class(world):
    return open_link(world, book_for_zoe(world, world.host))


@state("bookings:class_link")
def link_of_a_paid_class_of_another_account(world):
    booked = book_for_zoe(world, world.host)
    confirm_payment(class_id=booked.pk, actor=world.teacher)
    return open_link(world, booked, user=world.guest)


@state("bookings:class_link", 410)
def link_that_another_account_claimed(world):
    booked = book_for_zoe(world)
    claim_class(user=world.host, token=booked.link.token)
    return open_link(world, booked, user=world.guest)


@state("bookings:class_link", 410)
def link_that_was_replaced(world):
    old = book_for_zoe(world).link
    replace_link(class_id=old.pk, by=world.teacher)
    return world.get("bookings:class_link", old.token)


@state("bookings:class_link", 404)
def link_that_is_broken(world):
    return world.get("bookings:class_link", "x")


@state("bookings:back_from_paying")
def back_in_another_browser(world):
    payment = PaymentFactory()
    return world.get("bookings:back_from_paying", payment.pk)


@state("bookings:inicio")
def home_with_a_class_for_the_address(world):
    User.objects.filter(pk=world.guest.pk).update(email="zoe@example.com")
    book_for_zoe(world)
    return world.get("bookings:inicio", user=world.guest)


@state("bookings:inicio")
def home_after_taking_it(world):
    User.objects.filter(pk=world.guest.pk).update(email="zoe@example.com")
    zoe = book_for_zoe(world).booked_by
    world.guest.refresh_from_db()
    return world.post("bookings:claim_written_down", zoe.pk, user=world.guest)


@state("bookings:class_link")
def link_that_a_guest_of_the_class_wants_to_claim(world):
    booked = book_for_zoe(world, students=3)
    confirm_payment(class_id=booked.pk, actor=world.teacher)
    booked.refresh_from_db()
    join_class(user=world.guest, access_code=booked.access_code)
    return world.post("bookings:claim_class", booked.link.token, user=world.guest)


@state("bookings:delete_account")
def account_with_a_class_of_a_link(world):
    claim_class(user=world.host, token=book_for_zoe(world).link.token)
    return world.get("bookings:delete_account", user=world.host)


@state("bookings:delete_account")
def account_with_an_announced_transfer(world):
    announce(world)
    address = world.host.email
    return world.post("bookings:delete_account", user=world.host, address=address)


@state("bookings:class_link")
def link_that_the_teacher_wants_to_claim(world):
    booked = book_for_zoe(world)
    return world.post("bookings:claim_class", booked.link.token, user=world.teacher)


@state("bookings:inicio")
def home_after_taking_what_is_another_s(world):
    zoe = book_for_zoe(world).booked_by
    return world.post("bookings:claim_written_down", zoe.pk, user=world.guest)
