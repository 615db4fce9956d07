"""The title of a class, and whether its link is late."""

from datetime import timedelta

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from bookings.models import ClassType, Hold, OpenClass, VirtualClass

# Without failures a link takes no longer; after that the page stops saying "a minute".
LINK_TAKES = timedelta(minutes=5)

TITLES = {
    ClassType.INDIVIDUAL: _("Clase individual"),
    ClassType.GROUP: _("Clase grupal"),
}


def title_of(chosen: VirtualClass | Hold) -> str | Promise:
    open_class: OpenClass | None = getattr(chosen, "open_class", None)
    if open_class is not None:
        return open_class.title
    return chosen.offer.name if chosen.offer else TITLES[ClassType(chosen.class_type)]


def is_link_late(virtual_class: VirtualClass) -> bool:
    """True if a paid class waits unusually long for its link."""
    requested_at = virtual_class.scheduling_requested_at
    return requested_at is None or requested_at + LINK_TAKES <= timezone.now()
