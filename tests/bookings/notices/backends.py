"""Mail servers in every mood, as Django's backends."""

import smtplib
import time

from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.backends.locmem import EmailBackend as OutboxBackend


class DownBackend(BaseEmailBackend):
    """Refuses everything, and repeats the address and the password while it does."""

    def send_messages(self, email_messages):
        """Say no."""
        [mail] = email_messages
        raise smtplib.SMTPAuthenticationError(535, f"{mail.to[0]} and hunter2 do not match")


class SlowBackend(OutboxBackend):
    """Takes its time, so that several workers are at it together."""

    def send_messages(self, email_messages):
        """Wait, then keep the mail."""
        time.sleep(0.05)
        return super().send_messages(email_messages)


class DyingBackend(OutboxBackend):
    """Sends, and takes its worker along before the outcome is written."""

    def send_messages(self, email_messages):
        """Keep the mail and end as a killed process does: past every ``except Exception``."""
        super().send_messages(email_messages)
        raise SystemExit


DOWN, SLOW, DYING = (
    f"{__name__}.{one.__name__}" for one in (DownBackend, SlowBackend, DyingBackend)
)
