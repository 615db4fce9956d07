"""domain/sales/her_bookings.py: the teacher books a class for a student."""

from datetime import timedelta

import pytest
from django.utils import timezone

from bookings.domain.exceptions import BookingError, SlotTakenError, TimeOverError
from bookings.domain.sales.her_bookings import book_for, confirm_payment, find_obstacle
from bookings.domain.sales.holds import keep_time
from bookings.models import (
    PAY_WITHIN,
    ClassEvent,
    ClassType,
    Hold,
    Notice,
    NoticeKind,
    Payment,
    Price,
    Purchase,
    VirtualClass,
)
from bookings.notices.registry import reason_to_skip
from tests.factories import HoldFactory, VirtualClassFactory

START = (timezone.now() + timedelta(days=7)).replace(minute=0, second=0, microsecond=0)
END = START + timedelta(hours=1)
HERS = 900_000  # below the list


@pytest.fixture(autouse=True)
def _price(db):
    Price.objects.create(
        class_type="individual", minutes=60, amount=1_500_000, valid_from="2026-01-01"
    )


def book(student, teacher, *, is_paid=False, price=HERS, start=START):
    return book_for(
        student=student,
        start=start,
        minutes=60,
        class_type=ClassType.INDIVIDUAL,
        students=1,
        price=price,
        is_paid=is_paid,
        by=teacher,
        text="Viajes",
    )


def hold(user, *, start=START, **fields):
    return HoldFactory(
        user=user,
        start_time=start,
        end_time=start + timedelta(hours=1),
        class_type="individual",
        expires_at=timezone.now() + timedelta(minutes=15),
        **fields,
    )


def events_of(virtual_class):
    return list(virtual_class.log.values_list("event", "actor__name"))


# --- To be paid -----------------------------------------------------------------------------------


def test_the_student_gets_a_mail_and_time_to_pay_the_teacher_s_price(mercadopago, host, teacher):
    booked = book(host, teacher)

    payment, kept, mail = Payment.objects.get(), Hold.objects.get(), Notice.objects.get()
    assert (booked.booked_by, booked.learning_focus, booked.class_price) == (host, "Viajes", HERS)
    assert (payment.purchase.virtual_class, payment.amount, payment.purchase.person) == (
        booked,
        HERS,
        host,
    )
    assert payment.expires_at == kept.ends_at
    assert abs(kept.ends_at - timezone.now() - PAY_WITHIN) < timedelta(minutes=1)
    assert (mail.kind, mail.user, reason_to_skip(mail)) == (NoticeKind.BOOKED_FOR, host, "")
    assert events_of(booked) == [(ClassEvent.BOOKED_FOR, teacher.name)]


def test_without_a_provider_the_class_waits_for_the_teacher_s_mark(host, teacher):
    booked = book(host, teacher)

    assert not booked.has_preference
    assert not booked.has_lapsed
    assert confirm_payment(class_id=booked.pk, actor=teacher).is_scheduled


def test_an_unpaid_class_lapses_with_its_hold(host, teacher):
    booked = book(host, teacher)
    Purchase.objects.update(kept_until=timezone.now())

    assert VirtualClass.objects.get(pk=booked.pk).has_lapsed
    assert find_obstacle(START, END, teacher) is None


# --- Paid already ---------------------------------------------------------------------------------


def test_a_class_that_was_paid_by_hand_is_scheduled_at_once(mercadopago, host, teacher):
    booked = book(host, teacher, is_paid=True)

    assert booked.is_scheduled
    assert booked.class_price == HERS
    assert not Payment.objects.exists()
    assert not Hold.objects.exists()
    kinds = Notice.objects.filter(due_at__lte=timezone.now()).values_list("kind", flat=True)
    assert list(kinds) == [NoticeKind.CONFIRMATION]
    assert events_of(booked) == [
        (event, teacher.name)
        for event in (ClassEvent.BOOKED_FOR, ClassEvent.PAID, ClassEvent.SCHEDULED)
    ]


def test_while_the_calendar_fails_the_class_is_paid_and_keeps_its_time(google, host, teacher):
    google.revoke(teacher.provider_refresh_token)

    booked = book(host, teacher, is_paid=True)

    assert booked.is_being_scheduled
    assert booked.purchase.paid_at is not None
    assert find_obstacle(START, END, teacher) == booked


# --- Refusals -------------------------------------------------------------------------------------


def scheduled(student):
    VirtualClassFactory(scheduled=True, start_time=START + timedelta(minutes=30))


def paid(student):
    now = timezone.now()
    VirtualClassFactory(start_time=START, paid_at=now, scheduling_requested_at=now)


def held(student):
    hold(student, start=START - timedelta(minutes=30))


@pytest.mark.parametrize("take", [scheduled, paid, held])
@pytest.mark.parametrize("is_paid", [True, False])
def test_a_time_that_is_taken_is_refused(mercadopago, host, student, teacher, take, is_paid):
    take(student)
    before = VirtualClass.objects.count()

    with pytest.raises(SlotTakenError):
        book(host, teacher, is_paid=is_paid)

    assert VirtualClass.objects.count() == before
    assert not Payment.objects.exists()
    assert not Notice.objects.filter(kind=NoticeKind.BOOKED_FOR).exists()


def test_the_past_and_inactive_accounts_are_refused(host, teacher):
    with pytest.raises(TimeOverError):
        book(host, teacher, start=timezone.now() - timedelta(minutes=1))
    host.status = "suspended"
    with pytest.raises(BookingError, match="no está activa"):
        book(host, teacher)

    assert not VirtualClass.objects.exists()


# --- Other holds of the student -------------------------------------------------------------------


def test_the_slot_that_the_student_was_choosing_becomes_the_class(host, teacher):
    chosen = hold(host)

    booked = book(host, teacher)

    assert not Hold.objects.filter(pk=chosen.pk).exists()
    assert booked.purchase.by_teacher


def test_the_teacher_s_bookings_do_not_use_up_the_student_s_limit(settings, host, teacher):
    settings.MAX_UNPAID_HOLDS = 1
    for days in range(3):
        book(host, teacher, start=START + timedelta(days=days))

    own = START + timedelta(days=5)
    times = {"start_time": own, "end_time": own + timedelta(hours=1)}
    over = timezone.now() + timedelta(minutes=15)
    keep_time(HoldFactory.build(user=host, class_type="individual", expires_at=over, **times))

    assert Hold.objects.chosen().count() == 1
