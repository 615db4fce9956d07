"""Each step of a class leaves one line: who, when, from, to, why."""

import pytest

from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.places.joining import join_class
from bookings.models import ClassLog, VirtualClass
from tests.booking import book_class
from tests.factories import VirtualClassFactory


@pytest.fixture
def booked(host):
    draft = VirtualClassFactory.build(booked_by=host)
    return book_class(
        user=host,
        start=draft.start_time,
        end=draft.end_time,
        is_group_class=True,
        students_count=3,
        price=1_500_000,
        preference_id="preference-of-the-log",
    )


def test_the_log_tells_the_story_of_a_class(booked, host, student, teacher):
    schedule_class(preference_id=booked.preference_id)
    code = VirtualClass.objects.get().access_code
    join_class(user=student, access_code=code)
    cancel_class(class_id=booked.pk, actor=teacher, reason="Estoy enferma.")

    assert list(
        ClassLog.objects.values_list("event", "actor__name", "from_status", "to_status", "reason")
    ) == [
        ("booked", "Ana Host", "", "pending", ""),
        ("scheduled", None, "pending", "scheduled", ""),
        ("joined", "Bruno Student", "", "", ""),
        ("cancelled", "Paula Profe", "scheduled", "cancelled", "Estoy enferma."),
        ("event_removed", None, "", "", ""),
    ]


def test_joining_logs_the_person_and_costs_thirteen_statements(
    host, student, django_assert_num_queries
):
    virtual_class = VirtualClassFactory(scheduled=True, booked_by=host)

    # Two savepoints around: the lock; money, held places, own place, activity, people, class,
    # purchase, log, mail, line, guests.
    with django_assert_num_queries(13):
        join_class(user=student, access_code=virtual_class.access_code)

    assert ClassLog.objects.get().details == {"person": str(student.pk)}
