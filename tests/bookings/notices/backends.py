"""Mail servers that fail, as Django's backends."""

import smtplib
import time

from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.backends.locmem import EmailBackend as OutboxBackend


class DownBackend(BaseEmailBackend):
    """Refuses each mail, with the address and password in its error."""

    def send_messages(self, email_messages):
        [mail] = email_messages
        raise smtplib.SMTPAuthenticationError(535, f"{mail.to[0]} and hunter2 do not match")


class SlowBackend(OutboxBackend):
    """Is slow, so that several workers send at once."""

    def send_messages(self, email_messages):
        time.sleep(0.05)
        return super().send_messages(email_messages)


class DyingBackend(OutboxBackend):
    """Kills the worker after the mail has left."""

    def send_messages(self, email_messages):
        """Keep the mail, and raise past every ``except Exception``."""
        super().send_messages(email_messages)
        raise SystemExit


class CountingBackend(OutboxBackend):
    """Counts connections; breaks one, and fails to close it."""

    opened = 0
    breaks_off_at = 0
    is_open = False

    def open(self):
        if self.is_open:
            return False
        self.is_open = True
        type(self).opened += 1
        return True

    def send_messages(self, email_messages):
        if len(mail.outbox) + 1 == self.breaks_off_at:
            type(self).breaks_off_at = 0
            raise smtplib.SMTPServerDisconnected("Connection unexpectedly closed")
        return super().send_messages(email_messages)

    def close(self):
        if not self.is_open:
            return
        self.is_open = False
        raise smtplib.SMTPServerDisconnected("please run connect() first")


DOWN, SLOW, DYING, COUNTING = (
    f"{__name__}.{one.__name__}"
    for one in (DownBackend, SlowBackend, DyingBackend, CountingBackend)
)
