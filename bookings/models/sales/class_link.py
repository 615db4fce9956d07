"""Links with which students pay and claim classes that the teacher booked."""

import uuid

from django.core.signing import BadSignature, Signer
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.crypto import get_random_string

from accounts.models import User
from bookings.models.virtual_class import VirtualClass

KEY_LENGTH = 24
# Hexadecimal digits of a UUID.
ID_LENGTH = 32


def generate_link_key() -> str:
    """About 140 random bits."""
    return get_random_string(KEY_LENGTH)


class ClassLink(models.Model):
    """The signed address names ``key``, so a new key ends the old link."""

    virtual_class = models.OneToOneField(
        VirtualClass, on_delete=models.CASCADE, primary_key=True, related_name="link"
    )
    key = models.CharField(max_length=KEY_LENGTH, default=generate_link_key, editable=False)
    # The student of the teacher's booking. Stays after a claim, until it can no longer be undone.
    made_for = models.ForeignKey(
        User,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name="para quién",
    )
    claimed_by = models.ForeignKey(
        User,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="claimed_links",
        verbose_name="quién la tomó",
    )
    claimed_at = models.DateTimeField("tomada", null=True, blank=True, editable=False)
    created_at = models.DateTimeField("creado", default=timezone.now, editable=False)

    class Meta:
        verbose_name = "enlace de una clase"
        verbose_name_plural = "enlaces de clases"

    def __str__(self) -> str:
        return f"Enlace de la {str(self.virtual_class).lower()}"

    @property
    def token(self) -> str:
        """The end of the address: class, key and signature."""
        return _signer().sign(f"{self.pk.hex}{self.key}")

    @property
    def is_undecided(self) -> bool:
        """True if the teacher has not said whether the right account claimed the class."""
        return None not in {self.claimed_by_id, self.made_for_id} and not self.is_confirmed

    @property
    def is_confirmed(self) -> bool:
        return self.claimed_by_id == self.made_for_id

    def renew(self) -> None:
        """Set another key; the caller saves."""
        self.key = generate_link_key()
        # Messengers may not count a final dash as part of the address.
        while not self.token[-1].isalnum():
            self.key = generate_link_key()


# The condition of ``is_undecided``.
UNDECIDED = Q(claimed_by__isnull=False, made_for__isnull=False) & ~Q(claimed_by=F("made_for"))


def make_link(virtual_class: VirtualClass) -> ClassLink:
    link = ClassLink(virtual_class=virtual_class, made_for=virtual_class.booked_by)
    link.renew()
    link.save(force_insert=True)
    return link


def read_link_token(token: str) -> tuple[uuid.UUID, str] | None:
    """Return the class and key of a token; None unless this service signed it."""
    try:
        value = _signer().unsign(token)
        return uuid.UUID(value[:ID_LENGTH]), value[ID_LENGTH:]
    except (BadSignature, ValueError):
        return None


def _signer() -> Signer:
    return Signer(salt="bookings.ClassLink", sep=".")
