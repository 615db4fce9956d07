"""``User.total_classes``: the number of completed activities."""

import uuid
from collections.abc import Iterable

from django.db.models import F
from django.db.models.functions import Greatest

from accounts.models import User


def add_to_total_classes(people: Iterable[uuid.UUID], count: int) -> None:
    """Call in the transaction that changes the activities."""
    # Locked by id, so that two classes with the same people do not deadlock; NO KEY, so that
    # inserting rows that refer to these people does not wait.
    in_order = User.objects.filter(pk__in=list(people)).order_by("pk")
    locked = in_order.select_for_update(no_key=True).values_list("pk", flat=True)
    total = Greatest(F("total_classes") + count, 0)
    User.objects.filter(pk__in=list(locked)).update(total_classes=total)
