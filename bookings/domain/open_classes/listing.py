"""The published classes, and how many places are left."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django_stubs_ext import WithAnnotations

from bookings.domain.places.held_places import list_held_places
from bookings.models import ClassStatus, OpenClass, WaitingListEntry, WaitingState


class _Kept(TypedDict):
    held: int
    offered: int


if TYPE_CHECKING:
    CountedClass = WithAnnotations[OpenClass, _Kept]
else:
    CountedClass = OpenClass


def list_open_classes() -> "QuerySet[CountedClass]":
    """List the classes ahead, nearest first, in one query."""
    now = timezone.now()
    ahead = with_counts(now).filter(
        is_listed=True,
        virtual_class__status=ClassStatus.SCHEDULED,
        virtual_class__start_time__gt=now,
    )
    return ahead.order_by("virtual_class__start_time", "pk")


def with_counts(now: datetime) -> "QuerySet[CountedClass]":
    held = list_held_places(OuterRef("pk"), now)
    offers = WaitingListEntry.objects.filter(
        virtual_class=OuterRef("pk"), state=WaitingState.OFFERED, offer_expires_at__gt=now
    )
    return OpenClass.objects.select_related("virtual_class__booked_by").annotate(
        held=_count(held, "virtual_class"), offered=_count(offers, "virtual_class")
    )


def count_left(open_class: "CountedClass") -> int:
    return max(open_class.virtual_class.free_places - open_class.held - open_class.offered, 0)


def _count(rows: QuerySet[Any], group: str) -> Coalesce:
    counts = rows.order_by().values(group).annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counts), 0, output_field=IntegerField())
