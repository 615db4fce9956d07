"""Each field of a class is exported and erased, or has a reason not to be.

docs/contributing.md, "A new field", is the checklist that this keeps true.
"""

import json
import re

import pytest
from django.db import models

from bookings.domain.people.personal_data import erase_person, export_person
from bookings.models import ClassStatus, VirtualClass
from tests.factories import VirtualClassFactory

pytestmark = pytest.mark.django_db

FIELDS = {field.name for field in VirtualClass._meta.concrete_fields}
# The service's own work, which says nothing about a person.
WORK = {
    "calendar_drift",
    "event_update_requested_at",
    "event_withdrawals",
    "guests_changed_at",
    "has_preference",
    "ics_sequence",
    "next_scheduling_at",
    "owns_time",
    "price_decision",
    "scheduling_attempts",
    "scheduling_refusal",
    "scheduling_requested_at",
    "updated_at",
    "utc_offset",
    "withdrawal_requested_at",
}
NOT_EXPORTED = WORK | {
    "booked_by",  # the person; "bookedByYou" says so
    "current_participants",
    "host_type",
    "max_participants",
    "participants_ids",  # other people
    "provider_event_id",
    "summary",
}
# Texts that no person types.
NOT_TYPED = WORK | {
    "access_code",
    "class_type",
    "host_type",
    "html_link",
    "preference_id",
    "provider_event_id",
    "status",
    "summary",
}


def test_every_field_is_exported_or_has_a_reason_not_to_be(host):
    VirtualClassFactory(booked_by=host, scheduled=True)

    [exported] = json.loads(export_person(host))["classes"]

    names = {re.sub(r"(?=[A-Z])", "_", name).lower() for name in exported}
    assert FIELDS - names == NOT_EXPORTED


def test_every_text_that_a_person_types_is_erased(host):
    texts = models.CharField, models.TextField
    typed = {one.name for one in VirtualClass._meta.concrete_fields if isinstance(one, texts)}
    words = dict.fromkeys(VirtualClass.TYPED, "Rosario")
    given = VirtualClassFactory(booked_by=host, paid_at="2026-01-01T00:00Z", **words)
    VirtualClass.objects.filter(pk=given.pk).update(status=ClassStatus.COMPLETED)

    erase_person(user=host, by=host)

    assert typed - NOT_TYPED == set(VirtualClass.TYPED)
    left = VirtualClass.objects.values(*VirtualClass.TYPED).get(pk=given.pk)
    assert left == dict.fromkeys(VirtualClass.TYPED, "")
