"""domain/classes/booking.py: storing a pending class."""

from datetime import timedelta

import pytest
from django.utils import timezone

from bookings.domain.exceptions import BookingError, PreferenceTakenError
from bookings.models import ClassStatus, ClassType, VirtualClass
from tests.booking import book_class
from tests.factories import VirtualClassFactory


def wanted(user, **changes):
    start = changes.pop("start", timezone.now() + timedelta(days=1))
    values = {
        "user": user,
        "start": start,
        "end": start + timedelta(hours=1),
        "is_group_class": True,
        "students_count": 4,
        "price": 1_200_000,
        "preference_id": "wanted-preference",
        "words": {"learning_focus": "Travel"},
    }
    return values | changes


def test_book_class_stores_a_pending_class(host):
    request = wanted(host)

    virtual_class = book_class(**request)

    stored = VirtualClass.objects.values().get(pk=virtual_class.pk)
    assert stored == stored | {
        "booked_by_id": host.pk,
        "preference_id": "wanted-preference",
        "start_time": request["start"],
        "end_time": request["end"],
        "class_type": ClassType.GROUP,
        "class_price": 1_200_000,
        "max_participants": 4,
        "current_participants": 0,
        "participants_ids": [str(host.pk)],
        "learning_focus": "Travel",
        "status": ClassStatus.PENDING,
        "host_type": "",
        "access_code": None,
        "provider_event_id": None,
        "html_link": "",
        "summary": "",
    }


def test_book_class_may_overlap_other_classes(host):
    taken = VirtualClassFactory(scheduled=True)

    book_class(**wanted(host, start=taken.start_time))

    assert VirtualClass.objects.count() == 2


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"end": timezone.now()}, "después de empezar"),
        ({"start": timezone.now() - timedelta(hours=2), "end": timezone.now()}, "ya terminó"),
        ({"end": timezone.now() + timedelta(days=2)}, "demasiado larga"),
    ],
    ids=["ends before it starts", "is over", "too long"],
)
def test_book_class_refuses_impossible_periods(host, changes, refusal):
    with pytest.raises(BookingError, match=refusal):
        book_class(**wanted(host, **changes))

    assert not VirtualClass.objects.exists()


def test_book_class_refuses_a_preference_that_was_used(host, stranger):
    book_class(**wanted(host))

    with pytest.raises(PreferenceTakenError):
        book_class(**wanted(stranger))

    assert VirtualClass.objects.get().booked_by == host
