"""Queries about the waiting list."""

import uuid
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypedDict

from django.db.models import Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django_stubs_ext import WithAnnotations

from accounts.models import User, UserStatus
from bookings.domain.places.access_codes import normalize_access_code
from bookings.domain.places.place_offers import takes_waiting
from bookings.models import (
    ClassStatus,
    OpenClass,
    Purchase,
    UserActivity,
    VirtualClass,
    WaitingListEntry,
    WaitingState,
)

# An offered place that was not paid is not offered to the same person again for so long.
PAUSE = timedelta(days=1)


class _Standing(TypedDict):
    ahead: int
    is_in_class: bool
    is_place_kept: bool


if TYPE_CHECKING:
    StandingEntry = WithAnnotations[WaitingListEntry, _Standing]
else:
    StandingEntry = WaitingListEntry


def get_entry_of(user: User, entry_id: uuid.UUID) -> "StandingEntry | None":
    return _with_standing(WaitingListEntry.objects.filter(pk=entry_id, user=user)).first()


def list_lines_of(user: User) -> "QuerySet[StandingEntry]":
    """List open and expired entries of classes ahead, the nearest first."""
    entries = WaitingListEntry.objects.filter(
        user=user,
        state__in=[WaitingState.WAITING, WaitingState.OFFERED, WaitingState.EXPIRED],
        virtual_class__status=ClassStatus.SCHEDULED,
        virtual_class__end_time__gt=timezone.now(),
    )
    ahead = _with_standing(entries).filter(is_in_class=False)
    return ahead.order_by("virtual_class__start_time", "virtual_class")


def find_pause_end(entry: WaitingListEntry, now: datetime) -> datetime | None:
    """Return when the person of an entry may wait again, after an offered place that was not paid.

    None if that is now; only open classes have such pauses.
    """
    ended_at = entry.offer_expires_at
    if ended_at is None or entry.is_live(now) or ended_at + PAUSE <= now:
        return None
    if not OpenClass.objects.filter(pk=entry.virtual_class_id).exists():
        return None
    places = (
        Purchase.objects.places()
        .paid()
        .filter(virtual_class=entry.virtual_class_id, person=entry.user_id)
    )
    is_paid = places.filter(created_at__gte=entry.offered_at).exists()
    return None if is_paid else ended_at + PAUSE


def count_waiting(virtual_class: VirtualClass) -> int:
    """Count the active people in line; 0 once the list is closed."""
    now = timezone.now()
    if not takes_waiting(virtual_class, now):
        return 0
    is_in_line = Q(state=WaitingState.WAITING) | Q(
        state=WaitingState.OFFERED, offer_expires_at__gt=now
    )
    line = virtual_class.waiting_list.filter(is_in_line, user__status=UserStatus.ACTIVE)
    parts = virtual_class.activities.values("user")
    return line.exclude(user__in=parts).count()


def list_open_offers(now: datetime) -> QuerySet[WaitingListEntry]:
    return WaitingListEntry.objects.filter(
        state=WaitingState.OFFERED,
        offer_expires_at__gt=now,
        virtual_class__status=ClassStatus.SCHEDULED,
    )


def find_class_to_wait_for(access_code: str) -> VirtualClass | None:
    code = normalize_access_code(access_code)
    virtual_class = VirtualClass.objects.filter(access_code=code).first() if code else None
    if virtual_class is None or not takes_waiting(virtual_class, timezone.now()):
        return None
    return virtual_class


def _with_standing(entries: QuerySet[WaitingListEntry]) -> "QuerySet[StandingEntry]":
    line = WaitingListEntry.objects.filter(virtual_class=OuterRef("virtual_class"))
    before = line.filter(
        state=WaitingState.WAITING,
        user__status=UserStatus.ACTIVE,
        created_at__lt=OuterRef("created_at"),
    )
    offers = line.filter(state=WaitingState.OFFERED, offer_expires_at__gt=timezone.now())
    parts = UserActivity.objects.filter(
        virtual_class=OuterRef("virtual_class"), user=OuterRef("user")
    )
    people = before.order_by().values("virtual_class").annotate(people=Count("pk"))
    return entries.select_related(
        "virtual_class__booked_by", "virtual_class__offer", "virtual_class__open_class"
    ).annotate(
        ahead=Coalesce(Subquery(people.values("people")), 0, output_field=IntegerField()),
        is_in_class=Exists(parts),
        is_place_kept=Exists(offers.exclude(user=OuterRef("user"))),
    )
