"""Bank transfers that students announce and the teacher confirms."""

import re
import unicodedata
import uuid
from collections.abc import Collection

from django.db import models
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.models.constraints import known
from bookings.models.sales.open_class import Seat
from bookings.models.virtual_class import VirtualClass


class TransferState(models.TextChoices):
    """CONFIRMED: it paid for its class or seat. TO_RETURN: the teacher must send it back."""

    ANNOUNCED = "announced", _("Por confirmar")
    CONFIRMED = "confirmed", _("Confirmada")
    REFUSED = "refused", _("No llegó")
    TO_RETURN = "to_return", _("Para devolver")
    RETURNED = "returned", _("Devuelta")


def normalize_operation_number(typed: str) -> str | None:
    """Return the number in capitals, without separators; None if it is invalid."""
    number = re.sub(r"[\s./_-]", "", unicodedata.normalize("NFKC", typed)).upper()
    return number if re.fullmatch(r"[0-9A-Z]{4,40}", number) else None


class BankTransfer(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        User, on_delete=models.PROTECT, related_name="transfers", verbose_name="de quién"
    )
    virtual_class = models.ForeignKey(
        VirtualClass, on_delete=models.PROTECT, null=True, blank=True, related_name="transfers"
    )
    seat = models.ForeignKey(
        Seat, on_delete=models.PROTECT, null=True, blank=True, related_name="transfers"
    )
    amount = models.BigIntegerField("monto", help_text="En centavos.")
    operation_number = models.CharField("número de operación", max_length=40)
    state = models.CharField(
        "estado", max_length=20, choices=TransferState, default=TransferState.ANNOUNCED
    )
    announced_at = models.DateTimeField("avisada", default=timezone.now, editable=False)
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

    class Meta:
        verbose_name = "transferencia"
        verbose_name_plural = "transferencias"
        ordering = ["-announced_at", "-id"]
        indexes = [models.Index(fields=["operation_number"], name="transfer_by_number")]
        constraints = [
            known("state", TransferState, "known_transfer_state"),
            models.CheckConstraint(condition=Q(amount__gt=0), name="transfer_of_something"),
            models.CheckConstraint(
                condition=Q(virtual_class__isnull=True, seat__isnull=False)
                | Q(virtual_class__isnull=False, seat__isnull=True),
                name="transfer_for_class_or_seat",
            ),
            models.UniqueConstraint(
                fields=["virtual_class"],
                condition=~Q(state="refused"),
                name="one_transfer_per_class",
            ),
            models.UniqueConstraint(
                fields=["seat"], condition=~Q(state="refused"), name="one_transfer_per_seat"
            ),
        ]

    def __str__(self) -> str:
        return f"Transferencia N.º {self.operation_number}"

    @property
    def booked_class(self) -> VirtualClass:
        """The class that it pays, or the seat's class."""
        if self.virtual_class is not None:
            return self.virtual_class
        if self.seat is None:
            raise ValueError("The transfer is for nothing.")
        return self.seat.open_class.virtual_class

    @property
    def goes_back(self) -> bool:
        return self.state in {TransferState.TO_RETURN, TransferState.RETURNED}

    @property
    def amount_back(self) -> int:
        """The centavos that go back of a transfer ``with_rest``; else all of it."""
        return getattr(self, "rest", self.amount)

    @property
    def occasion(self) -> str:
        return self.pk.hex


def with_their_classes(transfers: QuerySet[BankTransfer]) -> QuerySet[BankTransfer]:
    return transfers.select_related(
        "user", "virtual_class__payment", "seat__payment", "seat__open_class__virtual_class"
    )


def find_same_numbers(transfers: Collection[BankTransfer]) -> dict[uuid.UUID, list[BankTransfer]]:
    """Return, by each transfer's key, the others with its operation number; in one query.

    Without those that the teacher refused for the same class or seat: the student tries again.
    """
    numbers = {one.operation_number for one in transfers}
    same = list(with_their_classes(BankTransfer.objects.filter(operation_number__in=numbers)))
    return {
        one.pk: [
            other
            for other in same
            if other.operation_number == one.operation_number
            and other.pk != one.pk
            and not (other.state == TransferState.REFUSED and _is_same_purchase(other, one))
        ]
        for one in transfers
    }


def _is_same_purchase(one: BankTransfer, other: BankTransfer) -> bool:
    return (one.user_id, one.virtual_class_id, one.seat_id) == (
        other.user_id,
        other.virtual_class_id,
        other.seat_id,
    )
