"""The teacher's students: the list, and the file of one person."""

import re
import unicodedata
import uuid
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import CharField, OuterRef, Prefetch, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Lower, NullIf
from django.utils import timezone

from accounts.models import User, UserStatus
from accounts.phones import normalize_phone
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
    UserActivity,
    VirtualClass,
)
from bookings.money_state import with_class_money, with_money

STUDENTS_A_PAGE = 25
# In characters. Each word is a condition, and SQLite accepts a thousand.
LONGEST_SEARCH = 100
# Fewer digits match too many phones.
FEWEST_DIGITS = 3
# The last digits are the same in every spelling of a number.
DIGITS_COMPARED = 6
# Letters with an accent, which people leave out.
LATIN_LETTERS = [chr(code) for code in range(0xC0, 0x100)]

LINES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class StudentCard:
    person: User
    next_class: VirtualClass | None


@dataclass(frozen=True, slots=True)
class StudentPage:
    """last: the student after whom the next page begins, if any."""

    cards: list[StudentCard]
    last: uuid.UUID | None


def list_students() -> QuerySet[User]:
    return User.objects.filter(is_staff=False).exclude(status=UserStatus.ERASED)


def list_bookable(words: str = "") -> QuerySet[User]:
    """List whom a class can be booked for, those with the latest classes first.

    Their own, and those in which they have a place.
    """
    found = list_students().filter(
        matching(words), status__in=[UserStatus.ACTIVE, UserStatus.PLACEHOLDER]
    )
    booked = VirtualClass.objects.filter(booked_by=OuterRef("pk")).values("start_time")
    joined = UserActivity.objects.filter(user=OuterRef("pk")).values("virtual_class__start_time")
    latest = Subquery(booked.order_by().union(joined.order_by()).order_by("-start_time")[:1])
    return found.order_by(latest.desc(nulls_last=True), "name", "pk")


def find_students(*, words: str = "", after: uuid.UUID | None = None) -> StudentPage:
    """Return a page of students by name, in as many queries as ``with_money`` and three.

    after: the last student of the page before.
    """
    named = Lower(Coalesce(NullIf("name", Value("")), "email", output_field=CharField()))
    students = list_students().annotate(named=named).filter(matching(words))
    if after is not None:
        shown_last = list_students().filter(pk=after).values_list(named, flat=True)
        reached = shown_last.first() or ""
        students = students.filter(Q(named__gt=reached) | Q(named=reached, pk__gt=after))
    found = list(students.order_by("named", "pk")[: STUDENTS_A_PAGE + 1])
    shown = found[:STUDENTS_A_PAGE]
    nearest = _find_next_classes([one.pk for one in shown])
    cards = [StudentCard(one, nearest.get(one.pk)) for one in shown]
    return StudentPage(cards, shown[-1].pk if len(found) > len(shown) else None)


def matching(words: str) -> Q:
    """Return the condition that a student has all these words, or a phone with these digits.

    Accents do not matter; what exceeds LONGEST_SEARCH is ignored.
    """
    words = words[:LONGEST_SEARCH]
    digits = re.sub(r"\D", "", words)
    if len(digits) >= FEWEST_DIGITS and not re.search(r"[^\W\d]|@", words):
        pattern = r"[^0-9]*".join(digits[-DIGITS_COMPARED:])
        return Q(phone__regex=pattern)
    found = Q()
    for word in words.split():
        pattern = _ignore_accents(word)
        address = Q(email__iregex=pattern) & ~Q(status=UserStatus.PLACEHOLDER)
        found &= Q(name__iregex=pattern) | address | Q(contact_email__iregex=pattern)
    return found


def find_same_people(*, phone: str, email: str) -> list[User]:
    """List by name the students with this phone, in any spelling, or address.

    Without suspended accounts: nothing can be booked for them.
    """
    students = list_students().exclude(status=UserStatus.SUSPENDED)
    by_address = Q(email=email) | Q(contact_email=email) if email else Q(pk=None)
    found = list(students.filter(by_address))
    if number := normalize_phone(phone):
        alike = students.filter(matching(number)).exclude(pk__in=[one.pk for one in found])
        found += [one for one in alike if normalize_phone(one.phone) == number]
    return sorted(found, key=str)


def _ignore_accents(word: str) -> str:
    """Return a regular expression for any accents and capitals."""
    return "".join(map(_any_spelling, unicodedata.normalize("NFC", word)))


def _any_spelling(letter: str) -> str:
    plain = _plain(letter)
    accented = "".join(one for one in LATIN_LETTERS if _plain(one) == plain)
    return f"[{plain}{plain.upper()}{accented}]" if accented else re.escape(letter)


def _plain(letter: str) -> str:
    return unicodedata.normalize("NFD", letter)[0].lower()


def _find_next_classes(people: Iterable[uuid.UUID]) -> dict[uuid.UUID, VirtualClass]:
    classes = VirtualClass.objects.ahead(timezone.now())
    parts = UserActivity.objects.filter(user__in=people, virtual_class__in=classes.order_by())
    booked = with_class_money(classes.filter(booked_by__in=people))
    found = [(one.booked_by_id, one) for one in booked]
    found += [(one.user_id, one.virtual_class) for one in parts.select_related("virtual_class")]
    # The nearest class of a person comes last, and replaces the others.
    return dict(sorted(found, key=lambda one: one[1].start_time, reverse=True))


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
