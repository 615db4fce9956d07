"""notices/audit.py and its command: missing and late mails are found."""

import io
import json
from datetime import timedelta

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from bookings.domain.history import record_event
from bookings.domain.lifecycle.cancelling import cancel_class
from bookings.domain.lifecycle.rescheduling import reschedule_class
from bookings.domain.lifecycle.scheduling import schedule_class
from bookings.domain.people.erasing import erase_person
from bookings.domain.places.joining import join_class
from bookings.domain.places.leaving import leave_class
from bookings.domain.teacher_alerts import flag_for_review
from bookings.models import (
    ClassEvent,
    ClassStatus,
    Notice,
    NoticeKind,
    Payment,
    Purchase,
    ReviewReason,
)
from bookings.notices import expectations
from bookings.notices.audit import Account, audit_notices
from bookings.notices.delivery import deliver_due
from bookings.notices.due import record_alert, record_due
from bookings.notices.returned_money import name_refund
from tests.bookings.notices.backends import DOWN
from tests.bookings.stored import store_scheduled
from tests.factories import PaymentFactory, PurchaseFactory, UserFactory, VirtualClassFactory

DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


@pytest.fixture
def booked(host, teacher, student):
    """Ana's class in three days, with Bruno as its guest."""
    booked = store_scheduled(booked_by=host, start_time=timezone.now() + 3 * DAY)
    return join_class(user=student, access_code=booked.access_code)


@pytest.fixture
def with_event(host, teacher, student):
    """The same class, in the calendar."""
    pending = VirtualClassFactory(booked_by=host, summary="", start_time=timezone.now() + 3 * DAY)
    booked = schedule_class(preference_id=pending.preference_id)
    return join_class(user=student, access_code=booked.access_code)


def audit():
    return audit_notices(since=timezone.now() - 7 * DAY)


def counts():
    """Return the counts without zeros."""
    return {(kind.value, account.value): count for (kind, account), count in audit().counts.items()}


def command(*options):
    """Run the command; return its exit code and output."""
    out = io.StringIO()
    try:
        call_command("notices", "--audit", *options, stdout=out)
    except CommandError as error:
        return error.returncode, out.getvalue()
    return 0, out.getvalue()


def test_what_is_due_and_what_is_planned_is_counted(booked):
    assert counts() == {
        ("confirmation", "due"): 1,
        ("joined", "due"): 1,
        ("reminder_day", "planned"): 2,
        ("reminder_hour", "planned"): 2,
    }


def test_everything_that_can_happen_to_a_class_is_accounted_for(with_event, student, teacher):
    booked = with_event
    other = join_class(user=UserFactory(), access_code=booked.access_code)
    leave_class(class_id=booked.pk, user=student)
    join_class(user=student, access_code=booked.access_code)
    leave_class(class_id=booked.pk, user=student)
    reschedule_class(class_id=booked.pk, actor=teacher, start=booked.start_time + HOUR)
    reschedule_class(class_id=booked.pk, actor=teacher, start=booked.start_time + 2 * HOUR)
    cancel_class(class_id=other.pk, actor=teacher)
    deliver_due()

    found = audit()

    assert found.open_questions == []
    assert found.counts.total() == Notice.objects.count() == found.accounted_for
    assert found.counts[NoticeKind.RESCHEDULED, Account.FAILED] == 4  # it was cancelled since
    assert found.counts[NoticeKind.CANCELLED, Account.SENT] == 2


@pytest.mark.parametrize(
    "kind", ["confirmation", "joined", "left", "guest_left", "rescheduled", "cancelled"]
)
def test_a_mail_that_nobody_wrote_down_is_missing(with_event, student, teacher, kind):
    booked = with_event
    join_class(user=UserFactory(), access_code=booked.access_code)
    leave_class(class_id=booked.pk, user=student)
    reschedule_class(class_id=booked.pk, actor=teacher, start=booked.start_time + HOUR)
    cancel_class(class_id=booked.pk, actor=teacher)
    lost = Notice.objects.filter(kind=kind).first()
    lost.delete()

    [entry] = audit().open_questions

    assert (entry.kind, entry.account) == (kind, Account.MISSING)
    assert (entry.user_id, entry.class_id) == (lost.user_id, booked.pk)


@pytest.mark.parametrize("kind", ["student_moved", "student_cancelled"])
def test_a_mail_to_the_teacher_that_nobody_wrote_down_is_missing(booked, host, teacher, kind):
    note_move(booked, host, teacher)
    cancel_class(class_id=booked.pk, actor=host)
    told = audit().open_questions
    Notice.objects.get(kind=kind).delete()

    [entry] = audit().open_questions

    assert told == []
    assert (entry.kind, entry.user_id, entry.account) == (kind, teacher.pk, Account.MISSING)


def note_move(virtual_class, host, teacher):
    """Record that the host moved the class."""
    earlier = {"from": (virtual_class.start_time - DAY).isoformat()}
    record_event(virtual_class, ClassEvent.RESCHEDULED, actor=host, details=earlier)
    record_due(NoticeKind.STUDENT_MOVED, virtual_class, [teacher.pk], "1")
    people = virtual_class.activities.values_list("user", flat=True)
    record_due(NoticeKind.RESCHEDULED, virtual_class, people, "1")


@pytest.mark.parametrize("kind", ["money_back", "to_review"])
def test_a_mail_about_money_that_nobody_wrote_down_is_missing(host, teacher, kind):
    lost = VirtualClassFactory(booked_by=host, status=ClassStatus.CANCELLED)
    if kind == "to_review":
        PaymentFactory(purchase=lost.purchase, review=ReviewReason.DISPUTE)
    else:
        record_event(lost, ClassEvent.CANCELLED, from_status="pending")
        record_due(NoticeKind.CANCELLED, lost, [host.pk])
    [entry] = audit().open_questions

    record_due(NoticeKind(kind), lost, [teacher.pk])

    assert (entry.kind, entry.user_id) == (kind, teacher.pk)
    assert audit().open_questions == []


def test_a_payment_that_was_told_of_before_its_booking_is_accounted_for(host, teacher):
    early, other = PaymentFactory(), PaymentFactory()
    flag_for_review(early, ReviewReason.OVERPAID)
    early.save()
    other.review = ReviewReason.OVERPAID
    other.save()
    for payment in (early, other):
        booked = VirtualClassFactory(booked_by=host, is_sold=False)
        Purchase.objects.filter(payment=payment).update(virtual_class=booked)

    [entry] = audit().open_questions

    other.purchase.refresh_from_db()
    assert (entry.kind, entry.class_id) == ("to_review", other.purchase.virtual_class_id)
    assert Notice.objects.get().kind == NoticeKind.UNBOOKED_TO_REVIEW


@pytest.mark.parametrize("is_booked", [True, False])
@pytest.mark.parametrize(
    ("status", "kind"),
    [("done", NoticeKind.MONEY_RETURNED), ("failed", NoticeKind.REFUND_FAILED)],
)
def test_a_refund_without_a_mail_is_missing(host, is_booked, status, kind):
    virtual_class = VirtualClassFactory(booked_by=host) if is_booked else None
    purchase = virtual_class.purchase if virtual_class else PurchaseFactory(person=host)
    payment, now = PaymentFactory(purchase=purchase), timezone.now()
    charge = payment.charges.create(
        charge_id="1", amount=1, currency="ARS", status="approved", provider_updated_at=now
    )
    refund = charge.refunds.create(
        purchase=purchase,
        way="online",
        amount=1,
        key="key",
        reason="by_teacher",
        status=status,
        done_at=now if status == "done" else None,
        next_attempt_at=None,
    )

    [entry] = audit().open_questions

    class_id = virtual_class and virtual_class.pk
    assert (entry.kind, entry.user_id, entry.class_id) == (kind, host.pk, class_id)
    record_alert(kind, host, name_refund(refund))
    assert audit().open_questions == []


def test_what_the_teacher_returned_herself_needs_no_mail_of_the_provider_s(host):
    purchase = VirtualClassFactory(booked_by=host, in_cash=timezone.now()).purchase
    purchase.refunds.create(
        way="cash",
        amount=1,
        key="key",
        reason="cancelled",
        status="done",
        done_at=timezone.now(),
        next_attempt_at=None,
    )

    assert audit().open_questions == []


def test_a_payment_of_a_class_long_past_is_audited_if_it_changed_since(host, teacher):
    type(teacher).objects.update(created_at=timezone.now() - 100 * DAY)
    long_past = VirtualClassFactory(booked_by=host, start_time=timezone.now() - 30 * DAY)
    PaymentFactory(purchase=long_past.purchase, review=ReviewReason.DISPUTE)
    of_today = [entry.kind for entry in audit().open_questions]
    Payment.objects.update(updated_at=timezone.now() - 8 * DAY)

    assert of_today == ["to_review"]
    assert audit().open_questions == []


def test_nothing_is_missing_of_a_teacher_who_came_later(booked, host, teacher):
    cancel_class(class_id=booked.pk, actor=host)
    Notice.objects.filter(kind=NoticeKind.STUDENT_CANCELLED).delete()

    type(teacher).objects.filter(pk=teacher.pk).update(created_at=timezone.now())

    assert audit().open_questions == []


def test_nothing_is_missing_of_somebody_who_erased_their_account(booked, student):
    leave_class(class_id=booked.pk, user=student)
    erase_person(user=student, by=student)

    assert not Notice.objects.filter(user=student).exists()
    assert audit().open_questions == []


def test_a_reminder_has_to_be_planned_an_hour_ahead(booked):
    Notice.objects.filter(kind=NoticeKind.REMINDER_DAY).delete()
    due_at = booked.start_time - DAY
    missing = []

    for moment in (due_at - 61 * MINUTE, due_at - 59 * MINUTE):
        with time_machine.travel(moment):
            missing.append(counts().get(("reminder_day", "missing"), 0))

    assert missing == [0, 2]


def test_a_reminder_of_an_earlier_start_is_none_of_this_one(booked):
    Notice.objects.filter(kind=NoticeKind.REMINDER_DAY).update(occasion="20200101T000000Z")

    with time_machine.travel(booked.start_time - DAY):
        assert counts()["reminder_day", "missing"] == 2


def test_a_mail_is_late_after_five_minutes(booked):
    with time_machine.travel(timezone.now() + 6 * MINUTE):
        assert counts()["confirmation", "late"] == 1


def test_what_is_overdue_is_seen_however_old_the_class(booked, teacher):
    cancel_class(class_id=booked.pk, actor=teacher)

    with time_machine.travel(booked.start_time + 30 * DAY):
        found = audit()

    assert {entry.kind for entry in found.open_questions} >= {NoticeKind.CANCELLED}


def test_what_changes_while_it_is_read_is_looked_at_twice(booked, monkeypatch):
    """A cancellation deletes reminders after the class was read and before its mails are."""
    Notice.objects.filter(kind=NoticeKind.JOINED).delete()
    looks = []

    def find_missing_and_mend(virtual_class, *arguments):
        looks.append(virtual_class.pk)
        return expectations.find_missing(virtual_class, *arguments) if len(looks) == 1 else []

    monkeypatch.setattr("bookings.notices.audit.find_missing", find_missing_and_mend)

    assert audit().open_questions == []
    assert looks == [booked.pk, booked.pk]


def test_sent_late_is_sent(booked):
    with time_machine.travel(timezone.now() + 20 * MINUTE):
        deliver_due()

        assert audit().open_questions == []


def test_the_command_exits_with_0_when_all_is_accounted_for(booked):
    code, printed = command()

    assert code == 0
    assert "6 mails due to people, 6 accounted for." in printed


def test_the_command_exits_with_3_and_names_what_is_missing(booked, student):
    Notice.objects.filter(kind=NoticeKind.JOINED).delete()

    code, printed = command()

    assert code == 3
    assert "6 mails due to people, 5 accounted for." in printed
    assert f"missing joined, class {booked.pk}, person {student.pk}" in printed


def test_the_command_exits_with_3_while_the_mail_server_is_down_and_says_why(booked, settings):
    settings.EMAIL_BACKEND = DOWN
    deliver_due()
    with time_machine.travel(timezone.now() + 6 * MINUTE):
        code, printed = command()

    assert code == 3
    assert "SMTPAuthenticationError 535" in printed


def test_the_command_prints_json(booked):
    Notice.objects.filter(kind=NoticeKind.JOINED).delete()

    code, printed = command("--json")

    found = json.loads(printed)
    assert (code, found["total"], found["accounted_for"]) == (3, 6, 5)
    assert found["counts"]["joined"] == {"missing": 1}
    assert found["open"][0]["class_id"] == str(booked.pk)


def test_the_command_names_nobody_s_address(booked, host):
    Notice.objects.all().delete()

    assert host.email not in "".join(str(command(*options)) for options in [(), ("--json",)])


@pytest.mark.parametrize("days", ["-1", "99999999"])
def test_the_command_refuses_days_that_are_none(db, days):
    with pytest.raises(CommandError, match="from 0 to 36500"):
        call_command("notices", "--audit", "--days", days)


def test_the_audit_costs_the_same_for_more_classes(host, teacher):
    def statements(classes):
        for hours in range(classes, 2 * classes):
            start = timezone.now() + timedelta(hours=3 + 2 * hours)
            store_scheduled(booked_by=host, start_time=start)
        with CaptureQueriesContext(connection) as captured:
            audit()
        return len(captured)

    assert statements(1) == statements(3)
