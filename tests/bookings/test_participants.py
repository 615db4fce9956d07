"""domain/places/participants.py: the rows decide, and counter and list of ids follow them."""

import pytest
from django.db import IntegrityError

from bookings.domain.classes.cancelling import leave_class
from bookings.domain.places.joining import join_class
from bookings.models import Role, UserActivity, VirtualClass
from tests.factories import VirtualClassFactory

pytestmark = pytest.mark.django_db
CODE = "ABCD2345"


@pytest.fixture
def virtual_class(host, student):
    """A class whose counter and list miss the student, who has a row."""
    virtual_class = VirtualClassFactory(scheduled=True, booked_by=host, access_code=CODE)
    UserActivity.objects.create(user=student, virtual_class=virtual_class, rol=Role.PARTICIPANT)
    return virtual_class


def test_joining_counts_the_rows_the_hosts_first(virtual_class, host, student, stranger):
    join_class(user=stranger, access_code=CODE)

    virtual_class.refresh_from_db()
    assert virtual_class.current_participants == 3
    assert virtual_class.participants_ids == [str(one.pk) for one in (host, student, stranger)]


def test_leaving_counts_the_rows(virtual_class, host, student):
    leave_class(class_id=virtual_class.pk, user=student)

    virtual_class.refresh_from_db()
    assert virtual_class.current_participants == 1
    assert virtual_class.participants_ids == [str(host.pk)]


def test_the_constraint_refuses_a_row_too_many(virtual_class, stranger):
    VirtualClass.objects.update(max_participants=2)

    with pytest.raises(IntegrityError, match="participants_within_capacity"):
        join_class(user=stranger, access_code=CODE)

    assert UserActivity.objects.filter(user=stranger).count() == 0
