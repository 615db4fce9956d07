"""domain/settling.py: what the provider says becomes one class, or goes back; never both."""

from datetime import timedelta
from itertools import pairwise

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.booking import book_class
from bookings.domain.cancelling import cancel_class
from bookings.domain.exceptions import PreferenceMismatchError, PreferenceTakenError
from bookings.domain.refunding import request_partial_refund
from bookings.domain.reviewing import put_aside
from bookings.domain.settling import (
    confirm_payment,
    expire_payments,
    settle,
    settle_due_payments,
    settle_now_and_then,
)
from bookings.models import (
    ChargeStatus,
    ClassLog,
    ClassStatus,
    Notice,
    NoticeKind,
    Payment,
    PaymentCharge,
    PaymentStatus,
    Price,
    Refund,
    RefundReason,
    ReviewReason,
    VirtualClass,
)
from bookings.payments.gateway import PaymentUnavailableError
from bookings.sweeps import sweep
from calendar_sync import google_events
from tests.factories import VirtualClassFactory
from tests.payments import PRICE, make_payment
from tests.standins import Fault

PESOS = PRICE / 100

pytestmark = pytest.mark.usefixtures("teacher")


@pytest.fixture
def payment(mercadopago, host):
    """Ana's payment of a booked class, still to be made."""
    return make_payment(host)


@pytest.fixture
def early(mercadopago, host):
    """Ana's payment of a class that she has not booked yet."""
    return make_payment(host, booked=False)


@pytest.fixture
def impatient(monkeypatch):
    """Wait for nothing between two tries at the calendar."""
    monkeypatch.setattr(google_events, "RETRY_WAITS", (0, 0))


def look(payment):
    """Settle a payment and read it again."""
    settle(payment.preference_id)
    return Payment.objects.select_related("virtual_class").get(pk=payment.pk)


def live_events(google):
    return [event["id"] for event in google.live_events()]


def routes(mercadopago, since=0):
    return [call.route for call in mercadopago.requests[since:]]


def book(user, payment, **changes):
    quote = payment.quote
    values = {
        "start": timezone.datetime.fromtimestamp(
            quote["start"], tz=timezone.get_default_timezone()
        ),
        "end": timezone.datetime.fromtimestamp(quote["end"], tz=timezone.get_default_timezone()),
        "is_group_class": quote["is_group_class"],
        "students_count": quote["students_count"],
        "price": quote["price"],
        "preference_id": payment.preference_id,
    }
    return book_class(user=user, **values | changes)


# --- Paid -----------------------------------------------------------------------------------------


def test_an_approved_payment_schedules_its_class_once(mercadopago, google, payment):
    mercadopago.pay(payment.preference_id)

    states = [look(payment).status for _ in range(3)]

    payment.refresh_from_db()
    assert states == [PaymentStatus.APPROVED] * 3
    assert payment.virtual_class.is_scheduled
    assert payment.virtual_class.paid_at == payment.approved_at
    assert live_events(google) == [payment.virtual_class.provider_event_id]
    assert list(ClassLog.objects.values_list("event", flat=True)) == [
        "booked",
        "paid",
        "scheduled",
    ]
    assert not Refund.objects.exists()


def test_a_payment_that_nobody_made_changes_nothing(mercadopago, google, payment):
    assert look(payment).status == PaymentStatus.PENDING
    assert payment.virtual_class.status == ClassStatus.PENDING
    assert google.events() == []


@pytest.mark.parametrize("status", ["pending", "in_process", "authorized"])
def test_an_attempt_under_way_is_waited_for(mercadopago, google, payment, status):
    mercadopago.pay(payment.preference_id, status)

    assert look(payment).status == PaymentStatus.PENDING
    assert google.events() == []


def test_a_pending_attempt_that_is_approved_later_pays(mercadopago, payment):
    charge = mercadopago.pay(payment.preference_id, "pending", method="ticket")
    look(payment)
    mercadopago.settle(charge["id"], "approved")

    assert look(payment).virtual_class.is_scheduled


def test_a_rejected_attempt_may_be_followed_by_a_good_one(mercadopago, payment):
    mercadopago.pay(payment.preference_id, "rejected")
    assert look(payment).status == PaymentStatus.REJECTED

    mercadopago.pay(payment.preference_id)

    paid = look(payment)
    assert paid.status == PaymentStatus.APPROVED
    assert paid.virtual_class.is_scheduled


def test_two_parts_pay_together(mercadopago, payment):
    mercadopago.pay(payment.preference_id, amount=PESOS - 0.01)
    short = look(payment)
    assert (short.status, short.review) == (PaymentStatus.PENDING, ReviewReason.SHORT)

    mercadopago.pay(payment.preference_id, amount="0.01")

    paid = look(payment)
    assert (paid.status, paid.review) == (PaymentStatus.APPROVED, ReviewReason.NONE)
    assert paid.virtual_class.is_scheduled
    assert not Refund.objects.exists()


def test_too_little_may_become_too_much(mercadopago, payment):
    mercadopago.pay(payment.preference_id, amount=PESOS - 1)
    look(payment)
    mercadopago.pay(payment.preference_id, amount=2)

    paid = look(payment)
    assert (paid.status, paid.review) == (PaymentStatus.APPROVED, ReviewReason.OVERPAID)


def test_a_second_payment_goes_back(mercadopago, google, payment):
    mercadopago.pay(payment.preference_id)
    look(payment)
    second = mercadopago.pay(payment.preference_id)

    for _ in range(2):
        look(payment)

    [refund] = mercadopago.refunds
    assert refund["payment_id"] == second["id"]
    assert [r.reason for r in Refund.objects.all()] == [RefundReason.PAID_TWICE]
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.APPROVED
    assert payment.virtual_class.is_scheduled
    assert len(google.live_events()) == 1


def test_an_older_attempt_that_is_approved_later_is_the_surplus(mercadopago, payment):
    voucher = mercadopago.pay(payment.preference_id, "pending", method="ticket")
    mercadopago.pay(payment.preference_id)
    look(payment)
    mercadopago.settle(voucher["id"], "approved")

    look(payment)

    assert [refund["payment_id"] for refund in mercadopago.refunds] == [voucher["id"]]


# --- Not our money --------------------------------------------------------------------------------


def test_money_above_the_price_schedules_and_is_left_to_the_teacher(
    mercadopago, google, payment, teacher
):
    mercadopago.pay(payment.preference_id, amount=PESOS + 1)

    looked = look(payment)
    look(payment)

    assert (looked.status, looked.review) == (PaymentStatus.APPROVED, ReviewReason.OVERPAID)
    assert looked.virtual_class.is_scheduled
    [told] = Notice.objects.filter(kind=NoticeKind.TO_REVIEW)
    assert told.user == teacher


def test_what_came_above_the_price_is_no_more_to_review_once_it_went_back(
    mercadopago, payment, teacher
):
    mercadopago.pay(payment.preference_id, amount=PESOS + 1)
    look(payment)
    charge = PaymentCharge.objects.get()

    request_partial_refund(charge_id=charge.pk, amount=100, left=charge.amount, by=teacher)
    look(payment)

    assert look(payment).review == ReviewReason.NONE


def test_what_was_put_aside_above_the_price_stays_so(mercadopago, payment, teacher):
    mercadopago.pay(payment.preference_id, amount=PESOS + 1)
    look(payment)
    assert put_aside(payment_id=payment.pk, reason=ReviewReason.OVERPAID, by=teacher)

    assert look(payment).review == ReviewReason.NONE


@pytest.mark.parametrize(
    ("changes", "review"),
    [
        ({"amount": PESOS - 0.01}, ReviewReason.SHORT),
        ({"amount": "0.01"}, ReviewReason.SHORT),
        ({"currency": "USD"}, ReviewReason.CURRENCY),
        ({"collector_id": 1_000_000_002}, ReviewReason.COLLECTOR),
        ({"external_reference": "somebody-elses"}, ReviewReason.REFERENCE),
    ],
    ids=["a centavo short", "one centavo", "dollars", "other collector", "other reference"],
)
def test_money_that_does_not_fit_schedules_nothing(mercadopago, google, payment, changes, review):
    mercadopago.pay(payment.preference_id, **changes)

    looked = look(payment)
    sweep()

    assert (looked.status, looked.review) == (PaymentStatus.PENDING, review)
    assert looked.approved_at is None
    assert VirtualClass.objects.get().status == ClassStatus.PENDING
    assert google.events() == mercadopago.refunds == []


def test_the_teacher_is_told_once_what_needs_a_look(mercadopago, payment, teacher):
    for _ in range(2):
        mercadopago.pay(payment.preference_id, currency="USD")
        look(payment)

    told = Notice.objects.get()
    assert (told.kind, told.user) == (NoticeKind.TO_REVIEW, teacher)


def test_the_teacher_is_told_again_of_news_once_she_put_the_payment_aside(
    mercadopago, payment, teacher
):
    charge = mercadopago.pay(payment.preference_id, currency="USD")
    look(payment)
    assert put_aside(payment_id=payment.pk, reason=ReviewReason.CURRENCY, by=teacher)
    mercadopago.advance(seconds=5)
    mercadopago.settle(charge["id"], "charged_back")

    with time_machine.travel(timezone.now() + timedelta(minutes=1)):
        look(payment)

    assert list(Notice.objects.values_list("kind", flat=True)) == [NoticeKind.TO_REVIEW] * 2


def test_the_teacher_is_told_of_money_that_nobody_booked_with(mercadopago, early, teacher):
    for _ in range(2):
        mercadopago.pay(early.preference_id, currency="USD")
        look(early)

    told = Notice.objects.get()
    assert (told.kind, told.user) == (NoticeKind.UNBOOKED_TO_REVIEW, teacher)


def test_what_does_not_fit_is_put_aside_by_a_person_for_good(mercadopago, payment):
    mercadopago.pay(payment.preference_id, currency="USD")
    look(payment)
    Payment.objects.update(review=ReviewReason.NONE)

    assert look(payment).review == ReviewReason.NONE


def test_a_payment_of_somebody_else_pays_nothing_here(mercadopago, google, payment, student):
    other = make_payment(student, days=8)
    mercadopago.pay(other.preference_id)

    assert look(payment).status == PaymentStatus.PENDING
    assert PaymentCharge.objects.count() == 0
    assert google.events() == []


def test_a_charge_counts_for_one_payment_only(mercadopago, google, payment, student):
    other = make_payment(student, days=8)
    charge = mercadopago.pay(other.preference_id)
    look(other)
    orders = [
        {**order, "preference_id": payment.preference_id} for order in mercadopago.merchant_orders
    ]
    mercadopago.fault("merchant_orders.search", Fault.status(200, body={"elements": orders}))

    looked = look(payment)

    assert PaymentCharge.objects.get().charge_id == str(charge["id"])
    assert (looked.status, looked.review) == (PaymentStatus.PENDING, ReviewReason.REFERENCE)
    assert len(google.live_events()) == 1


# --- Older news, repeated news, no news -----------------------------------------------------------


@pytest.mark.parametrize("status", ["pending", "in_process", "rejected", "cancelled"])
def test_money_that_came_is_not_made_undone_by_a_later_report(
    mercadopago, google, payment, teacher, status
):
    charge = mercadopago.pay(payment.preference_id)
    look(payment)
    mercadopago.advance(seconds=5)
    mercadopago.settle(charge["id"], status)

    for _ in range(2):
        looked = look(payment)

    is_gone = status in {"rejected", "cancelled"}
    assert PaymentCharge.objects.get().status == ChargeStatus.APPROVED
    assert looked.status == PaymentStatus.APPROVED
    assert looked.review == (ReviewReason.REFUNDED_ELSEWHERE if is_gone else ReviewReason.NONE)
    assert len(google.live_events()) == 1


def test_an_amount_that_grows_later_breaks_nothing(mercadopago, payment):
    charge = mercadopago.pay(payment.preference_id)
    look(payment)
    grown = {
        **charge,
        "transaction_amount": PESOS * 2,
        "transaction_amount_refunded": PESOS * 2,
        "status": "refunded",
        "date_last_updated": "2100-01-01T00:00:00.000-03:00",
    }
    mercadopago.fault("payments.get", Fault.status(200, body=grown))

    assert look(payment).status == PaymentStatus.REFUNDED
    assert PaymentCharge.objects.get().refunded_amount == PRICE


def test_an_older_report_never_undoes_a_payment(mercadopago, google, payment):
    charge = mercadopago.pay(payment.preference_id, "pending")
    before = mercadopago.payments[0]
    mercadopago.advance(seconds=5)
    mercadopago.settle(charge["id"], "approved")
    look(payment)
    mercadopago.fault("payments.get", Fault.status(200, body=before))

    looked = look(payment)

    assert looked.status == PaymentStatus.APPROVED
    assert PaymentCharge.objects.get().status == ChargeStatus.APPROVED


def test_nothing_that_comes_later_makes_a_payment_unpaid(mercadopago, payment):
    charge = mercadopago.pay(payment.preference_id)
    look(payment)
    mercadopago.advance(seconds=5)
    mercadopago.settle(charge["id"], "rejected")

    assert look(payment).status == PaymentStatus.APPROVED


@pytest.mark.parametrize(
    ("told", "status", "review"),
    [
        ("refunded", PaymentStatus.REFUNDED, ReviewReason.REFUNDED_ELSEWHERE),
        ("in_mediation", PaymentStatus.DISPUTED, ReviewReason.DISPUTE),
        ("charged_back", PaymentStatus.CHARGED_BACK, ReviewReason.DISPUTE),
    ],
)
def test_money_that_leaves_later_is_flagged_and_the_class_stays(
    mercadopago, google, payment, told, status, review
):
    charge = mercadopago.pay(payment.preference_id)
    look(payment)
    mercadopago.advance(seconds=5)
    mercadopago.settle(charge["id"], told)

    looked = look(payment)

    assert (looked.status, looked.review) == (status, review)
    assert looked.virtual_class.is_scheduled
    assert len(google.live_events()) == 1
    assert not Refund.objects.exists()


def test_a_dispute_that_is_won_is_an_approved_payment_again(mercadopago, payment):
    charge = mercadopago.pay(payment.preference_id)
    look(payment)
    for status in ("in_mediation", "approved"):
        mercadopago.advance(seconds=5)
        mercadopago.settle(charge["id"], status)
        look(payment)

    assert look(payment).status == PaymentStatus.APPROVED


def test_a_provider_that_is_down_only_delays(mercadopago, payment):
    mercadopago.pay(payment.preference_id)
    mercadopago.fault("merchant_orders.search", Fault.status(503))

    with pytest.raises(PaymentUnavailableError):
        settle(payment.preference_id)

    assert look(payment).virtual_class.is_scheduled


def test_a_calendar_that_is_down_only_delays(mercadopago, google, payment, impatient):
    mercadopago.pay(payment.preference_id)
    google.fault("events.insert", *[Fault.status(503)] * 6)

    assert look(payment).virtual_class.status == ClassStatus.PENDING
    assert look(payment).virtual_class.status == ClassStatus.PENDING

    assert look(payment).virtual_class.is_scheduled
    assert len(google.live_events()) == 1


def test_what_is_known_is_carried_out_while_the_provider_is_down(
    mercadopago, google, payment, impatient
):
    mercadopago.pay(payment.preference_id)
    google.fault("events.insert", *[Fault.status(503)] * 3)
    look(payment)
    mercadopago.fault("merchant_orders.search", Fault.status(503))

    with pytest.raises(PaymentUnavailableError):
        settle(payment.preference_id)

    assert VirtualClass.objects.get().is_scheduled


def test_a_preference_that_goes_with_nothing_here_is_nobodys(mercadopago, db):
    assert settle("unknown") is None
    assert mercadopago.requests == []


# --- Too late -------------------------------------------------------------------------------------


@pytest.fixture
def rival(payment):
    """Another class that got the time first."""
    return VirtualClassFactory(
        scheduled=True, owns_time=True, start_time=payment.virtual_class.start_time
    )


def test_money_for_a_lost_time_goes_back_and_the_class_is_cancelled(
    mercadopago, google, payment, rival, host, teacher
):
    mercadopago.pay(payment.preference_id)

    look(payment)
    returned = look(payment)

    assert returned.virtual_class.status == ClassStatus.CANCELLED
    assert returned.status == PaymentStatus.REFUNDED
    assert [refund["amount"] for refund in mercadopago.refunds] == [PESOS]
    assert Refund.objects.get().reason == RefundReason.SLOT_LOST
    assert google.live_events() == []
    told = Notice.objects.filter(virtual_class=payment.virtual_class).order_by("kind")
    assert [(one.kind, one.user) for one in told] == [
        (NoticeKind.CANCELLED, host),
        (NoticeKind.MONEY_BACK, teacher),
    ]


def test_a_class_whose_money_went_back_is_never_scheduled_for_it(
    mercadopago, google, payment, rival
):
    mercadopago.pay(payment.preference_id)
    look(payment)
    VirtualClass.objects.filter(pk=rival.pk).update(status=ClassStatus.CANCELLED, owns_time=False)

    assert look(payment).virtual_class.status == ClassStatus.CANCELLED
    sweep()

    assert google.live_events() == []
    assert len(mercadopago.refunds) == 1


def test_money_that_comes_after_the_class_goes_back(mercadopago, payment):
    mercadopago.pay(payment.preference_id)
    with time_machine.travel(payment.virtual_class.end_time + timedelta(minutes=1)):
        look(payment)

    assert Refund.objects.get().reason == RefundReason.CLASS_OVER
    assert VirtualClass.objects.get().status == ClassStatus.CANCELLED


def test_money_for_a_cancelled_class_goes_back(mercadopago, google, payment, teacher):
    cancel_class(class_id=payment.virtual_class.pk, actor=teacher)
    mercadopago.pay(payment.preference_id)

    look(payment)

    assert Refund.objects.get().reason == RefundReason.CANCELLED
    assert len(mercadopago.refunds) == 1
    assert google.live_events() == []


def test_money_after_the_preference_expired_still_counts(mercadopago, payment):
    with time_machine.travel(payment.expires_at + timedelta(minutes=1)):
        assert look(payment).status == PaymentStatus.EXPIRED
        mercadopago.pay(payment.preference_id)

        paid = look(payment)

    assert paid.status == PaymentStatus.APPROVED
    assert paid.virtual_class.is_scheduled


def test_money_that_went_back_before_the_class_was_made_cancels_it(mercadopago, google, payment):
    charge = mercadopago.pay(payment.preference_id)
    google.fault("events.insert", Fault.status(400))
    look(payment)
    mercadopago.advance(seconds=5)
    mercadopago.settle(charge["id"], "refunded")

    looked = look(payment)

    assert looked.status == PaymentStatus.REFUNDED
    assert looked.virtual_class.status == ClassStatus.CANCELLED
    assert google.live_events() == []
    assert not Refund.objects.exists()


def test_a_disputed_payment_schedules_nothing_new(mercadopago, google, payment):
    charge = mercadopago.pay(payment.preference_id)
    google.fault("events.insert", Fault.status(400))
    look(payment)
    mercadopago.advance(seconds=5)
    mercadopago.settle(charge["id"], "in_mediation")

    assert look(payment).virtual_class.status == ClassStatus.PENDING
    assert google.live_events() == []


# --- Paid before it is booked ---------------------------------------------------------------------


def test_a_class_that_is_booked_after_paying_is_scheduled(mercadopago, early, host):
    mercadopago.pay(early.preference_id)
    assert look(early).status == PaymentStatus.APPROVED

    virtual_class = book(host, early)
    sweep()

    virtual_class.refresh_from_db()
    assert virtual_class.is_scheduled
    assert virtual_class.paid_at == look(early).approved_at


def test_money_that_nobody_books_with_goes_back_after_a_day(mercadopago, early, settings):
    mercadopago.pay(early.preference_id)
    look(early)
    assert not Refund.objects.exists()

    with time_machine.travel(timezone.now() + settings.UNBOOKED_PAYMENT_AGE):
        sweep()
        sweep()

    assert [refund["amount"] for refund in mercadopago.refunds] == [PESOS]
    early.refresh_from_db()
    assert early.status == PaymentStatus.REFUNDED
    assert early.next_check_at is None or early.next_check_at > timezone.now()


def test_a_preference_whose_money_went_back_books_nothing(mercadopago, early, host, settings):
    mercadopago.pay(early.preference_id)
    look(early)
    with time_machine.travel(timezone.now() + settings.UNBOOKED_PAYMENT_AGE):
        sweep()
        with pytest.raises(PreferenceMismatchError):
            book(host, early)


@pytest.mark.parametrize(
    "changes",
    [
        {"price": PRICE - 1},
        {"students_count": 4},
        {"is_group_class": False},
    ],
    ids=str,
)
def test_a_booking_must_be_what_its_preference_was_made_for(early, host, changes):
    with pytest.raises(PreferenceMismatchError):
        book(host, early, **changes)


@pytest.mark.parametrize("moved", ["start", "end"])
def test_a_booking_must_be_when_its_preference_was_made_for(early, host, moved):
    instant = timezone.datetime.fromtimestamp(
        early.quote[moved], tz=timezone.get_default_timezone()
    )

    with pytest.raises(PreferenceMismatchError):
        book(host, early, **{moved: instant + timedelta(minutes=5)})


def test_a_booking_with_somebody_elses_preference_is_refused(mercadopago, early, stranger):
    mercadopago.pay(early.preference_id)
    look(early)

    with pytest.raises(PreferenceMismatchError):
        book(stranger, early)


def test_a_preference_books_one_class(payment, host):
    with pytest.raises(PreferenceTakenError):
        book(host, payment)


# --- Preferences of other systems -----------------------------------------------------------------


@pytest.fixture
def foreign(mercadopago, host):
    """A class that came with a preference which another system of the teacher's made."""
    preference = mercadopago.add_preference()
    return VirtualClassFactory(
        booked_by=host, preference_id=preference["id"], class_price=1_500_000
    )


def test_a_preference_of_another_system_pays_its_class(mercadopago, foreign):
    mercadopago.pay(foreign.preference_id)

    payment = settle(foreign.preference_id)

    foreign.refresh_from_db()
    assert foreign.is_scheduled
    assert payment.made_elsewhere
    assert payment.user == foreign.booked_by


def test_whoever_booked_cannot_name_a_price_below_the_list(mercadopago, foreign):
    Price.objects.create(
        class_type="grupal",
        minutes=60,
        students_up_to=5,
        amount=1_500_001,
        valid_from="2026-01-01",
    )
    VirtualClass.objects.update(class_price=1)
    mercadopago.pay(foreign.preference_id)

    payment = settle(foreign.preference_id)

    assert (payment.status, payment.review) == (PaymentStatus.PENDING, ReviewReason.SHORT)
    assert VirtualClass.objects.get().status == ClassStatus.PENDING


def test_a_class_that_names_no_price_is_not_paid_by_nothing(mercadopago, foreign):
    VirtualClass.objects.update(class_price=0)

    assert settle(foreign.preference_id) is None
    assert VirtualClass.objects.get().paid_at is None


# --- By hand --------------------------------------------------------------------------------------


def test_the_teachers_word_is_enough(mercadopago, payment, teacher):
    confirmed = confirm_payment(class_id=payment.virtual_class.pk, actor=teacher)

    assert confirmed.is_scheduled
    assert confirmed.paid_at is not None


# --- A calendar that refuses ----------------------------------------------------------------------


@pytest.fixture
def refused(mercadopago, google, payment):
    """Ana's payment, made; the calendar refused the event of its class."""
    google.fault("events.insert", Fault.status(400))
    mercadopago.pay(payment.preference_id)
    looked = look(payment)
    assert looked.virtual_class.scheduling_refusal == "calendar_refused"
    return looked


def inserts(google):
    return [call for call in google.requests if call.route == "events.insert"]


def test_a_calendar_that_refused_is_asked_again_by_a_person_only(google, refused, teacher):
    look(refused)
    assert len(inserts(google)) == 1

    assert confirm_payment(class_id=refused.virtual_class.pk, actor=teacher).is_scheduled
    assert not Refund.objects.exists()


def test_money_for_a_class_that_nobody_scheduled_goes_back_in_the_end(google, refused):
    with time_machine.travel(timezone.now() + timedelta(days=8)):
        assert look(refused).virtual_class.status == ClassStatus.CANCELLED

    assert Refund.objects.get().reason == RefundReason.CLASS_OVER
    assert len(inserts(google)) == 1


def test_money_for_a_refused_class_that_lost_its_time_goes_back(google, refused):
    VirtualClassFactory(scheduled=True, start_time=refused.virtual_class.start_time)

    look(refused)

    assert Refund.objects.get().reason == RefundReason.SLOT_LOST


# --- Sweeps ---------------------------------------------------------------------------------------


def test_a_sweep_finds_what_no_notification_told(mercadopago, payment):
    mercadopago.pay(payment.preference_id)
    assert settle_due_payments() == 0

    with time_machine.travel(timezone.now() + timedelta(minutes=1, seconds=1)):
        assert settle_due_payments() == 1

    assert VirtualClass.objects.get().is_scheduled


def test_payments_are_checked_less_and_less_often_until_they_cannot_come(mercadopago, payment):
    start, checks = timezone.now(), []
    with time_machine.travel(start, tick=False) as clock:
        for _ in range(500):
            payment.refresh_from_db()
            if payment.next_check_at is None:
                break
            clock.move_to(payment.next_check_at)
            checks.append(timezone.now() - start)
            settle_due_payments()

    waits = [later - earlier for earlier, later in pairwise(checks)]
    assert payment.next_check_at is None
    assert min(waits) >= timedelta(seconds=59)
    assert max(waits) <= timedelta(hours=1, seconds=1)
    assert timedelta(days=4) <= checks[-1] <= timedelta(days=4, hours=2)
    assert len(checks) < 130


def test_a_scheduled_class_is_still_looked_at_daily(mercadopago, payment):
    charge = mercadopago.pay(payment.preference_id)
    look(payment)
    mercadopago.advance(seconds=5)
    mercadopago.settle(charge["id"], "charged_back")

    with time_machine.travel(timezone.now() + timedelta(days=1, minutes=1)):
        settle_due_payments()

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.CHARGED_BACK


def test_two_workers_do_not_check_the_same_payment_at_once(mercadopago, payment, monkeypatch):
    mercadopago.pay(payment.preference_id)
    inner = []

    def settle_meanwhile(preference_id):
        inner.append(settle_due_payments())

    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        monkeypatch.setattr("bookings.domain.settling.settle", settle_meanwhile)
        settle_due_payments()

    assert inner == [0]


def test_a_provider_that_is_down_is_not_asked_for_every_payment(mercadopago, host):
    for day in range(2, 8):
        make_payment(host, days=day)
    before = len(mercadopago.requests)
    mercadopago.fault("merchant_orders.search", *[Fault.status(503)] * 9)

    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        assert settle_due_payments() == 0

    assert routes(mercadopago, before) == ["merchant_orders.search"] * 3


def test_preferences_that_anybody_may_name_keep_ours_from_nothing(mercadopago, host, monkeypatch):
    monkeypatch.setattr("bookings.domain.settling.PAYMENTS_PER_SWEEP", 1)
    made_up = VirtualClassFactory(booked_by=host, preference_id="nothing", class_price=PRICE)
    settle(made_up.preference_id)
    Payment.objects.update(next_check_at=timezone.now() - timedelta(hours=1))
    ours = make_payment(host, days=2)
    mercadopago.pay(ours.preference_id)

    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        settle_due_payments()

    ours.refresh_from_db()
    assert ours.approved_at is not None


def test_preferences_that_the_provider_refuses_are_no_outage(mercadopago, host):
    payments = [make_payment(host, days=days) for days in range(2, 7)]
    mercadopago.pay(payments[-1].preference_id)
    mercadopago.fault("merchant_orders.search", *[Fault.status(400)] * 4)

    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        assert settle_due_payments() == 1


def test_one_payment_that_cannot_be_settled_stops_no_other(mercadopago, host, monkeypatch, caplog):
    bad, good = make_payment(host, days=2), make_payment(host, days=3)
    mercadopago.pay(good.preference_id)

    def fail_for_the_bad_one(preference_id):
        if preference_id == bad.preference_id:
            raise ValueError("a bug")
        return settle(preference_id)

    monkeypatch.setattr("bookings.domain.settling.settle", fail_for_the_bad_one)
    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        assert settle_due_payments() == 1

    good.refresh_from_db()
    assert good.virtual_class.is_scheduled
    assert f"Payment {bad.pk} failed." in caplog.text


def test_a_voucher_is_waited_for_when_nobody_else_would_pay_any_more(mercadopago, payment):
    voucher = mercadopago.pay(payment.preference_id, "pending", method="ticket")
    with time_machine.travel(timezone.now() + timedelta(days=5)) as clock:
        settle_due_payments()
        mercadopago.settle(voucher["id"], "approved")
        clock.shift(timedelta(days=1, minutes=1))
        settle_due_payments()

    payment.refresh_from_db()
    assert payment.approved_at is not None


def test_a_payment_that_got_no_preference_expires(mercadopago, host):
    mercadopago.fault("preferences.create", Fault.status(500))
    with pytest.raises(PaymentUnavailableError):
        make_payment(host)
    assert expire_payments() == 0

    with time_machine.travel(timezone.now() + timedelta(minutes=16)):
        assert expire_payments() == 1

    assert Payment.objects.get().status == PaymentStatus.EXPIRED


def test_a_page_asks_the_provider_now_and_then_only(mercadopago, payment):
    before = len(mercadopago.requests)

    for _ in range(3):
        settle_now_and_then(payment)

    assert routes(mercadopago, before) == ["merchant_orders.search", "payments.search"]
