"""What a page costs does not grow with the number of classes."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from bookings.domain.sales.holds import hold_slot
from bookings.models import BookingRules, ClassType, Role, UserActivity, WaitingListEntry
from tests.factories import HoldFactory, PlaceFactory, UserFactory, VirtualClassFactory
from tests.pages.moments import tuesday

pytestmark = pytest.mark.usefixtures("agenda")


def book_classes(host, numbers: range) -> None:
    """Give the host classes of every kind on Tuesdays to come, for each number."""
    for number in numbers:
        start = tuesday("10:00") + timedelta(weeks=number % 4, minutes=number)
        VirtualClassFactory(booked_by=host, scheduled=True, start_time=start)
        pending = VirtualClassFactory(booked_by=host, has_preference=False)
        HoldFactory(
            purchase=pending.purchase,
            start_time=start + timedelta(days=1),
            end_time=start + timedelta(days=1, minutes=1),
            expires_at=tuesday("10:00"),
        )
        joined = VirtualClassFactory(scheduled=True, start_time=start)
        UserActivity.objects.create(user=host, virtual_class=joined, rol=Role.PARTICIPANT)
        VirtualClassFactory(booked_by=host, ended=True)
        full = VirtualClassFactory(scheduled=True, max_participants=1, start_time=start)
        WaitingListEntry.objects.create(user=host, virtual_class=full)
        for when in (start, tuesday("10:00", weeks=-1)):
            over = {"kept_until": tuesday("10:00", weeks=-2), "has_preference": False}
            VirtualClassFactory(booked_by=host, start_time=when + timedelta(hours=3), **over)
        PlaceFactory(person=host)


def count_queries(client, path: str) -> int:
    """Count with an empty cache, so the calendar's grant is read as well."""
    cache.clear()
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    return len(queries)


def test_pages_cost_the_same_for_one_class_and_for_eight(host, sign_in):
    client = sign_in(host)
    expected = {"/inicio": 13, "/inicio/clases": 11, "/inicio/reservar": 12}

    book_classes(host, range(1))
    with_one = {path: count_queries(client, path) for path in expected}
    book_classes(host, range(1, 8))
    with_many = {path: count_queries(client, path) for path in expected}

    assert (with_one, with_many) == (expected, expected)


def test_a_class_costs_the_same_for_one_guest_and_for_eight(host, sign_in):
    virtual_class = VirtualClassFactory(booked_by=host, scheduled=True, max_participants=50)
    path = reverse("bookings:class", args=[virtual_class.pk])
    client = sign_in(host)

    alone = count_queries(client, path)
    for guest in UserFactory.create_batch(8):
        UserActivity.objects.create(user=guest, virtual_class=virtual_class, rol=Role.PARTICIPANT)

    # Session with person, class, sale, entries, transfers, refunds, identities, the cut-off, who
    # waits, participants, the teacher, the seller and the phone to write to (once a minute).
    assert (alone, count_queries(client, path)) == (13, 13)


def test_a_page_reads_the_rules_once_and_the_next_request_reads_them_again(host, sign_in):
    start = tuesday("10:00", weeks=1)
    hold = hold_slot(user=host, start=start, minutes=60, class_type=ClassType.GROUP)
    held = reverse("bookings:hold", args=[hold.pk]) + "?tipo=grupal&min=60"
    unpaid = VirtualClassFactory(booked_by=host, has_preference=False, start_time=start)
    pages = ["/inicio/reservar", held, reverse("bookings:class", args=[unpaid.pk])]
    client = sign_in(host)
    BookingRules(change_cutoff_minutes=90).save()

    assert [count_rules(client, page) for page in [*pages, *pages]] == [1] * 6


def count_rules(client, path: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    return sum('FROM "bookings_bookingrules"' in query["sql"] for query in queries)
