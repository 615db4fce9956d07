"""models/availability.py: a request reads the booking rules once."""

import pytest
from django.db import transaction

from bookings.models import BookingRules, keep_rules
from tests.statements import statements

pytestmark = pytest.mark.django_db


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


def test_outside_of_a_block_each_read_is_fresh():
    with keep_rules():
        BookingRules.load()
    BookingRules.objects.update(hold_minutes=30)

    assert BookingRules.load().hold_minutes == 30


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
