"""Among twenty thousand classes nothing that people wait for reads them all, or sorts them.

What a plan says is the word of the database.
"""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import User
from bookings.domain.queries import (
    list_next_classes_of,
    list_past_classes_of,
    list_scheduled_between,
)
from bookings.models import ClassStatus, VirtualClass
from tests.factories import UserFactory
from tests.performance.crowd import add_scheduled_classes

CLASSES, PERSONS = 20_000, 400
PAGE = 50


@pytest.fixture(scope="module", autouse=True)
def _cleared_away(django_db_setup, django_db_blocker):
    """Clear away, once it is rolled back, what every later look at a table would go through."""
    yield
    with django_db_blocker.unblock():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("VACUUM")


@pytest.fixture
def crowd(db):
    """As many people, each with fifty classes; the tables' statistics are up to date."""
    people = User.objects.bulk_create(UserFactory.build_batch(PERSONS))
    add_scheduled_classes(people, CLASSES)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return people[7]


def list_queries(user):
    """Give each query by name, and whether it may sort: what is one person's, and no more."""
    now, classes = timezone.now(), VirtualClass.objects.order_by()
    ahead = VirtualClass.objects.filter(status=ClassStatus.SCHEDULED, start_time__gte=now)
    return {
        "class of a code": (classes.filter(access_code="00000077"), False),
        "class of a preference": (classes.filter(preference_id="crowd-00000001"), False),
        "times that are taken": (list_scheduled_between(now, now + timedelta(days=7)), False),
        "what is ahead": (ahead.order_by("start_time", "id")[:PAGE], False),
        "my next classes": (list_next_classes_of(user)[:PAGE], True),
        "my past classes": (list_past_classes_of(user)[:PAGE], True),
    }


def reads_all(plan):
    """Whether a plan goes through all classes, or all that anybody takes part in."""
    tables = "bookings_virtualclass|bookings_useractivity"
    whole = rf"Seq Scan on ({tables})|SCAN ({tables})|SCAN U\d"
    return re.search(whole, plan) is not None


def sorts(plan):
    """Whether a plan sorts what it found."""
    return re.search(r"Sort Key|TEMP B-TREE FOR ORDER BY", plan) is not None


def test_no_query_reads_or_sorts_all_classes(crowd):
    plans = {name: (rows.explain(), may) for name, (rows, may) in list_queries(crowd).items()}

    assert {name: plan for name, (plan, _) in plans.items() if reads_all(plan)} == {}
    assert {name: plan for name, (plan, may) in plans.items() if sorts(plan) and not may} == {}

    # And it would be seen:
    slow = VirtualClass.objects.filter(summary="x").order_by("class_price").explain()
    assert (reads_all(slow), sorts(slow)) == (True, True)
