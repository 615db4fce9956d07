"""One student's data for the teacher."""

from dataclasses import dataclass

from django.db.models import QuerySet

from accounts.models import User
from bookings.domain.money.balances import Balance, find_balance
from bookings.domain.queries import (
    has_lapsed,
    list_next_classes_of,
    list_past_classes_of,
    list_payments_of,
)
from bookings.models import (
    UNDECIDED,
    BankTransfer,
    ClassLink,
    Payment,
    VirtualClass,
)

LINES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class ClassLine:
    virtual_class: VirtualClass
    is_host: bool
    was_missed: bool

    @property
    def has_lapsed(self) -> bool:
        return has_lapsed(self.virtual_class)

    @property
    def purpose(self) -> str:
        return self.virtual_class.learning_focus if self.is_host else ""


@dataclass(frozen=True, slots=True)
class StudentFile:
    """The nearest classes ahead, the latest past ones, and payments that came or need review.

    claims: classes of the person which an account took, and the teacher did not decide about.
    """

    ahead: list[ClassLine]
    past: list[ClassLine]
    payments: list[Payment]
    transfers: list[BankTransfer]
    claims: list[ClassLink]
    missed: int
    balance: Balance


def load_student_file(user: User) -> StudentFile:
    missed = set(user.activities.filter(no_show=True).values_list("virtual_class", flat=True))

    def describe(one: VirtualClass) -> ClassLine:
        return ClassLine(one, one.is_hosted_by(user), one.pk in missed)

    def with_codes(classes: QuerySet[VirtualClass]) -> QuerySet[VirtualClass]:
        return classes[:LINES_SHOWN]

    transfers = BankTransfer.objects.with_purchases().prefetch_related("refunds")
    return StudentFile(
        ahead=list(map(describe, with_codes(list_next_classes_of(user)))),
        past=list(map(describe, with_codes(list_past_classes_of(user)))),
        payments=list(list_payments_of(user).exclude(approved_at=None, review="")[:LINES_SHOWN]),
        transfers=list(transfers.filter(purchase__person=user)[:LINES_SHOWN]),
        claims=list(
            ClassLink.objects.filter(UNDECIDED, made_for=user)
            .select_related("virtual_class", "claimed_by")
            .order_by("virtual_class__start_time")
        ),
        missed=len(missed),
        balance=find_balance(user),
    )
