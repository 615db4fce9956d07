"""What happens to a class is told: once, as it was, to whoever wants to know."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from bookings.domain.classes.cancelling import cancel_class, leave_class
from bookings.domain.classes.changing import reschedule_class
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.places.joining import join_class
from bookings.models import ClassLog, WebhookDelivery, WebhookEvent
from bookings.webhooks.events import announce_events
from tests.booking import book_class
from tests.bookings.webhooks.factories import WebhookEndpointFactory
from tests.factories import VirtualClassFactory
from tests.sales.open_classes import publish


@pytest.fixture
def endpoint(db):
    return WebhookEndpointFactory()


@pytest.fixture
def scheduled(host):
    return VirtualClassFactory(scheduled=True, booked_by=host)


def told():
    """Hand everything on, and give what is told of it, in order."""
    announce_events()
    return [json.loads(event.body) for event in WebhookEvent.objects.order_by("created_at")]


def test_the_life_of_a_class_is_told(endpoint, host, student, stranger, teacher):
    pending = VirtualClassFactory(booked_by=host)
    schedule_class(preference_id=pending.preference_id)
    pending.refresh_from_db()
    join_class(user=student, access_code=pending.access_code)
    join_class(user=stranger, access_code=pending.access_code)
    leave_class(class_id=pending.pk, user=stranger)
    moved_to = pending.start_time + timedelta(days=1)
    reschedule_class(class_id=pending.pk, actor=teacher, start=moved_to)
    cancel_class(class_id=pending.pk, actor=teacher, reason="Estoy enferma.")

    events = told()

    assert [
        (one["type"], one["data"]["class"]["status"], one["data"]["class"]["currentParticipants"])
        for one in events
    ] == [
        ("class.scheduled", "scheduled", 1),
        ("class.joined", "scheduled", 2),
        ("class.joined", "scheduled", 3),
        ("class.left", "scheduled", 2),
        ("class.moved", "scheduled", 2),
        ("class.cancelled", "cancelled", 2),
    ]
    assert [one["data"].get("userId") for one in events[1:4]] == [
        str(one.pk) for one in (student, stranger, stranger)
    ]
    assert events[5]["data"]["previousStatus"] == "scheduled"


def test_an_event_is_told_in_full_and_opens_nothing(endpoint, host, student, scheduled):
    join_class(user=student, access_code=scheduled.access_code)

    [event] = told()

    local = "%Y-%m-%dT%H:%M:%S.%f-03:00"
    assert event == {
        "id": str(WebhookEvent.objects.get().pk),
        "type": "class.joined",
        "createdAt": timezone.localtime(ClassLog.objects.get().at).strftime(local),
        "data": {
            "class": {
                "id": str(scheduled.pk),
                "bookedById": str(host.pk),
                "preferenceId": scheduled.preference_id,
                "status": "scheduled",
                "classType": "grupal",
                "classPrice": 1_500_000,
                "listPrice": 1_500_000,
                "discount": None,
                "amountPaid": None,
                "offer": None,
                "startTime": timezone.localtime(scheduled.start_time).strftime(local),
                "endTime": timezone.localtime(scheduled.end_time).strftime(local),
                "currentParticipants": 2,
                "maxParticipants": 5,
            },
            "userId": str(student.pk),
        },
    }


def test_one_event_goes_to_each_who_wants_it_under_one_id(endpoint, student, scheduled):
    other = WebhookEndpointFactory(kinds=["class.joined"])
    WebhookEndpointFactory(kinds=["class.cancelled"])
    WebhookEndpointFactory(is_active=False)
    join_class(user=student, access_code=scheduled.access_code)

    announce_events()

    assert {one.endpoint for one in WebhookDelivery.objects.all()} == {endpoint, other}
    assert WebhookEvent.objects.count() == 1


def test_nobody_is_told_of_what_was_before_them(db, student, scheduled):
    join_class(user=student, access_code=scheduled.access_code)
    WebhookEndpointFactory()

    assert told() == []


def test_what_is_nobodys_business_is_not_told(endpoint, host):
    draft = VirtualClassFactory.build(booked_by=host)
    book_class(
        user=host,
        start=draft.start_time,
        end=draft.end_time,
        is_group_class=True,
        students_count=3,
        price=1_500_000,
        preference_id="preference-of-the-webhooks",
    )

    assert ClassLog.objects.get().announcement is None
    assert told() == []


def test_a_class_that_the_teacher_publishes_is_paid_once_it_is_to_be_scheduled(endpoint, teacher):
    publish(teacher)

    prices = [
        (one["type"], one["data"]["class"]["listPrice"], one["data"]["class"]["amountPaid"])
        for one in told()
    ]

    assert prices == [("class.published", 0, None), ("class.scheduled", 0, 0)]
