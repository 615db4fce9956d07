"""Behind every promise stands a constraint; a request reads the booking rules once."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from bookings.models import BookingRules, ClassStatus, Role, UserActivity, VirtualClass, keep_rules
from tests.factories import VirtualClassFactory
from tests.statements import statements

pytestmark = pytest.mark.django_db

NOW = timezone.now()


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "lost"},
        {"class_type": "duo"},
        {"host_type": "nobody"},
        {"class_price": -1},
        {"end_time": NOW - timedelta(days=1)},
        {"current_participants": 6},
        {"max_participants": 0, "current_participants": 2},
        {"access_code": "abcd2345"},
        {"access_code": "ABC"},
        {"access_code": None},
        {"provider_event_id": None},
        {"html_link": ""},
        {"summary": ""},
        {"host_type": ""},
        {"current_participants": 0},
    ],
    ids=" ".join,
)
def test_virtual_class_constraints_refuse(host, changes):
    virtual_class = VirtualClassFactory(scheduled=True, booked_by=host)

    with pytest.raises(IntegrityError), transaction.atomic():
        VirtualClass.objects.filter(pk=virtual_class.pk).update(**changes)


@pytest.mark.parametrize("field", ["preference_id", "access_code", "provider_event_id"])
def test_virtual_class_constraints_keep_values_unique(host, field):
    first = VirtualClassFactory(scheduled=True, booked_by=host)
    second = VirtualClassFactory(
        scheduled=True, booked_by=host, start_time=first.end_time + timedelta(hours=1)
    )

    with pytest.raises(IntegrityError), transaction.atomic():
        VirtualClass.objects.filter(pk=second.pk).update(**{field: getattr(first, field)})


def test_virtual_class_constraints_allow_one_person_with_a_capacity_of_zero(host):
    virtual_class = VirtualClassFactory(scheduled=True, booked_by=host, max_participants=0)

    assert virtual_class.capacity == 1


def test_user_activity_constraints_keep_one_row_for_a_person(host):
    virtual_class = VirtualClassFactory(scheduled=True, booked_by=host)

    with pytest.raises(IntegrityError), transaction.atomic():
        UserActivity.objects.create(user=host, virtual_class=virtual_class, rol=Role.PARTICIPANT)


def test_user_activity_constraints_keep_one_host(host, student):
    virtual_class = VirtualClassFactory(scheduled=True, booked_by=host)

    with pytest.raises(IntegrityError), transaction.atomic():
        UserActivity.objects.create(user=student, virtual_class=virtual_class, rol=Role.HOST)


def test_user_activity_constraints_know_the_roles(host, student):
    virtual_class = VirtualClassFactory(scheduled=True, booked_by=host)

    with pytest.raises(IntegrityError), transaction.atomic():
        UserActivity.objects.create(user=student, virtual_class=virtual_class, rol="boss")


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite's writers stand in line")
@pytest.mark.parametrize(("minutes", "refused"), [(0, True), (59, True), (60, False)])
def test_scheduled_classes_that_own_their_time_never_overlap(host, minutes, refused):
    first = VirtualClassFactory(scheduled=True, owns_time=True, booked_by=host)
    second = VirtualClassFactory(
        booked_by=host, owns_time=True, start_time=first.start_time + timedelta(minutes=minutes)
    )
    schedule = VirtualClass.objects.filter(pk=second.pk)
    complete = {
        "status": ClassStatus.SCHEDULED,
        "access_code": "ABCD2345",
        "provider_event_id": "other",
        "current_participants": 1,
        "host_type": "anfitrion",
        "html_link": "https://meet.google.com/x",
        "summary": "x",
    }

    if refused:
        with pytest.raises(IntegrityError), transaction.atomic():
            schedule.update(**complete)
    else:
        assert schedule.update(**complete) == 1


@pytest.fixture(autouse=True)
def rules():
    BookingRules(hold_minutes=20).save()


def change():
    rules = BookingRules.load()
    rules.hold_minutes = 30
    rules.save()


def test_the_block_reads_the_rules_once():
    with keep_rules(), statements() as seen:
        read = [BookingRules.load().hold_minutes for _ in range(3)]

    assert (read, len(seen)) == ([20, 20, 20], 1)


def test_the_block_reads_what_it_saved():
    with keep_rules():
        change()

        assert BookingRules.load().hold_minutes == 30


def test_the_block_forgets_what_it_undid():
    with keep_rules():
        with transaction.atomic():
            change()
            BookingRules.load()
            transaction.set_rollback(True)

        assert BookingRules.load().hold_minutes == 20


def test_a_form_that_changes_its_rules_changes_no_others():
    with keep_rules():
        BookingRules.load().hold_minutes = 99
        BookingRules.load().hold_minutes = 98

        assert BookingRules.load().hold_minutes == 20
