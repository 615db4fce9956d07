"""One student's data for the teacher."""

from dataclasses import dataclass

from django.db.models import Prefetch, QuerySet

from accounts.models import User
from bookings.domain.money.takings import Balance, find_balance
from bookings.domain.queries import (
    list_next_classes_of,
    list_past_classes_of,
)
from bookings.models import (
    UNDECIDED,
    BankTransfer,
    ClassLink,
    Payment,
    Purchase,
    VirtualClass,
)
from bookings.money_state import with_class_money, with_money

LINES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class ClassLine:
    virtual_class: VirtualClass
    is_host: bool
    was_missed: bool

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

    def list_lines(classes: QuerySet[VirtualClass]) -> list[ClassLine]:
        return list(map(describe, with_class_money(classes)[:LINES_SHOWN]))

    purchases = Prefetch("purchase", with_money(Purchase.objects.all()))
    payments = Payment.objects.filter(purchase__person=user).prefetch_related(purchases)
    return StudentFile(
        ahead=list_lines(list_next_classes_of(user)),
        past=list_lines(list_past_classes_of(user)),
        payments=list(payments.exclude(approved_at=None, review="")[:LINES_SHOWN]),
        transfers=list(BankTransfer.objects.filter(purchase__person=user)[:LINES_SHOWN]),
        claims=list(
            ClassLink.objects.filter(UNDECIDED, made_for=user)
            .select_related("virtual_class", "claimed_by")
            .order_by("virtual_class__start_time")
        ),
        missed=len(missed),
        balance=find_balance(user),
    )
