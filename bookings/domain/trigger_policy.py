"""Who may have a class scheduled through ``POST /api/calendar``: the setting, resolved."""

from enum import StrEnum

from django.conf import settings

from bookings.payments.backend import is_provider_configured


class TriggerPolicy(StrEnum):
    """OPEN: anybody, as the specification says. PAID: anybody, once the class is paid.

    SECRET: whoever knows CALENDAR_TRIGGER_SECRET. CLOSED: nobody.
    """

    OPEN = "open"
    PAID = "paid"
    SECRET = "secret"  # noqa: S105 - the policy's name
    CLOSED = "closed"


def get_trigger_policy() -> TriggerPolicy:
    """Give the policy in force: ``auto`` asks for payment as soon as one can be verified."""
    if settings.CALENDAR_TRIGGER_POLICY == "auto":
        return TriggerPolicy.PAID if is_provider_configured() else TriggerPolicy.OPEN
    return TriggerPolicy(settings.CALENDAR_TRIGGER_POLICY)


def must_be_paid() -> bool:
    """Whether no class is scheduled before it is paid, whoever asks."""
    return get_trigger_policy() in {TriggerPolicy.PAID, TriggerPolicy.CLOSED}
