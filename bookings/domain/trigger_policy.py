"""Who may schedule a class through ``POST /api/calendar``."""

from enum import StrEnum

from django.conf import settings

from bookings.payments.backend import pays_online


class TriggerPolicy(StrEnum):
    """PAID: any caller, for a paid class. SECRET: callers with CALENDAR_TRIGGER_SECRET."""

    OPEN = "open"
    PAID = "paid"
    SECRET = "secret"  # noqa: S105 - the policy's name
    CLOSED = "closed"


def get_trigger_policy() -> TriggerPolicy:
    if settings.CALENDAR_TRIGGER_POLICY == "auto":
        return TriggerPolicy.PAID if pays_online() else TriggerPolicy.OPEN
    return TriggerPolicy(settings.CALENDAR_TRIGGER_POLICY)


def must_be_paid() -> bool:
    return get_trigger_policy() in {TriggerPolicy.PAID, TriggerPolicy.CLOSED}
