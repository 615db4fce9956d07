"""What is stored about a calendar, and the channels of its push messages."""

import uuid

from django.db import models
from django.utils import timezone


class SyncState(models.Model):
    calendar_id = models.CharField("calendario", max_length=255, primary_key=True)
    # Changes with each write of ours and expires earlier lists (``generation.py``).
    generation = models.PositiveBigIntegerField(default=0, db_default=0, editable=False)

    class Meta:
        verbose_name = "seguimiento del calendario"
        verbose_name_plural = "seguimiento del calendario"

    def __str__(self) -> str:
        return self.calendar_id


class WatchChannel(models.Model):
    """A push channel; its row precedes it, as a message may come before the answer.

    resource_id: empty until then. token_hash: the secret's SHA-256, hexadecimal.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    calendar_id = models.CharField("calendario", max_length=255)
    address = models.URLField("dirección", max_length=500)
    resource_id = models.CharField(max_length=255, blank=True)
    token_hash = models.CharField(max_length=64, editable=False)
    expires_at = models.DateTimeField("vence", null=True, blank=True)
    last_message = models.PositiveBigIntegerField("último mensaje", default=0)
    notified_at = models.DateTimeField("último aviso", null=True, blank=True)
    created_at = models.DateTimeField("abierto", default=timezone.now, editable=False)

    class Meta:
        verbose_name = "canal de avisos"
        verbose_name_plural = "canales de avisos"
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return str(self.pk)
