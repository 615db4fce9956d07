"""The class that a page is about."""

import uuid

from django.http import Http404

from accounts.models import User
from bookings.domain.exceptions import ClassNotFoundError
from bookings.domain.queries import get_class_of
from bookings.models import VirtualClass


def get_own_class(user: User, class_id: uuid.UUID) -> VirtualClass:
    """Find a class the person takes part in; to others it does not exist. Raises Http404."""
    try:
        return get_class_of(user, class_id)
    except ClassNotFoundError:
        raise Http404 from None
