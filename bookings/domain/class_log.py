"""The history of a class: one line for each thing that happens to it."""

from typing import Any

from accounts.models import User
from bookings.models import ClassEvent, ClassLog, ClassStatus, VirtualClass


def log_event(
    virtual_class: VirtualClass,
    event: ClassEvent,
    *,
    actor: User | None = None,
    from_status: ClassStatus | str = "",
    to_status: ClassStatus | str = "",
    reason: str = "",
    details: dict[str, Any] | None = None,
) -> None:
    """Add a line, in the transaction that makes it true. It costs one statement.

    actor: nobody when the service did it by itself. from_status, to_status: where the event changed
    the class's status. details: plain JSON; times as ISO 8601, a person as ``{"person": <id>}``.
    """
    ClassLog.objects.create(
        virtual_class=virtual_class,
        event=event,
        actor=actor,
        from_status=from_status,
        to_status=to_status,
        reason=reason,
        details=details or {},
    )
