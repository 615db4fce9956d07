"""domain/classes/cancelling.py, domain/change_policy.py: who may cancel, and what is refunded."""

from datetime import datetime, timedelta

import pytest
import time_machine
from django.db import connection
from django.utils import timezone

from bookings.domain.change_policy import find_cancelling_case, find_leaving_case
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.exceptions import (
    ClassCompletedError,
    ClassEndedError,
    NotHostError,
    TooLateToChangeError,
)
from bookings.domain.places.joining import join_class
from bookings.models import (
    ClassEvent,
    ClassLog,
    ClassStatus,
    Hold,
    Notice,
    NoticeKind,
    Purchase,
    Refund,
    RefundCase,
    RefundReason,
    RefundStatus,
    VirtualClass,
)
from bookings.models.change_terms import find_change_terms
from bookings.notices.rendering import render_mail
from calendar_sync import CalendarError
from tests.factories import HoldFactory, VirtualClassFactory
from tests.payments import make_paid_class
from tests.standins import Fault


@pytest.fixture
def paid(host, mercadopago, teacher) -> VirtualClass:
    """Ana's class in a week, paid and in the calendar."""
    return make_paid_class(host, mercadopago)


@pytest.fixture
def scheduled(host) -> VirtualClass:
    """Ana's class in a week."""
    start = timezone.now() + timedelta(days=7)
    return VirtualClassFactory(booked_by=host, scheduled=True, start_time=start)


def just_before(moment: datetime):
    return time_machine.travel(moment - timedelta(seconds=1), tick=False)


def cut_off_of(virtual_class: VirtualClass) -> datetime:
    return find_change_terms(virtual_class, timezone.now()).until


def refunds():
    return list(Refund.objects.values_list("reason", "status"))


WHOLE = [(RefundReason.CANCELLED, RefundStatus.DONE)]


def test_a_student_cancels_in_time_and_gets_everything_back(paid, host, google, mercadopago):
    with just_before(cut_off_of(paid)):
        cancelled = cancel_class(class_id=paid.pk, actor=host)

    assert (cancelled.status, cancelled.ics_sequence) == ("cancelled", 1)
    assert (refunds(), cancelled.purchase.amount_kept) == (WHOLE, 0)
    assert google.live_events() == []


def test_a_student_is_refused_from_the_deadline_on(paid, host, google):
    with time_machine.travel(cut_off_of(paid), tick=False), pytest.raises(TooLateToChangeError):
        cancel_class(class_id=paid.pk, actor=host)

    assert VirtualClass.objects.get().is_scheduled
    assert (refunds(), len(google.live_events())) == ([], 1)


def test_the_teacher_cancels_late_and_gives_everything_back(paid, teacher):
    with just_before(paid.start_time):
        cancel_class(class_id=paid.pk, actor=teacher, fresh_sign_in=True)

    assert refunds() == WHOLE


def test_a_student_whose_cut_off_passes_meanwhile_gets_everything_back(paid, host):
    with time_machine.travel(cut_off_of(paid), tick=False) as clock:
        clock.shift(-1)

        def pass_cut_off(execute, sql, *args):
            if "bookings_payment" in sql:  # after the checks, before the decision
                clock.shift(2)
            return execute(sql, *args)

        with connection.execute_wrapper(pass_cut_off):
            cancel_class(class_id=paid.pk, actor=host)

    assert [reason for reason, _ in refunds()] == [RefundReason.CANCELLED]
    assert Purchase.objects.get().amount_kept == 0


def test_the_case_of_leaving_follows_from_the_deadline(scheduled, teacher):
    deadline = cut_off_of(scheduled)
    just_in_time = deadline - timedelta(seconds=1)

    assert find_leaving_case(scheduled, just_in_time) == RefundCase.STUDENT_CANCELS
    assert find_leaving_case(scheduled, deadline) == RefundCase.PLACE_LEFT_LATE
    assert find_cancelling_case(teacher, scheduled, deadline) == RefundCase.TEACHER_CANCELS


def test_an_unpaid_class_is_given_up_at_any_time_and_frees_its_time(host):
    soon = VirtualClassFactory(booked_by=host)
    HoldFactory(
        user=host,
        purchase=soon.purchase,
        start_time=soon.start_time,
        end_time=soon.end_time,
        class_type="grupal",
        expires_at=soon.start_time,
    )

    with just_before(soon.start_time):
        cancel_class(class_id=soon.pk, actor=host)

    assert VirtualClass.objects.get().status == "cancelled"
    assert not Hold.objects.exists()


@pytest.mark.parametrize("is_guest", [True, False])
def test_nobody_else_cancels(scheduled, student, is_guest):
    if is_guest:
        join_class(user=student, access_code=scheduled.access_code)

    with pytest.raises(NotHostError):
        cancel_class(class_id=scheduled.pk, actor=student)

    assert VirtualClass.objects.get().is_scheduled


def test_what_is_over_is_not_cancelled_by_a_student(host):
    ended = VirtualClassFactory(booked_by=host, ended=True)

    with pytest.raises(ClassEndedError):
        cancel_class(class_id=ended.pk, actor=host)


@pytest.mark.parametrize("who", ["host", "teacher"])
def test_a_completed_class_is_not_cancelled(scheduled, teacher, request, who):
    VirtualClass.objects.update(status=ClassStatus.COMPLETED)

    with pytest.raises(ClassCompletedError):
        cancel_class(class_id=scheduled.pk, actor=request.getfixturevalue(who))


def test_everybody_is_told_once_and_the_log_says_who(paid, host, student):
    join_class(user=student, access_code=paid.access_code)

    for _ in range(2):
        cancel_class(class_id=paid.pk, actor=host, reason="Me enfermé.")

    told = Notice.objects.filter(kind=NoticeKind.CANCELLED).values_list("user__email", flat=True)
    assert sorted(told) == ["ana@example.com", "bruno@example.com"]
    line = ClassLog.objects.get(event=ClassEvent.CANCELLED)
    assert (line.actor, line.from_status, line.to_status, line.reason) == (
        host,
        "scheduled",
        "cancelled",
        "Me enfermé.",
    )
    assert not Notice.objects.filter(kind__startswith="reminder").exists()


@pytest.mark.parametrize(("is_paid", "count"), [(True, 1), (False, 0)])
def test_the_teacher_is_told_of_what_a_student_cancelled(host, teacher, is_paid, count):
    booked = VirtualClassFactory(booked_by=host, in_cash=is_paid and timezone.now())

    cancel_class(class_id=booked.pk, actor=host)

    told = Notice.objects.filter(kind=NoticeKind.STUDENT_CANCELLED, user=teacher)
    assert told.count() == count
    for mail in told:
        assert "Para devolver: $ 15.000" in render_mail(mail).body.replace("\xa0", " ")


def test_a_student_does_not_ask_for_a_failed_refund_again(paid, host, teacher):
    cancel_class(class_id=paid.pk, actor=host)
    Refund.objects.update(status=RefundStatus.FAILED, next_attempt_at=None, failure="no")

    cancel_class(class_id=paid.pk, actor=host)
    by_student = Refund.objects.count()
    cancel_class(class_id=paid.pk, actor=teacher, fresh_sign_in=True)

    assert (by_student, Refund.objects.count()) == (1, 2)


def test_a_calendar_that_is_down_keeps_nobody_from_cancelling(paid, host, google):
    google.fault("events.delete", *[Fault.status(403)] * 3)

    with pytest.raises(CalendarError):
        cancel_class(class_id=paid.pk, actor=host)

    cancelled = VirtualClass.objects.get()
    assert (cancelled.status, refunds()) == ("cancelled", WHOLE)
    assert cancelled.withdrawal_requested_at is not None
