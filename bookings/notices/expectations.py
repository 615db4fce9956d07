"""Which notices must exist, derived from classes and payments."""

import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q

from accounts.models import User, UserStatus
from bookings.models import (
    ClassEvent,
    ClassLog,
    ClassStatus,
    MoneyWay,
    Notice,
    NoticeKind,
    Payment,
    PurchaseKind,
    Refund,
    RefundStatus,
    ReviewReason,
    VirtualClass,
    find_open_class,
)
from bookings.notices.returned_money import name_refund

# The teacher, until ``find_missing`` fills in her id.
TEACHER = uuid.UUID(int=0)
# A sweep writes planned mails this early; if due sooner, the transaction that plans them does.
PLANNED_AHEAD = timedelta(hours=1)

Audience = Callable[[VirtualClass, ClassLog], Collection[uuid.UUID]]


class Expectation:
    """Derives the notices of one kind; this one derives none."""

    def expect(self, kind: NoticeKind, virtual_class: VirtualClass) -> Iterable[Notice]:
        """Return a class's notices, unsaved; without occasion if any will do."""
        return ()

    def find_missing(
        self, kind: NoticeKind, since: datetime, teacher: User | None
    ) -> Iterable[Notice]:
        """Return missing notices about payments that changed since then, unsaved."""
        return ()


# No stored row asks for these mails: the audit counts those that exist.
UNTRACKED = Expectation()


@dataclass(frozen=True, slots=True)
class AfterEvent(Expectation):
    event: ClassEvent
    audience: Audience

    def expect(self, kind: NoticeKind, virtual_class: VirtualClass) -> Iterator[Notice]:
        for line in virtual_class.log.all():
            if line.event == self.event:
                for user_id in self.audience(virtual_class, line):
                    yield Notice.draft(kind, virtual_class, user_id, line.at)


@dataclass(frozen=True, slots=True)
class AfterRefund(Expectation):
    """One to the payer for each refund that the provider ended in this status."""

    status: RefundStatus

    def find_missing(
        self, kind: NoticeKind, since: datetime, teacher: User | None
    ) -> Iterator[Notice]:
        # The time of a failure is not stored; the time of the request counts.
        time = "done_at" if self.status == RefundStatus.DONE else "created_at"
        online = Refund.objects.filter(way=MoneyWay.ONLINE, status=self.status)
        refunds = online.filter(**{f"{time}__gt": since})
        mails = Notice.objects.filter(kind=kind, created_at__gt=since)
        written = set(mails.values_list("occasion", flat=True))
        for refund in refunds.select_related("purchase__virtual_class"):
            purchase, occasion = refund.purchase, name_refund(refund)
            if occasion not in written:  # a claim may have changed the payer since
                due_at = refund.done_at or refund.created_at
                about = purchase.virtual_class
                yield Notice.draft(kind, about, purchase.person_id, due_at, occasion)


class PaymentToReview(Expectation):
    def find_missing(
        self, kind: NoticeKind, since: datetime, teacher: User | None
    ) -> Iterator[Notice]:
        if teacher is None:
            return
        booked = "purchase__virtual_class"
        mails = Notice.objects.filter(virtual_class=OuterRef(booked), kind=kind)
        flagged = Payment.objects.exclude(review=ReviewReason.NONE).filter(
            ~Exists(mails),
            Q(**{f"{booked}__start_time__gt": since}) | Q(updated_at__gt=since),
            purchase__kind=PurchaseKind.CLASS,
            purchase__virtual_class__isnull=False,
            created_at__gt=teacher.created_at,
        )
        # A mail from before the booking will do.
        unbooked = Notice.objects.filter(kind=NoticeKind.UNBOOKED_TO_REVIEW)
        occasions = unbooked.values_list("occasion", flat=True)
        named = {occasion.partition(" ")[0] for occasion in occasions}
        for payment in flagged.select_related(booked):
            if payment.short_reference not in named:
                about = payment.purchase.virtual_class
                yield Notice.draft(kind, about, teacher.pk, payment.updated_at)


def is_its_teacher(virtual_class: VirtualClass | None, user_id: uuid.UUID) -> bool:
    """Return True for the host of an open class: she is the teacher and gets no student's mail."""
    is_host = virtual_class is not None and virtual_class.booked_by_id == user_id
    return is_host and find_open_class(virtual_class) is not None


def host(virtual_class: VirtualClass, line: ClassLog) -> Collection[uuid.UUID]:
    """Return the host, or an empty list if a claim changed the host after the line."""
    hand_overs = {ClassEvent.CLAIMED, ClassEvent.UNCLAIMED}
    later = any(one.event in hand_overs and one.at > line.at for one in virtual_class.log.all())
    user_id = virtual_class.booked_by_id
    return [] if later or is_its_teacher(virtual_class, user_id) else [user_id]


def person(virtual_class: VirtualClass, line: ClassLog) -> Collection[uuid.UUID]:
    return [uuid.UUID(line.details["person"])] if "person" in line.details else []


def teacher(virtual_class: VirtualClass, line: ClassLog) -> Collection[uuid.UUID]:
    return [TEACHER]


def everyone(virtual_class: VirtualClass, line: ClassLog) -> Collection[uuid.UUID]:
    """Return the host and the guests at the time of the line."""
    people = {one.user_id for one in virtual_class.activities.all() if one.created_at <= line.at}
    people.discard(virtual_class.booked_by_id)
    people.update(host(virtual_class, line))
    for earlier in virtual_class.log.all():
        if earlier.at > line.at:
            break
        if earlier.event == ClassEvent.JOINED:
            people.update(person(virtual_class, earlier))
        if earlier.event == ClassEvent.LEFT:
            people.difference_update(person(virtual_class, earlier))
    return {one for one in people if not is_its_teacher(virtual_class, one)}


def teacher_if_by_student(virtual_class: VirtualClass, line: ClassLog) -> Collection[uuid.UUID]:
    is_students = line.actor_id == virtual_class.booked_by_id
    return [TEACHER] if is_students and not virtual_class.booked_by.is_staff else []


def teacher_if_agreed(virtual_class: VirtualClass, line: ClassLog) -> Collection[uuid.UUID]:
    purchase = virtual_class.purchase
    paid_at = purchase.paid_at if purchase else None
    is_paid = paid_at is not None and paid_at < line.at
    is_agreed = line.from_status == ClassStatus.SCHEDULED or is_paid
    return teacher_if_by_student(virtual_class, line) if is_agreed else []


def teacher_if_given_up(virtual_class: VirtualClass, line: ClassLog) -> Collection[uuid.UUID]:
    # The service cancels only classes whose money goes back.
    return [TEACHER] if line.actor_id is None and line.from_status == ClassStatus.PENDING else []


def find_missing(
    virtual_class: VirtualClass,
    expectations: Mapping[NoticeKind, Expectation],
    now: datetime,
    teacher: User | None = None,
) -> list[Notice]:
    """Return the missing notices of a class, unsaved.

    For many classes, prefetch activities, log and notices.
    """
    # A mail to an earlier teacher counts, and any occasion where none is expected.
    written = Counter(
        key
        for one in virtual_class.notices.all()
        for user_id in (one.user_id, TEACHER)
        for key in {(one.kind, user_id, one.occasion), (one.kind, user_id, "")}
    )
    missing = []
    for kind, expectation in expectations.items():
        for notice in expectation.expect(kind, virtual_class):
            key = (notice.kind, notice.user_id, notice.occasion)
            if notice.due_at > now + PLANNED_AHEAD:
                continue
            if notice.user_id == TEACHER:
                if teacher is None or notice.due_at < teacher.created_at:
                    continue
                notice.user_id = teacher.pk
            written[key] -= 1
            if written[key] < 0:
                missing.append(notice)
    return missing


def without_erased(missing: list[Notice]) -> list[Notice]:
    # Erasing an account deletes its notices.
    people = {one.user_id for one in missing}
    erased = User.objects.filter(pk__in=people, status=UserStatus.ERASED)
    gone = set(erased.values_list("pk", flat=True)) if people else set()
    return [one for one in missing if one.user_id not in gone]
