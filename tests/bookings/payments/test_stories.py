"""Any story of a payment ends well: paid is one scheduled class or one full refund, never both.

Hypothesis makes the stories up: students pay one time, once or more often, before or after they
book it; notices arrive in any order, twice, late or never; the provider and the calendar fail,
time passes, the teacher cancels, and the process dies between any two steps. Then everything
recovers, and sweeps run.
"""

import os
from collections import Counter
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from functools import wraps

import pytest
import time_machine
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from accounts.models import User
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.classes.scheduling import needs_manual_scheduling
from bookings.domain.exceptions import BookingError
from bookings.domain.queries import list_overlapping_scheduled
from bookings.domain.sales.her_bookings import confirm_payment
from bookings.domain.sales.notifications import process_notifications
from bookings.domain.sales.settling import settle, trigger_scheduling
from bookings.models import (
    ClassEvent,
    ClassLog,
    ClassStatus,
    Hold,
    Payment,
    PaymentStatus,
    Refund,
    RefundStatus,
    ReviewReason,
    Role,
    UserActivity,
    VirtualClass,
)
from bookings.payments.gateway import PaymentError
from calendar_sync import CalendarError
from calendar_sync.google import events
from tests.booking import book_class
from tests.bookings.payments.trouble import (
    CALENDAR_FAULTS,
    PROVIDER_FAULTS,
    PROVIDER_ROUTES,
    STEPS_OF_WORK,
    follow_money,
)
from tests.environment import TEACHER_EMAIL
from tests.factories import HoldFactory, UserFactory
from tests.payments import PRICE, make_payment, posting

# Fewer in the daily run; `HYPOTHESIS_EXAMPLES=1000 make test` looks longer.
EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "3"))
STEPS = 25
START = datetime(2026, 11, 23, 15, 0, tzinfo=timezone.get_default_timezone())

students = st.integers(0, 1)
# What happened in the stories: `pytest -s` shows it.
TALLY: Counter[str] = Counter()


class PowerCut(BaseException):
    """The process dies here."""


class Story(RuleBasedStateMachine):
    """Two students want the same time, each with a payment of their own."""

    mercadopago = google = None

    @initialize(booked=st.tuples(st.booleans(), st.booleans()), paid=st.booleans())
    def begin(self, booked, paid):
        self.stack = ExitStack()
        self.clock = self.stack.enter_context(time_machine.travel(START, tick=True))
        self.stack.enter_context(transaction.atomic())
        self.stack.callback(transaction.set_rollback, True)
        self.set_up_providers()
        self.students = [UserFactory(email=f"{name}@example.com") for name in ("ana", "bruno")]
        self.payments = [
            make_payment(student, booked=is_booked)
            for student, is_booked in zip(self.students, booked, strict=True)
        ]
        self.passer_by = UserFactory(email="carla@example.com")
        self.boundaries_left = 0
        self.attempts = []
        if paid:  # the stories with money are the interesting ones
            self.pay(0, "approved")
            self.pay(1, "approved")

    def set_up_providers(self):
        cache.clear()
        token = self.mercadopago.access_token
        self.mercadopago.reset()
        self.mercadopago.access_token = token
        self.mercadopago.webhook_secret = "webhook-secret"
        self.mercadopago.notification_url = (
            "http://testserver/api/webhooks/mercadopago?source_news=webhooks"
        )
        self.google.reset()
        self.google.add_person(email=TEACHER_EMAIL, name="Paula Profe")
        self.teacher = UserFactory(
            email=TEACHER_EMAIL,
            is_staff=True,
            is_superuser=True,
            provider_refresh_token=self.google.grant(TEACHER_EMAIL),
        )

    def teardown(self):
        if not hasattr(self, "stack"):
            return
        with self.stack:
            self.recover()
            self.check_the_end()

    # --- What people do ---------------------------------------------------------------------------

    @rule(who=students, status=st.sampled_from(["approved", "approved", "pending", "rejected"]))
    def pay(self, who, status):
        method = "ticket" if status == "pending" else "credit_card"
        payment = self.mercadopago.pay(self.payments[who].preference_id, status, method=method)
        self.attempts.append(payment["id"])

    @precondition(lambda self: self.attempts)
    @rule(data=st.data(), status=st.sampled_from(["approved", "rejected", "cancelled"]))
    def decide_what_is_pending(self, data, status):
        number = data.draw(st.sampled_from(self.attempts))
        [payment] = [one for one in self.mercadopago.payments if one["id"] == number]
        if payment["status"] == "pending":
            self.mercadopago.settle(number, status)

    @rule(who=students)
    def book(self, who):
        quote = self.payments[who].quote
        zone = timezone.get_default_timezone()
        with suppress(BookingError):
            book_class(
                user=self.students[who],
                start=datetime.fromtimestamp(quote["start"], tz=zone),
                end=datetime.fromtimestamp(quote["end"], tz=zone),
                is_group_class=quote["is_group_class"],
                students_count=quote["students_count"],
                price=quote["price"],
                preference_id=self.payments[who].preference_id,
            )

    @rule(who=students)
    def cancel(self, who):
        virtual_class = VirtualClass.objects.filter(booked_by=self.students[who]).first()
        if virtual_class:
            self.work(lambda: cancel_class(class_id=virtual_class.pk, actor=self.teacher))

    @rule(minutes=st.sampled_from([15, 120]))
    def somebody_else_keeps_the_time(self, minutes):
        quote = self.payments[0].quote
        start, end = (datetime.fromtimestamp(quote[name], tz=UTC) for name in ("start", "end"))
        if not Hold.objects.filter(start_time__lt=end, end_time__gt=start).exists():
            HoldFactory(
                user=self.passer_by,
                start_time=start,
                end_time=end,
                expires_at=timezone.now() + timedelta(minutes=minutes),
            )

    # --- What makes the service look --------------------------------------------------------------

    @rule(
        order=st.sampled_from(["real", "reversed", "shuffled"]),
        duplicate=st.integers(0, 2),
        lose=st.integers(0, 3),
        seed=st.integers(0, 5),
    )
    def deliver_notices(self, order, duplicate, lose, seed):
        self.mercadopago.deliver(
            order, duplicate=duplicate, lose=lose, seed=seed, post=posting(Client())
        )

    @precondition(lambda self: self.mercadopago.notifications)
    @rule(data=st.data())
    def deliver_an_old_notice(self, data):
        position = data.draw(st.integers(0, len(self.mercadopago.notifications) - 1))
        self.mercadopago.deliver([position], post=posting(Client()))

    @rule()
    def look_into_notices(self):
        self.work(process_notifications)

    @rule(who=students)
    def trigger(self, who):
        preference_id = self.payments[who].preference_id
        self.work(lambda: trigger_scheduling(preference_id=preference_id))

    @rule(who=students)
    def look_at_the_page(self, who):
        self.work(lambda: settle(self.payments[who].preference_id))

    @rule()
    def run_the_sweeps(self):
        self.work(follow_money)

    # --- What goes wrong --------------------------------------------------------------------------

    @rule(route=st.sampled_from(PROVIDER_ROUTES), fault=st.sampled_from(PROVIDER_FAULTS))
    def provider_fails(self, route, fault):
        self.mercadopago.fault(route, fault)

    @rule(
        route=st.sampled_from(["events.insert", "events.delete"]),
        fault=st.sampled_from(CALENDAR_FAULTS),
    )
    def calendar_fails(self, route, fault):
        self.google.fault(route, fault)

    @rule(lag=st.sampled_from([0, 0, 30, 3600]))
    def searches_lag_behind(self, lag):
        self.mercadopago.search_lag = lag

    @rule(repeats=st.booleans())
    def refunds_take_their_time(self, repeats):
        self.mercadopago.refund_status = "in_process" if repeats else "approved"
        self.mercadopago.empty_repeats = repeats

    @rule(boundaries=st.integers(1, 15))
    def power_fails_soon(self, boundaries):
        self.boundaries_left = boundaries

    @rule(minutes=st.sampled_from([1, 16, 120]))
    def time_passes(self, minutes):
        self.clock.shift(timedelta(minutes=minutes))

    def work(self, run):
        """Run something that may fail, or be cut short between any two of its steps."""
        with pytest.MonkeyPatch.context() as patch:
            for module, name in STEPS_OF_WORK:
                patch.setattr(module, name, self.mortal(getattr(module, name)))
            # A power cut undoes the transactions that are open, as in the database.
            with suppress(PowerCut, PaymentError, BookingError, CalendarError):
                run()

    def mortal(self, step):
        @wraps(step)
        def run(*args, **kwargs):
            self.cross_boundary(f"before {step.__name__}")
            result = step(*args, **kwargs)
            self.cross_boundary(f"after {step.__name__}")
            return result

        return run

    def cross_boundary(self, where):
        """Die here, if this is where the power fails."""
        if self.boundaries_left:
            self.boundaries_left -= 1
            if self.boundaries_left == 0:
                TALLY.update([f"power cut {where}"])
                raise PowerCut

    # --- How it ends ------------------------------------------------------------------------------

    def recover(self):
        """Let everything work again, and time pass; the last notices never arrive."""
        self.boundaries_left = 0
        self.mercadopago.heal()
        self.google.heal()
        self.mercadopago.search_lag = 0
        for refund in self.mercadopago.refunds:
            if refund["status"] == "in_process":
                self.mercadopago.settle_refund(refund["id"], "approved")
        self.mercadopago.refund_status = "approved"
        for hours in (1.3, 1.3, 1.3, 24.5, 1.3, 1.3, 24.5, 1.3):
            self.clock.shift(timedelta(hours=hours))
            assert None not in follow_money()
            self.schedule_what_waits_for_the_teacher()

    def schedule_what_waits_for_the_teacher(self):
        """Do as the panel asks her to: a calendar that refused is not asked again by itself."""
        for virtual_class in VirtualClass.objects.filter(purchases__paid_at__isnull=False):
            if needs_manual_scheduling(virtual_class):
                TALLY.update(["scheduled by the teacher"])
                confirm_payment(class_id=virtual_class.pk, actor=self.teacher)

    def check_the_end(self):
        scheduled = VirtualClass.objects.filter(status=ClassStatus.SCHEDULED)
        live = sorted(event["id"] for event in self.google.live_events())
        assert live == sorted(scheduled.values_list("provider_event_id", flat=True))
        assert len(live) <= 1
        for payment in self.payments:
            payment.refresh_from_db()
            self.check_money(payment)
            self.check_attempts(payment)
            self.check_class(payment)
        assert not Refund.objects.exclude(status=RefundStatus.DONE).exists()
        assert not Payment.objects.exclude(review=ReviewReason.NONE).exists()

    def check_money(self, payment):
        """Paid is one scheduled class or one full refund; what was paid twice went back."""
        charges = [
            one
            for one in self.mercadopago.payments
            if one["external_reference"] == payment.reference and one["date_approved"]
        ]
        kept = [one for one in charges if one["transaction_amount_refunded"] == 0]
        gone = [one for one in charges if one not in kept]
        for charge in gone:
            assert [refund["amount"] for refund in charge["refunds"]] == [PRICE / 100]
        virtual_class = payment.purchase.virtual_class
        is_scheduled = bool(virtual_class and virtual_class.is_scheduled)
        assert len(kept) == is_scheduled
        for refund in Refund.objects.filter(charge__payment=payment):
            TALLY.update([f"refund: {refund.reason}"])
        TALLY.update(["scheduled" if is_scheduled else "refunded" if charges else "never paid"])
        if is_scheduled:
            assert payment.status == PaymentStatus.APPROVED
        elif charges:
            assert payment.status == PaymentStatus.REFUNDED
            # Pending, it could be scheduled later for money that is gone.
            assert virtual_class is None or virtual_class.status == ClassStatus.CANCELLED
        else:
            assert payment.approved_at is None
            assert not payment.charges.filter(counts=True).exists()

    def check_attempts(self, payment):
        """Nobody can pay any more what could only be given back."""
        waiting = [
            one
            for one in self.mercadopago.payments
            if one["external_reference"] == payment.reference and one["status"] == "pending"
        ]
        virtual_class = payment.purchase.virtual_class
        is_lost = virtual_class and (
            virtual_class.status == ClassStatus.CANCELLED
            or list_overlapping_scheduled(virtual_class).exists()
        )
        TALLY.update(["a voucher still waits"] * bool(waiting))
        assert not (waiting and (is_lost or payment.approved_at))

    def check_class(self, payment):
        virtual_class = payment.purchase.virtual_class
        if virtual_class is None:
            return
        log = ClassLog.objects.filter(virtual_class=virtual_class)
        assert (virtual_class.purchase.paid_at is None) == (payment.approved_at is None)
        assert log.filter(event=ClassEvent.PAID).count() == bool(virtual_class.purchase.paid_at)
        assert log.filter(event=ClassEvent.SCHEDULED).count() <= 1
        roles = list(UserActivity.objects.filter(virtual_class=virtual_class).values_list("rol"))
        if virtual_class.is_scheduled:
            assert roles == [(Role.HOST,)]
            assert virtual_class.current_participants == 1
        assert virtual_class.withdrawal_requested_at is None


@pytest.mark.django_db
def test_every_story_ends_with_a_class_or_with_the_money_back(mercadopago, google, monkeypatch):
    monkeypatch.setattr(events, "RETRY_WAITS", (0, 0))
    monkeypatch.setattr(Story, "mercadopago", mercadopago)
    monkeypatch.setattr(Story, "google", google)

    run_state_machine_as_test(
        Story,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )

    assert User.objects.count() == 0
    print(*(f"{count:6} {what}" for what, count in sorted(TALLY.items())), sep="\n")
