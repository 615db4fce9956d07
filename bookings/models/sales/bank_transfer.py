"""Bank transfers that students announce and the teacher confirms."""

import re
import unicodedata
import uuid
from collections.abc import Collection

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.models.constraints import known
from bookings.models.sales.purchase import Purchase


class TransferState(models.TextChoices):
    """CONFIRMED: it came. A ``Refund`` says whether it goes back."""

    ANNOUNCED = "announced", _("Por confirmar")
    CONFIRMED = "confirmed", _("Confirmada")
    REFUSED = "refused", _("No llegó")


def normalize_operation_number(typed: str) -> str | None:
    """Return the number in capitals, without separators; None if it is invalid."""
    number = re.sub(r"[\s./_-]", "", unicodedata.normalize("NFKC", typed)).upper()
    return number if re.fullmatch(r"[0-9A-Z]{4,40}", number) else None


class BankTransferQuerySet(models.QuerySet["BankTransfer"]):
    def announced(self) -> "BankTransferQuerySet":
        """Match those that wait for the teacher."""
        return self.filter(state=TransferState.ANNOUNCED)

    def came(self) -> "BankTransferQuerySet":
        return self.filter(state=TransferState.CONFIRMED)

    def with_purchases(self) -> "BankTransferQuerySet":
        return self.select_related(
            "purchase__person", "purchase__payment", "purchase__virtual_class__open_class"
        )


class BankTransfer(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    purchase = models.ForeignKey(
        Purchase, on_delete=models.PROTECT, related_name="transfers", verbose_name="compra"
    )
    amount = models.BigIntegerField("monto", help_text="En centavos.")
    operation_number = models.CharField("número de operación", max_length=40)
    state = models.CharField(
        "estado", max_length=20, choices=TransferState, default=TransferState.ANNOUNCED
    )
    announced_at = models.DateTimeField("avisada", default=timezone.now, editable=False)
    # The name holds a slash, so `/foto/<slug>` never finds it.
    receipt = models.FileField(
        "comprobante", max_length=100, blank=True, default="", db_default="", editable=False
    )
    decided_at = models.DateTimeField("decidida", null=True, blank=True, editable=False)
    decided_by = models.ForeignKey(
        User,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name="quién",
        editable=False,
    )

    objects = BankTransferQuerySet.as_manager()

    class Meta:
        verbose_name = "transferencia"
        verbose_name_plural = "transferencias"
        ordering = ["-announced_at", "-id"]
        indexes = [models.Index(fields=["operation_number"], name="transfer_by_number")]
        constraints = [
            known("state", TransferState, "known_transfer_state"),
            models.CheckConstraint(condition=Q(amount__gt=0), name="transfer_of_something"),
            models.UniqueConstraint(
                fields=["purchase"],
                condition=~Q(state="refused"),
                name="one_transfer_per_purchase",
            ),
        ]

    def __str__(self) -> str:
        return f"Transferencia N.º {self.operation_number}"

    @property
    def occasion(self) -> str:
        return self.pk.hex


def find_same_numbers(transfers: Collection[BankTransfer]) -> dict[uuid.UUID, list[BankTransfer]]:
    """Return, by each transfer's key, the others with its operation number; in one query.

    Without those that the teacher refused for the same purchase: the student tries again.
    """
    numbers = {one.operation_number for one in transfers}
    same = list(BankTransfer.objects.with_purchases().filter(operation_number__in=numbers))
    return {
        one.pk: [
            other
            for other in same
            if other.operation_number == one.operation_number
            and other.pk != one.pk
            and not (other.state == TransferState.REFUSED and other.purchase_id == one.purchase_id)
        ]
        for one in transfers
    }
