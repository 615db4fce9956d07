"""bookings/migrations: what changes rows changes the right ones, and back."""

from importlib import import_module

import pytest
from django.apps import apps
from django.utils import timezone

from bookings.models import Notice, NoticeKind, Payment, ReviewReason
from tests.factories import VirtualClassFactory

naming = import_module("bookings.migrations.0017_own_names_for_mails_and_reviews")


@pytest.fixture
def borrowed(host, teacher):
    """What an earlier version stored: mails to people in line and in the class, and of a grant."""
    virtual_class = VirtualClassFactory(booked_by=host)
    moved = {"virtual_class": virtual_class, "kind": NoticeKind.RESCHEDULED}
    revoked = {"user": teacher, "kind": NoticeKind.GRANT_REVOKED}
    Notice.objects.create(**moved, user=host, occasion="1")
    Notice.objects.create(**moved, user=teacher, occasion="line 1")
    Notice.objects.create(**moved, user=teacher, occasion="line 12")
    Notice.objects.create(**revoked, occasion="2026-11-20T12:00:00+00:00")
    Notice.objects.create(**revoked, occasion="service-account 2026-11-20T12:00:00+00:00")


def named():
    return sorted(Notice.objects.values_list("kind", "occasion"))


@pytest.mark.usefixtures("borrowed")
def test_mails_that_borrowed_a_kind_get_their_own():
    before = named()

    naming.give_names(apps, None)

    assert named() == [
        ("account_refused", "2026-11-20T12:00:00+00:00"),
        ("grant_revoked", "2026-11-20T12:00:00+00:00"),
        ("rescheduled", "1"),
        ("waiting_class_moved", "1"),
        ("waiting_class_moved", "12"),
    ]
    naming.borrow_names(apps, None)
    assert named() == before


def test_money_above_the_price_is_not_called_too_little(host):
    for approved_at in (None, timezone.now()):
        Payment.objects.create(
            user=host, amount=1, review=ReviewReason.SHORT, approved_at=approved_at
        )

    naming.give_names(apps, None)

    reviews = Payment.objects.order_by("created_at").values_list("review", flat=True)
    assert list(reviews) == ["short", "overpaid"]
    naming.borrow_names(apps, None)
    assert set(reviews.all()) == {"short"}
