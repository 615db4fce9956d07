"""The channels of push messages."""

import uuid

from django.db import models
from django.utils import timezone


class WatchChannel(models.Model):
    """The row is stored before the channel is opened: a message may come before Google's answer.

    token_hash: the secret's SHA-256, hexadecimal. expires_at: empty until the answer.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    calendar_id = models.CharField("calendario", max_length=255)
    address = models.URLField("dirección", max_length=500)
    token_hash = models.CharField(max_length=64, editable=False)
    expires_at = models.DateTimeField("vence", null=True, blank=True)
    created_at = models.DateTimeField("abierto", default=timezone.now, editable=False)

    class Meta:
        verbose_name = "canal de avisos"
        verbose_name_plural = "canales de avisos"
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return str(self.pk)
