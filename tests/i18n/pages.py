"""Every page that students see, in one state: a function that brings a world into it.

People, places and wishes have names that belong to no language.
"""

from datetime import timedelta
from typing import Any

from allauth.socialaccount.models import SocialAccount
from django.urls import reverse

from accounts.models import User
from accounts.services import write_down
from bookings.domain.classes.changing import change_capacity
from bookings.domain.places.joining import join_class
from bookings.domain.places.waiting_list import wait_for_place
from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.her_bookings import book_for
from bookings.domain.sales.holds import PayWay
from bookings.models import (
    BankTransfer,
    BookingRules,
    ChargeStatus,
    ClassStatus,
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
    WaitingListEntry,
)
from bookings.pages.sales import paying
from tests.booking import book_class
from tests.factories import (
    BankTransferFactory,
    OpenClassFactory,
    PaymentFactory,
    PlaceFactory,
    PurchaseFactory,
    QuestionFactory,
    QuoteFactory,
    TeacherPageFactory,
    VirtualClassFactory,
)
from tests.i18n.world import CODE, NOW, World, state

# --- What everybody gets to see, and how people come in -------------------------------------------


@state("bookings:landing")
def landing_of_a_teacher_with_a_page(world):
    TeacherPageFactory(tagline="")  # it describes the page to search engines, in her language
    QuoteFactory()
    QuestionFactory()
    return world.get("bookings:landing")


@state("bookings:timetable")
def timetable_without_a_calendar(world):
    world.break_calendar()
    return world.get("bookings:timetable", idioma=world.language)


@state("account_logout")
def sign_out(world):
    return world.client(world.host).get("/api/auth/signout?csrf=true")


@state("offline")
def without_a_connection(world):
    return world.get("offline")


@state("bookings:privacy")
def privacy_with_payments_and_error_reports(world):
    world.settings.MERCADOPAGO_ACCESS_TOKEN = "token"
    world.settings.HAS_ERROR_REPORTS = True
    return world.get("bookings:privacy", user=world.host)


# --- What goes wrong ------------------------------------------------------------------------------


@state("switch_language", status=400)
def bad_request(world):
    return world.post("switch_language", language="fr")


@state("admin:login", status=403)
def forbidden(world):
    return world.client(world.host).get("/admin/", follow=True)


@state("", status=404)
def nothing_there(world):
    return world.client().get("/nothing")


@state("bookings:my_classes", status=500)
def bug(world):
    def fail(*arguments: Any) -> None:
        raise RuntimeError

    world.monkeypatch.setattr("bookings.pages.classes.list_all_ahead_of", fail)
    return world.get("bookings:my_classes", user=world.host)


# --- A person's first page, and the list of their classes -----------------------------------------


def one_of_each(world: World) -> None:
    """Let the host have a class in every state, and be the guest of another."""
    world.book(start_time=world.at("09:00"), preference_id="from-the-api")
    world.book(start_time=world.at("10:00"), scheduling_requested_at=NOW)
    world.schedule(start_time=world.at("11:00"))
    world.book(start_time=world.at("12:00"), status=ClassStatus.CANCELLED)
    world.book(start_time=world.at("09:00", days=-1))
    VirtualClassFactory(
        scheduled=True, booked_by=world.guest, access_code="WXYZ6789", start_time=NOW
    )
    join_class(user=world.host, access_code="WXYZ6789")


@state("bookings:inicio")
def home(world):
    one_of_each(world)
    return world.get("bookings:inicio", user=world.host)


@state("bookings:my_classes")
def my_classes(world):
    one_of_each(world)
    book_class(
        user=world.host,
        start=world.at("10:00", days=2),
        end=world.at("11:00", days=2),
        is_group_class=False,
        students_count=1,
        price=0,
        preference_id=None,
    )
    return world.get("bookings:my_classes", user=world.host)


# --- Choosing a time, and the details of a time that is kept --------------------------------------


@state("bookings:book")
def a_chosen_time_that_is_gone(world):
    world.schedule()
    return world.get("bookings:book", dia="2026-11-24", hora="10:00", user=world.host)


@state("bookings:hold")
def wrong_details(world):
    hold = world.hold(ClassType.GROUP)
    return world.post(
        "bookings:hold", hold.pk, students_count="99", text="x" * 3000, user=world.host
    )


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


def open_payment(
    world: World, purchase: Purchase | None = None, query: str = "", **changes: Any
) -> Any:
    """Open the page of a payment."""
    path = reverse("bookings:payment", args=[make_payment(world, purchase, **changes).pk])
    return world.client(world.host).get(path + query)


def store_unbooked(world: World) -> Purchase:
    return PurchaseFactory(person=world.host, price=2_400_000, paid=True)


@state("bookings:payment")
def a_rejected_payment(world):
    return open_payment(world, status=PaymentStatus.REJECTED, charge=ChargeStatus.REJECTED)


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


def see(world: World, place: Purchase, **query: str) -> Any:
    return world.get("bookings:place", place.pk, user=world.guest, **query)


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
    return see(world, hold(world, publish(world, days=0)))


# --- Joining somebody else's class ----------------------------------------------------------------


@state("bookings:join")
def joining(world):
    return world.get("bookings:join", user=world.guest)


@state("bookings:join_with_code")
def a_class_before_joining(world):
    world.schedule()
    return world.get("bookings:join_with_code", CODE, user=world.guest)


# --- Waiting for a place in a full group ----------------------------------------------------------


def full_group(world: World, days: int = 1) -> VirtualClass:
    """Let the host have a group without a free place."""
    return world.schedule(max_participants=1, start_time=world.at("10:00", days=days))


def wait_in_line(world: World, days: int = 1) -> WaitingListEntry:
    """Put the guest into line for a full group."""
    full_group(world, days)
    return wait_for_place(user=world.guest, access_code=CODE)


def offer_place(world: World, days: int = 1) -> WaitingListEntry:
    """Let a place become free for the guest in line."""
    entry = wait_in_line(world, days)
    change_capacity(class_id=entry.virtual_class_id, capacity=2)
    return entry


def see_line(world: World, entry: WaitingListEntry) -> Any:
    """Open the guest's turn."""
    return world.get("bookings:claim_place", entry.pk, user=world.guest)


@state("bookings:wait")
def waiting_for_a_class_that_has_no_line(world):
    world.schedule(max_participants=1, start_time=NOW + timedelta(minutes=30))
    return world.post("bookings:wait", access_code=CODE, user=world.guest)


@state("bookings:claim_place")
def an_offered_place(world):
    return see_line(world, offer_place(world, days=3))


# --- Cancelling a class, leaving it, and moving it ------------------------------------------------


@state("bookings:cancel")
def cancelling_a_paid_group(world):
    virtual_class = world.schedule(paid_at=NOW)
    make_payment(world, virtual_class.purchase, approved_at=NOW, charge=ChargeStatus.APPROVED)
    PaymentCharge.objects.update(counts=True)
    join_class(user=world.guest, access_code=CODE)
    return world.get("bookings:cancel", virtual_class.pk, user=world.host)


@state("bookings:leave")
def leaving_a_class(world):
    return world.get("bookings:leave", world.share().pk, user=world.guest)


@state("bookings:reschedule")
def no_other_time_chosen(world):
    return world.get_on("bookings:confirm_move", world.schedule().pk, user=world.host)


@state("bookings:confirm_move")
def confirming_a_near_time(world):
    when = {"dia": "2026-11-23", "hora": "13:00"}
    return world.get("bookings:confirm_move", world.schedule().pk, user=world.host, **when)


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


# --- A person's profile, and the end of their account ---------------------------------------------


def connect(user: User, *providers: str) -> SocialAccount:
    """Give the person identities of these providers; returns the last one."""
    for provider in providers:
        account = SocialAccount.objects.create(user=user, provider=provider, uid=f"{user.pk}")
    return account


@state("profile")
def profile_after_closing_one_session(world):
    other = world.client(world.host)
    sessions = other.get("/inicio/perfil").context["sessions"]
    return world.post("sign_out_there", user=world.host, session=sessions[0].handle)


@state("confirm_sign_in")
def a_fresh_sign_in_with_another_account(world):
    connect(world.host, "google")
    return world.get("confirm_sign_in", user=world.host, error="AnotherAccount")


@state("profile")
def a_wrong_profile(world):
    wrong = {"name": "$", "location": "a\tb", "level": "x", "phone": "1"}
    return world.post("profile", user=world.host, **wrong)


@state("bookings:delete_account")
def an_account_with_a_class_ahead(world):
    world.schedule()
    return world.post("bookings:delete_account", user=world.host, address=world.host.email)
