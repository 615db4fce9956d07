"""Which notices must exist, derived from classes and payments, not from notices."""

import uuid
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from bookings.models import (
    ClassEvent,
    ClassLog,
    ClassStatus,
    Notice,
    NoticeKind,
    Payment,
    PriceDecision,
    Refund,
    RefundStatus,
    ReviewReason,
    VirtualClass,
)
from bookings.notices.returned_money import name_refund

# The teacher, whoever has the account.
TEACHER = uuid.UUID(int=0)


@dataclass(frozen=True, slots=True)
class ExpectedNotice:
    """A mail that must exist. user_id: may be TEACHER. occasion: empty if any will do."""

    kind: NoticeKind
    virtual_class: VirtualClass | None
    user_id: uuid.UUID
    due_at: datetime
    occasion: str = ""


class Expectation:
    """How the audit derives the mails of one kind; this one derives none."""

    def list_expected(
        self, kind: NoticeKind, virtual_class: VirtualClass
    ) -> Iterable[ExpectedNotice]:
        """Return the mails that a class must have.

        Its activities and log are read: prefetch them for many classes.
        """
        return ()

    def list_missing(
        self, kind: NoticeKind, since: datetime, teacher: User | None
    ) -> Iterable[ExpectedNotice]:
        """Return the missing mails about rows other than classes that changed since then."""
        return ()


# For mails that no stored row asks for: the audit counts those that exist.
UNTRACKED = Expectation()

Audience = Callable[[VirtualClass, ClassLog], Collection[uuid.UUID]]


@dataclass(frozen=True, slots=True)
class AfterEvent(Expectation):
    """A mail for each line of a class's history with this event."""

    event: ClassEvent
    audience: Audience

    def list_expected(
        self, kind: NoticeKind, virtual_class: VirtualClass
    ) -> Iterator[ExpectedNotice]:
        """Return a mail for each reader of each line."""
        for line in virtual_class.log.all():
            if line.event == self.event:
                for user_id in self.audience(virtual_class, line):
                    yield ExpectedNotice(kind, virtual_class, user_id, line.at)


def host(virtual_class: VirtualClass, line: ClassLog) -> Collection[uuid.UUID]:
    return [virtual_class.booked_by_id]


def person(virtual_class: VirtualClass, line: ClassLog) -> Collection[uuid.UUID]:
    """Return the person of the line."""
    return [uuid.UUID(line.details["person"])] if "person" in line.details else []


def everyone(virtual_class: VirtualClass, line: ClassLog) -> Collection[uuid.UUID]:
    """Return the host and all who were in the class at the time of the line."""
    people = {virtual_class.booked_by_id}
    people |= {one.user_id for one in virtual_class.activities.all() if one.created_at <= line.at}
    for earlier in virtual_class.log.all():
        if earlier.at > line.at:
            break
        if earlier.event == ClassEvent.JOINED:
            people.update(person(virtual_class, earlier))
        if earlier.event == ClassEvent.LEFT:
            people.difference_update(person(virtual_class, earlier))
    return people


def teacher_if_by_student(virtual_class: VirtualClass, line: ClassLog) -> Collection[uuid.UUID]:
    """Return the teacher if the host made the change."""
    is_students = line.actor_id == virtual_class.booked_by_id
    return [TEACHER] if is_students and not virtual_class.booked_by.is_staff else []


def teacher_if_agreed(virtual_class: VirtualClass, line: ClassLog) -> Collection[uuid.UUID]:
    """Return the teacher if the host cancelled a scheduled or paid class."""
    paid_at = virtual_class.paid_at
    is_paid = paid_at is not None and paid_at < line.at
    is_agreed = line.from_status == ClassStatus.SCHEDULED or is_paid
    return teacher_if_by_student(virtual_class, line) if is_agreed else []


def teacher_if_given_up(virtual_class: VirtualClass, line: ClassLog) -> Collection[uuid.UUID]:
    """Return the teacher if the service cancelled an unscheduled class: then money goes back."""
    return [TEACHER] if line.actor_id is None and line.from_status == ClassStatus.PENDING else []


class OutsidePriceList(Expectation):
    """A mail to the teacher for each class that her price list lacks."""

    def list_expected(
        self, kind: NoticeKind, virtual_class: VirtualClass
    ) -> Iterator[ExpectedNotice]:
        """Return the mail about the class, if its price needed a decision."""
        if virtual_class.price_decision != PriceDecision.NONE:
            yield ExpectedNotice(kind, virtual_class, TEACHER, virtual_class.created_at)


@dataclass(frozen=True, slots=True)
class AfterRefund(Expectation):
    """A mail to the payer for each refund that ended in this status."""

    status: RefundStatus

    def list_missing(
        self, kind: NoticeKind, since: datetime, teacher: User | None
    ) -> Iterator[ExpectedNotice]:
        """Return the missing mails. When a refund failed is not stored: its request counts."""
        ended = "done_at" if self.status == RefundStatus.DONE else "created_at"
        refunds = Refund.objects.filter(**{f"{ended}__gt": since}, status=self.status)
        mails = Notice.objects.filter(kind=kind, created_at__gt=since)
        written = set(mails.values_list("user", "occasion"))
        for refund in refunds.select_related("charge__payment__virtual_class"):
            payment, occasion = refund.charge.payment, name_refund(refund)
            if (payment.user_id, occasion) not in written:
                due_at = refund.done_at or refund.created_at
                about = payment.virtual_class
                yield ExpectedNotice(kind, about, payment.user_id, due_at, occasion)


class PaymentToReview(Expectation):
    """A mail to the teacher for each class whose payment is flagged for review."""

    def list_missing(
        self, kind: NoticeKind, since: datetime, teacher: User | None
    ) -> Iterator[ExpectedNotice]:
        """Return the missing mails about classes after that time or payments changed since then.

        None is missing if the teacher got a mail about the payment before its class was booked.
        """
        if teacher is None:
            return
        mails = Notice.objects.filter(virtual_class=OuterRef("virtual_class"), kind=kind)
        flagged = Payment.objects.exclude(review=ReviewReason.NONE).filter(
            ~Exists(mails),
            Q(virtual_class__start_time__gt=since) | Q(updated_at__gt=since),
            virtual_class__isnull=False,
            created_at__gt=teacher.created_at,
        )
        unbooked = Notice.objects.filter(kind=NoticeKind.UNBOOKED_TO_REVIEW)
        occasions = unbooked.values_list("occasion", flat=True)
        named = {occasion.partition(" ")[0] for occasion in occasions}
        for payment in flagged.select_related("virtual_class"):
            if payment.short_reference not in named:
                yield ExpectedNotice(kind, payment.virtual_class, teacher.pk, payment.updated_at)
