"""A person without an account, and classes that the teacher books for her."""

from datetime import timedelta

from django.utils import timezone

from accounts.models import User
from accounts.services import write_down
from bookings.domain.sales.her_bookings import book_for
from bookings.models import ClassType, VirtualClass

START = (timezone.now() + timedelta(days=7)).replace(minute=0, second=0, microsecond=0)
PRICE = 1_500_000
PHONE, ADDRESS = "+54 9 341 555-0199", "lucia@example.com"


def write_lucia(*, email: str = "") -> User:
    return write_down(name="Lucía Lagos", phone=PHONE, email=email)


def book_class_for(
    person: User, teacher: User, *, days: int = 0, is_paid: bool = False, students: int = 1
) -> VirtualClass:
    """Book an hour in a week, ``days`` later; with a link."""
    return book_for(
        student=person,
        start=START + timedelta(days=days),
        minutes=60,
        class_type=ClassType.GROUP if students > 1 else ClassType.INDIVIDUAL,
        students=students,
        price=PRICE,
        is_paid=is_paid,
        by=teacher,
    )
