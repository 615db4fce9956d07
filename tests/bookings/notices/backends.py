"""Mail servers in every mood, as Django's backends."""

import smtplib
import time

from django.core import mail
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


class CountingBackend(OutboxBackend):
    """Counts the conversations; breaks off the one that it is told to, and ends it rudely."""

    opened = 0
    breaks_off_at = 0

    def open(self):
        """Count."""
        type(self).opened += 1
        return True

    def send_messages(self, email_messages):
        """Keep the mail, or break off."""
        if len(mail.outbox) + 1 == self.breaks_off_at:
            type(self).breaks_off_at = 0
            raise smtplib.SMTPServerDisconnected("Connection unexpectedly closed")
        return super().send_messages(email_messages)

    def close(self):
        """Say goodbye badly."""
        raise smtplib.SMTPServerDisconnected("please run connect() first")


DOWN, SLOW, DYING, COUNTING = (
    f"{__name__}.{one.__name__}"
    for one in (DownBackend, SlowBackend, DyingBackend, CountingBackend)
)
