"""Open classes, and their seats that are held during payment."""

import uuid
from datetime import datetime

from django.db.models import OuterRef, QuerySet
from django.utils import timezone

from bookings.domain.queries import get_class
from bookings.models import OpenClass, Seat, SeatState, VirtualClass


def lock_open_class(class_id: uuid.UUID) -> VirtualClass:
    """Raises ClassNotFoundError."""
    classes = VirtualClass.objects.filter(open_class__isnull=False)
    return get_class(classes.select_for_update(of=("self",)), pk=class_id)


def list_held_seats(open_class: VirtualClass | OuterRef, now: datetime) -> QuerySet[Seat]:
    class_id = open_class if isinstance(open_class, OuterRef) else open_class.pk
    return Seat.objects.filter(open_class=class_id, state=SeatState.HELD, expires_at__gt=now)


def count_held_seats(virtual_class: VirtualClass) -> int:
    return list_held_seats(virtual_class, timezone.now()).count()


def sells_seats(virtual_class: VirtualClass) -> bool:
    return OpenClass.objects.filter(pk=virtual_class.pk, place_price__gt=0).exists()
