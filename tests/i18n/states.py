"""Everything a student can get to see: each page, in each of its states.

A state is a function that brings a world into it and gives the page. People, places and wishes have
names that belong to no language.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.sign_in_errors import TEXTS
from bookings.domain.booking import book_class
from bookings.domain.cancelling import cancel_class
from bookings.domain.capacity import change_capacity
from bookings.domain.holding import book_hold, hold_slot
from bookings.domain.joining import join_class
from bookings.domain.waiting_list import leave_line, wait_for_place
from bookings.models import (
    ChargeStatus,
    ClassStatus,
    ClassType,
    Hold,
    Payment,
    PaymentCharge,
    PaymentStatus,
    Price,
    ReviewReason,
    Role,
    UserActivity,
    VirtualClass,
    WaitingListEntry,
    WeeklyHours,
)
from bookings.pages import paying
from tests.factories import UserFactory, VirtualClassFactory
from tests.standins import GoogleStandin

ZONE = ZoneInfo("America/Argentina/Buenos_Aires")
NOW = datetime(2026, 11, 23, 8, 0, tzinfo=ZONE)  # a Monday
CODE = "ABCD2345"
PROFILE = {"location": "Rosario", "level": "basico", "phone": "341 555", "newsletter": "si"}
NOTHING_CONFIGURED = {"APP": {"client_id": "", "secret": ""}}


@dataclass
class World:
    """A teacher with hours and prices, a host, a guest, and whoever is not signed in."""

    language: str
    google: GoogleStandin
    teacher: User
    host: User
    guest: User
    settings: Any
    monkeypatch: pytest.MonkeyPatch

    def client(self, user: User | None = None) -> Client:
        """Give the browser of a person, or of a stranger."""
        client = Client(raise_request_exception=False)
        client.cookies[settings.LANGUAGE_COOKIE_NAME] = self.language
        if user:
            client.force_login(user)
        return client

    def get(self, name: str, *arguments: Any, user: User | None = None, **query: str) -> Any:
        """Open a page."""
        return self.client(user).get(reverse(name, args=arguments), query)

    def post(self, name: str, *arguments: Any, user: User | None = None, **form: Any) -> Any:
        """Send a form, and follow where it leads."""
        return self.client(user).post(reverse(name, args=arguments), form, follow=True)

    def at(self, clock: str, days: int = 1) -> datetime:
        """Give a time some days ahead, by default tomorrow."""
        return datetime.combine(
            NOW.date() + timedelta(days=days), time.fromisoformat(clock), tzinfo=ZONE
        )

    def get_on(self, name: str, *arguments: Any, user: User | None = None) -> Any:
        """Open a page, and follow where it leads."""
        return self.client(user).get(reverse(name, args=arguments), follow=True)

    def hold(self, class_type: ClassType = ClassType.INDIVIDUAL) -> Hold:
        """Keep tomorrow's ten o'clock for the host."""
        return hold_slot(user=self.host, start=self.at("10:00"), minutes=60, class_type=class_type)

    def book(self, **changes: Any) -> VirtualClass:
        """Let the host have a pending class of their own words, tomorrow."""
        return VirtualClassFactory(
            booked_by=self.host,
            start_time=changes.pop("start_time", self.at("10:00")),
            learning_focus="Shakespeare",
            **changes,
        )

    def schedule(self, **changes: Any) -> VirtualClass:
        """Let the host have a scheduled class."""
        return self.book(scheduled=True, access_code=CODE, **changes)

    def break_calendar(self) -> None:
        """Let Google refuse the teacher's grant."""
        self.google.revoke(self.teacher.provider_refresh_token)


@dataclass(frozen=True)
class State:
    """A page in one of its states. view: the name of the view that answers, if there is one."""

    view: str
    show: Callable[[World], Any]
    status: int


STATES: dict[str, State] = {}


def state(view: str, status: int = 200) -> Callable[[Callable[[World], Any]], Any]:
    """Add a state to the list, under its function's name."""

    def add(show: Callable[[World], Any]) -> Callable[[World], Any]:
        STATES[show.__name__] = State(view, show, status)
        return show

    return add


# --- For everybody --------------------------------------------------------------------------------


@state("bookings:landing")
def landing(world):
    return world.get("bookings:landing")


@state("bookings:landing")
def landing_without_prices(world):
    Price.objects.all().delete()
    return world.get("bookings:landing")


@state("bookings:landing")
def landing_of_a_person(world):
    return world.get("bookings:landing", user=world.host)


@state("bookings:inicio")
def sign_in(world):
    return world.get("bookings:inicio")


@state("bookings:inicio")
def sign_in_when_nothing_is_configured(world):
    world.settings.SOCIALACCOUNT_PROVIDERS = dict.fromkeys(["google", "github"], NOTHING_CONFIGURED)
    return world.get("bookings:inicio")


for code in [*TEXTS, "Default"]:
    STATES[f"sign_in_error_{code}"] = State(
        "bookings:inicio", lambda world, code=code: world.get("bookings:inicio", error=code), 200
    )


@state("account_logout")
def sign_out(world):
    return world.client(world.host).get("/api/auth/signout?csrf=true")


@state("bookings:join_with_code")
def invitation(world):
    return world.get("bookings:join_with_code", CODE)


# --- Choosing a time ------------------------------------------------------------------------------


@state("bookings:book")
def free_times(world):
    return world.get("bookings:book")


@state("bookings:book")
def free_times_for_a_group(world):
    return world.get("bookings:book", tipo="grupal", dia="2026-11-25", user=world.host)


@state("bookings:book")
def a_chosen_time(world):
    return world.get("bookings:book", dia="2026-11-24", hora="10:00", user=world.host)


@state("bookings:book")
def a_chosen_time_that_is_gone(world):
    world.schedule()
    return world.get("bookings:book", dia="2026-11-24", hora="10:00", user=world.host)


@state("bookings:book")
def a_day_without_times(world):
    return world.get("bookings:book", dia="2026-11-28")


@state("bookings:book")
def a_month_without_times(world):
    return world.get("bookings:book", mes="2027-02")


@state("bookings:book")
def nothing_free(world):
    WeeklyHours.objects.all().delete()
    return world.get("bookings:book")


@state("bookings:book")
def no_offers(world):
    Price.objects.all().delete()
    return world.get("bookings:book")


@state("bookings:book")
def no_offers_for_the_teacher(world):
    Price.objects.all().delete()
    return world.get("bookings:book", user=world.teacher)


@state("bookings:book")
def calendar_that_cannot_be_read(world):
    world.break_calendar()
    return world.get("bookings:book")


@state("bookings:book")
def no_time_chosen(world):
    return world.post("bookings:book", tipo="grupal", min="60", user=world.host)


@state("bookings:book")
def too_many_unpaid_times(world):
    world.settings.MAX_UNPAID_HOLDS = 0
    choice = {"tipo": "individual", "min": "60", "dia": "2026-11-24", "hora": "10:00"}
    return world.post("bookings:book", user=world.host, **choice)


# --- Details --------------------------------------------------------------------------------------


@state("bookings:hold")
def details(world):
    return world.get("bookings:hold", world.hold().pk, user=world.host)


@state("bookings:hold")
def details_of_a_group(world):
    return world.get("bookings:hold", world.hold(ClassType.GROUP).pk, user=world.host)


@state("bookings:hold")
def wrong_details(world):
    hold = world.hold(ClassType.GROUP)
    return world.post(
        "bookings:hold", hold.pk, students_count="99", text="x" * 3000, user=world.host
    )


@state("bookings:hold")
def missing_details(world):
    return world.post("bookings:hold", world.hold(ClassType.GROUP).pk, text="x", user=world.host)


@state("bookings:book")
def a_hold_that_is_over(world):
    hold = world.hold()
    Hold.objects.update(expires_at=NOW)
    return world.post("bookings:hold", hold.pk, students_count="1", user=world.host)


@state("bookings:book")
def a_hold_without_a_price(world):
    hold = world.hold()
    Price.objects.filter(class_type="individual").delete()
    return world.post("bookings:hold", hold.pk, students_count="1", user=world.host)


@state("bookings:book")
def a_time_let_go(world):
    return world.post("bookings:let_go", world.hold().pk, user=world.host)


# --- One class ------------------------------------------------------------------------------------


def show(world: World, virtual_class: VirtualClass, user: User | None = None) -> Any:
    """Open the page of a class, by default as its host."""
    return world.get("bookings:class", virtual_class.pk, user=user or world.host)


@state("bookings:class")
def a_class_to_pay(world):
    hold = world.hold()
    return show(world, book_hold(user=world.host, hold_id=hold.pk, students_count=1))


@state("bookings:class")
def a_class_to_pay_at_the_checkout(world):
    return show(world, make_payment(world).virtual_class)


@state("bookings:class")
def a_class_that_waits_for_cash(world):
    return show(world, make_payment(world, charge=ChargeStatus.PENDING).virtual_class)


@state("bookings:class")
def a_class_to_pay_without_a_hold(world):
    return show(world, world.book(preference_id="from-the-api"))


@state("bookings:class")
def a_class_whose_hold_is_over(world):
    virtual_class = book_hold(user=world.host, hold_id=world.hold().pk, students_count=1)
    Hold.objects.all().delete()
    return show(world, virtual_class)


@state("bookings:class")
def a_class_in_preparation(world):
    return show(world, world.book(scheduling_requested_at=NOW, paid_at=NOW))


@state("bookings:class")
def a_class_whose_link_takes_long(world):
    return show(world, world.book(scheduling_requested_at=NOW - timedelta(hours=3), paid_at=NOW))


@state("bookings:class")
def a_scheduled_group(world):
    return show(world, world.schedule())


@state("bookings:class")
def a_group_with_one_place(world):
    return show(world, world.schedule(max_participants=2))


@state("bookings:class")
def a_full_group(world):
    virtual_class = world.schedule(max_participants=2)
    join_class(user=world.guest, access_code=CODE)
    return show(world, virtual_class)


@state("bookings:class")
def an_individual_class(world):
    return show(world, world.schedule(class_type=ClassType.INDIVIDUAL, max_participants=1))


@state("bookings:class")
def a_class_about_to_start(world):
    return show(world, world.schedule(start_time=NOW + timedelta(minutes=5)))


@state("bookings:class")
def a_class_joined(world):
    virtual_class = world.schedule()
    join_class(user=world.guest, access_code=CODE)
    return show(world, virtual_class, world.guest)


@state("bookings:class")
def a_class_that_is_over(world):
    return show(world, world.schedule(start_time=NOW - timedelta(hours=2)))


@state("bookings:class")
def a_completed_class(world):
    virtual_class = world.schedule(start_time=NOW - timedelta(hours=2))
    VirtualClass.objects.update(status=ClassStatus.COMPLETED)
    return show(world, virtual_class)


@state("bookings:class")
def a_cancelled_class(world):
    return show(world, world.book(status=ClassStatus.CANCELLED))


@state("bookings:class")
def a_class_that_the_host_cancelled(world):
    virtual_class = world.schedule(paid_at=NOW)
    cancel_class(class_id=virtual_class.pk, actor=world.host)
    return show(world, virtual_class)


@state("bookings:class")
def a_class_that_the_teacher_cancelled(world):
    payment = make_payment(world, approved_at=NOW, virtual_class=world.schedule())
    cancel_class(class_id=payment.virtual_class.pk, actor=world.teacher)
    return show(world, payment.virtual_class)


@state("bookings:class")
def a_class_that_its_host_cancelled_for_a_guest(world):
    virtual_class = world.schedule()
    join_class(user=world.guest, access_code=CODE)
    cancel_class(class_id=virtual_class.pk, actor=world.host)
    return show(world, virtual_class, world.guest)


@state("bookings:class")
def a_class_that_was_moved(world):
    virtual_class = world.schedule(start_time=world.at("10:00", days=2))
    move(world, virtual_class)
    VirtualClass.objects.update(event_update_requested_at=NOW)
    return show(world, virtual_class)


@state("bookings:class")
def a_class_that_is_too_near_to_change(world):
    return show(world, world.schedule(start_time=NOW + timedelta(hours=5)))


# --- Changing a class -----------------------------------------------------------------------------


def move(world: World, virtual_class: VirtualClass, user: User | None = None) -> Any:
    """Move a class to the eleven o'clock of the day after tomorrow."""
    arguments = {"dia": "2026-11-25", "hora": "11:00", "user": user or world.host}
    return world.post("bookings:confirm_move", virtual_class.pk, **arguments)


@state("bookings:cancel")
def cancelling_a_class(world):
    return world.get("bookings:cancel", world.schedule().pk, user=world.host)


@state("bookings:cancel")
def cancelling_a_paid_group(world):
    payment = make_payment(
        world, approved_at=NOW, charge=ChargeStatus.APPROVED, virtual_class=world.schedule()
    )
    PaymentCharge.objects.update(counts=True)
    join_class(user=world.guest, access_code=CODE)
    return world.get("bookings:cancel", payment.virtual_class.pk, user=world.host)


@state("bookings:cancel")
def cancelling_a_class_that_was_paid_by_hand(world):
    return world.get("bookings:cancel", world.schedule(paid_at=NOW).pk, user=world.host)


@state("bookings:cancel")
def cancelling_for_a_reason_that_is_too_long(world):
    return world.post("bookings:cancel", world.book().pk, reason="x" * 900, user=world.host)


@state("bookings:class")
def a_class_just_cancelled(world):
    return world.post("bookings:cancel", world.schedule().pk, reason="x", user=world.host)


@state("bookings:class")
def cancelling_too_late(world):
    near = world.schedule(start_time=NOW + timedelta(hours=5))
    return world.post("bookings:cancel", near.pk, user=world.host)


@state("bookings:class")
def cancelling_somebody_else_s_class(world):
    virtual_class = world.schedule()
    join_class(user=world.guest, access_code=CODE)
    return world.post("bookings:cancel", virtual_class.pk, user=world.guest)


@state("bookings:leave")
def leaving_a_class(world):
    virtual_class = world.schedule()
    join_class(user=world.guest, access_code=CODE)
    return world.get("bookings:leave", virtual_class.pk, user=world.guest)


@state("bookings:my_classes")
def a_class_just_left(world):
    virtual_class = world.schedule()
    join_class(user=world.guest, access_code=CODE)
    return world.post("bookings:leave", virtual_class.pk, user=world.guest)


@state("bookings:class")
def leaving_one_s_own_class(world):
    return world.post("bookings:leave", world.schedule().pk, user=world.host)


@state("bookings:class")
def leaving_a_class_that_has_begun(world):
    virtual_class = world.schedule(start_time=NOW - timedelta(minutes=5))
    UserActivity.objects.create(user=world.guest, virtual_class=virtual_class, rol=Role.PARTICIPANT)
    return world.post("bookings:leave", virtual_class.pk, user=world.guest)


@state("bookings:reschedule")
def choosing_another_time(world):
    return world.get("bookings:reschedule", world.schedule().pk, user=world.host)


@state("bookings:reschedule")
def another_time_chosen(world):
    when = {"dia": "2026-11-25", "hora": "11:00"}
    return world.get("bookings:reschedule", world.schedule().pk, user=world.host, **when)


@state("bookings:reschedule")
def another_time_just_taken(world):
    when = {"dia": "2026-11-25", "hora": "03:00"}
    return world.post("bookings:confirm_move", world.schedule().pk, user=world.host, **when)


@state("bookings:reschedule")
def no_other_time_chosen(world):
    return world.get_on("bookings:confirm_move", world.schedule().pk, user=world.host)


@state("bookings:reschedule")
def another_time_while_the_calendar_cannot_be_read(world):
    virtual_class = world.schedule()
    world.break_calendar()
    return world.get("bookings:reschedule", virtual_class.pk, user=world.host)


@state("bookings:confirm_move")
def confirming_another_time(world):
    when = {"dia": "2026-11-25", "hora": "11:00"}
    return world.get("bookings:confirm_move", world.schedule().pk, user=world.host, **when)


@state("bookings:confirm_move")
def confirming_a_near_time(world):
    when = {"dia": "2026-11-23", "hora": "18:00"}
    return world.get("bookings:confirm_move", world.schedule().pk, user=world.host, **when)


@state("bookings:class")
def a_class_just_moved(world):
    return move(world, world.schedule())


@state("bookings:class")
def moving_a_class_to_where_it_is(world):
    return move(world, world.schedule(start_time=world.at("11:00", days=2)))


@state("bookings:class")
def moving_a_class_that_is_not_scheduled(world):
    return move(world, world.book())


@state("bookings:class")
def moving_somebody_else_s_class(world):
    virtual_class = world.schedule()
    join_class(user=world.guest, access_code=CODE)
    return move(world, virtual_class, world.guest)


# --- Payments -------------------------------------------------------------------------------------


def make_payment(world: World, *, charge: ChargeStatus | None = None, **changes: Any) -> Payment:
    """Let the host have a payment of tomorrow's class, which the provider is not asked about."""
    world.monkeypatch.setattr(paying, "settle_now_and_then", lambda payment: None)
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
            collector_id="1000000001",
            provider_updated_at=NOW,
        )
    return payment


def open_payment(world: World, query: str = "", **changes: Any) -> Any:
    """Open the page of a payment."""
    path = reverse("bookings:payment", args=[make_payment(world, **changes).pk])
    return world.client(world.host).get(path + query)


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
def a_paid_class_whose_link_takes_long(world):
    return open_payment(world, status=PaymentStatus.APPROVED, charge=ChargeStatus.APPROVED)


@state("bookings:payment")
def a_paid_class(world):
    return open_payment(
        world, status=PaymentStatus.APPROVED, approved_at=NOW, virtual_class=world.schedule()
    )


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


@state("bookings:payment")
def a_payment_refunded_in_part(world):
    return open_payment(world, status=PaymentStatus.PARTIALLY_REFUNDED)


@state("bookings:payment")
def a_payment_to_look_into(world):
    return open_payment(world, review=ReviewReason.SHORT)


# --- My classes -----------------------------------------------------------------------------------


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


@state("bookings:inicio")
def home_after_a_class(world):
    User.objects.update(total_classes=1)
    return world.get("bookings:inicio", user=world.host)


@state("profile")
def profile_after_many_classes(world):
    User.objects.update(total_classes=12)
    return world.get("profile", user=world.host)


@state("bookings:inicio")
def home_of_the_teacher(world):
    return world.get("bookings:inicio", user=world.teacher)


@state("bookings:inicio")
def home_without_classes(world):
    return world.get("bookings:inicio", user=world.host)


@state("bookings:inicio")
def home_with_a_class_to_pay(world):
    book_hold(user=world.host, hold_id=world.hold().pk, students_count=1)
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
        preference_id="manual-lapsed",
    )
    return world.get("bookings:my_classes", user=world.host)


@state("bookings:my_classes")
def no_classes(world):
    return world.get("bookings:my_classes", user=world.host)


# --- Joining --------------------------------------------------------------------------------------


@state("bookings:join")
def joining(world):
    return world.get("bookings:join", user=world.guest)


@state("bookings:join_with_code")
def joining_from_an_invitation(world):
    return world.get("bookings:join_with_code", CODE, user=world.guest)


@state("bookings:join")
def joining_without_a_code(world):
    return world.post("bookings:join", access_code="", user=world.guest)


@state("bookings:join")
def joining_with_a_wrong_code(world):
    return world.post("bookings:join", access_code="ZZZZ9999", user=world.guest)


@state("bookings:join")
def joining_with_a_code_that_is_too_long(world):
    return world.post("bookings:join", access_code="Z" * 50, user=world.guest)


@state("bookings:join")
def joining_after_too_many_wrong_codes(world):
    world.settings.MAX_WRONG_CODES = 0
    return world.post("bookings:join", access_code=CODE, user=world.guest)


@state("bookings:join")
def joining_too_late(world):
    world.schedule(start_time=NOW - timedelta(hours=2))
    return world.post("bookings:join", access_code=CODE, user=world.guest)


@state("bookings:join")
def joining_a_full_class(world):
    world.schedule(max_participants=1)
    return world.post("bookings:join", access_code=CODE, user=world.guest)


@state("bookings:class")
def joining_one_s_own_class(world):
    world.schedule()
    return world.post("bookings:join", access_code=CODE, user=world.host)


@state("bookings:class")
def joining_twice(world):
    world.schedule()
    join_class(user=world.guest, access_code=CODE)
    return world.post("bookings:join", access_code=CODE, user=world.guest)


@state("bookings:class")
def joined(world):
    world.schedule()
    return world.post("bookings:join", access_code=CODE, user=world.guest)


# --- Waiting for a place --------------------------------------------------------------------------


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


@state("bookings:claim_place")
def getting_into_line(world):
    full_group(world)
    return world.post("bookings:wait", access_code=CODE, user=world.guest)


@state("bookings:wait")
def waiting_for_a_class_that_has_no_line(world):
    world.schedule(max_participants=1, start_time=NOW + timedelta(minutes=30))
    return world.post("bookings:wait", access_code=CODE, user=world.guest)


@state("bookings:claim_place")
def joining_a_full_class_while_in_line(world):
    wait_in_line(world)
    return world.post("bookings:join", access_code=CODE, user=world.guest)


@state("bookings:claim_place")
def waiting_behind_one(world):
    full_group(world)
    wait_for_place(user=world.teacher, access_code=CODE)
    WaitingListEntry.objects.update(created_at=NOW - timedelta(hours=1))
    return world.post("bookings:wait", access_code=CODE, user=world.guest)


@state("bookings:claim_place")
def waiting_behind_many(world):
    entry = wait_in_line(world)
    for number in range(2):
        other = UserFactory(name=f"Dora {number}")
        wait_for_place(user=other, access_code=CODE)
    others = WaitingListEntry.objects.exclude(pk=entry.pk)
    others.update(created_at=NOW - timedelta(hours=1))
    return see_line(world, entry)


@state("bookings:claim_place")
def an_offered_place(world):
    return see_line(world, offer_place(world, days=3))


@state("bookings:claim_place")
def an_offered_place_for_minutes(world):
    entry = offer_place(world)
    WaitingListEntry.objects.update(offer_expires_at=NOW + timedelta(minutes=12))
    return see_line(world, entry)


@state("bookings:claim_place")
def a_place_for_whoever_takes_it(world):
    entry = wait_in_line(world)
    VirtualClass.objects.update(max_participants=2)
    return see_line(world, entry)


@state("bookings:claim_place")
def an_offer_let_pass(world):
    entry = offer_place(world)
    WaitingListEntry.objects.update(offer_expires_at=NOW)
    return see_line(world, entry)


@state("bookings:claim_place")
def claiming_too_late(world):
    entry = offer_place(world)
    WaitingListEntry.objects.update(offer_expires_at=NOW)
    return world.post("bookings:claim_place", entry.pk, user=world.guest)


@state("bookings:class")
def claiming_a_place(world):
    return world.post("bookings:claim_place", offer_place(world).pk, user=world.guest)


@state("bookings:claim_place")
def leaving_the_line(world):
    return world.post("bookings:leave_line", wait_in_line(world).pk, user=world.guest)


@state("bookings:claim_place")
def waiting_again(world):
    entry = wait_in_line(world)
    leave_line(user=world.guest, entry_id=entry.pk)
    return world.post("bookings:wait_again", entry.pk, user=world.guest)


@state("bookings:claim_place")
def waiting_again_too_late(world):
    entry = wait_in_line(world)
    VirtualClass.objects.update(start_time=NOW + timedelta(minutes=30))
    return world.post("bookings:wait_again", entry.pk, user=world.guest)


@state("bookings:claim_place")
def a_line_of_a_cancelled_class(world):
    entry = wait_in_line(world)
    VirtualClass.objects.update(status=ClassStatus.CANCELLED)
    return see_line(world, entry)


@state("bookings:claim_place")
def a_line_of_a_class_that_is_over(world):
    entry = wait_in_line(world)
    VirtualClass.objects.update(start_time=NOW - timedelta(hours=2), end_time=NOW)
    return see_line(world, entry)


@state("bookings:inicio")
def home_of_somebody_in_line(world):
    wait_in_line(world)
    return world.get("bookings:inicio", user=world.guest)


@state("bookings:inicio")
def home_with_an_offered_place(world):
    offer_place(world, days=3)
    return world.get("bookings:inicio", user=world.guest)


@state("bookings:my_classes")
def my_classes_with_an_offered_place(world):
    offer_place(world, days=3)
    return world.get("bookings:my_classes", user=world.guest)


# --- Profile --------------------------------------------------------------------------------------


@state("profile")
def profile(world):
    return world.get("profile", user=world.host)


@state("profile")
def profile_with_several_sessions(world):
    for user_agent in ("(Linux; Android 14) Chrome/130.0", "curl"):
        world.client(world.host)
        last = world.host.sessions.order_by("used_at").last()
        world.host.sessions.filter(pk=last.pk).update(user_agent=user_agent)
    return world.get("profile", user=world.host)


@state("profile")
def profile_after_closing_the_other_sessions(world):
    world.client(world.host)
    return world.post("sign_out_elsewhere", user=world.host)


@state("profile")
def profile_after_closing_one_session(world):
    other = world.client(world.host)
    sessions = other.get("/inicio/perfil").context["sessions"]
    return world.post("sign_out_there", user=world.host, session=sessions[0].handle)


@state("profile")
def profile_with_an_error(world):
    return world.get("profile", error="OAuthAccountNotLinked", user=world.host)


@state("profile")
def a_wrong_profile(world):
    wrong = {"location": "a\tb", "level": "x", "phone": "1" * 31, "language": world.language}
    return world.post("profile", user=world.host, **wrong)


@state("profile")
def a_saved_profile(world):
    return world.post("profile", user=world.host, language=world.language, **PROFILE)


@state("bookings:delete_account")
def the_question_before_an_account_is_deleted(world):
    return world.get("bookings:delete_account", user=world.host)


@state("bookings:delete_account")
def an_account_deleted_under_a_wrong_address(world):
    return world.post("bookings:delete_account", user=world.host, address="x")


@state("bookings:delete_account")
def an_account_with_a_class_ahead(world):
    world.schedule()
    return world.post("bookings:delete_account", user=world.host, address=world.host.email)


@state("bookings:landing")
def the_landing_after_an_account_is_deleted(world):
    return world.post("bookings:delete_account", user=world.guest, address=world.guest.email)


# --- What goes wrong ------------------------------------------------------------------------------


@state("switch_language", status=400)
def bad_request(world):
    return world.post("switch_language", language="fr")


@state("admin:login", status=403)
def forbidden(world):
    return world.client(world.host).get("/admin/", follow=True)


@state("switch_language", status=403)
def form_without_its_token(world):
    client = Client(enforce_csrf_checks=True)
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = world.language
    return client.post("/idioma")


@state("", status=404)
def nothing_there(world):
    return world.client().get("/nothing")


@state("bookings:class", status=404)
def somebody_else_s_class(world):
    return show(world, world.schedule(), world.guest)


@state("switch_language", status=405)
def address_of_a_form(world):
    return world.client(world.host).get("/idioma")


@state("bookings:my_classes", status=500)
def bug(world):
    def fail(*arguments: Any) -> None:
        raise RuntimeError

    world.monkeypatch.setattr("bookings.pages.classes.list_next_classes_of", fail)
    return world.get("bookings:my_classes", user=world.host)
