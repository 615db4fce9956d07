"""Open classes, and their places that are held until they are paid."""

import uuid
from datetime import datetime

from django.db.models import OuterRef
from django.utils import timezone

from bookings.domain.queries import get_class
from bookings.models import OpenClass, Purchase, PurchaseQuerySet, VirtualClass


def lock_open_class(class_id: uuid.UUID) -> VirtualClass:
    """Raises ClassNotFoundError."""
    classes = VirtualClass.objects.filter(open_class__isnull=False)
    return get_class(classes.select_for_update(of=("self",)), pk=class_id)


def list_held_places(open_class: VirtualClass | OuterRef, now: datetime) -> PurchaseQuerySet:
    class_id = open_class if isinstance(open_class, OuterRef) else open_class.pk
    return Purchase.objects.places().kept(now).filter(virtual_class=class_id)


def count_held_places(virtual_class: VirtualClass) -> int:
    return list_held_places(virtual_class, timezone.now()).count()


def sells_places(virtual_class: VirtualClass) -> bool:
    return OpenClass.objects.filter(pk=virtual_class.pk, place_price__gt=0).exists()
