"""The ledger: money that moved for a sale. Amounts are centavos."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from bookings.models.constraints import known
from bookings.models.sales.bank_transfer import BankTransfer
from bookings.models.sales.payment import PaymentCharge
from bookings.models.sales.purchase import MoneyWay, Purchase


class EntryKind(models.TextChoices):
    PAYMENT = "payment", "Pago"
    REFUND = "refund", "Devolución"
    CHARGEBACK = "chargeback", "Contracargo"


class Entry(models.Model):
    """One line of the ledger: money that moved. The database refuses to change or delete it."""

    purchase = models.ForeignKey(
        Purchase, on_delete=models.PROTECT, related_name="entries", verbose_name="compra"
    )
    kind = models.CharField("qué", max_length=10, choices=EntryKind)
    way = models.CharField("cómo", max_length=10, choices=MoneyWay)
    # Above zero if the money reached the teacher, below if it left her.
    amount = models.BigIntegerField("monto", help_text="En centavos.")
    # It came when the purchase was already paid.
    is_second = models.BooleanField("segundo pago", default=False)
    # When the money moved, and when the service learnt it.
    at = models.DateTimeField("fecha")
    written_at = models.DateTimeField("anotado", default=timezone.now)
    # What moved the money, so that nothing is written twice.
    source = models.CharField("origen", max_length=80)
    charge = models.ForeignKey(
        PaymentCharge, on_delete=models.PROTECT, null=True, blank=True, related_name="entries"
    )
    transfer = models.ForeignKey(
        BankTransfer, on_delete=models.PROTECT, null=True, blank=True, related_name="entries"
    )
    # Who said so, of money that no provider reports.
    by = models.ForeignKey(
        User,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name="quién",
    )

    class Meta:
        verbose_name = "movimiento"
        verbose_name_plural = "movimientos"
        ordering = ["at", "id"]
        indexes = [models.Index(fields=["at"], name="entry_by_moment")]
        constraints = [
            known("kind", EntryKind, "known_entry_kind"),
            known("way", MoneyWay, "known_entry_way"),
            models.UniqueConstraint(fields=["source"], name="one_entry_per_source"),
            models.CheckConstraint(
                # A won dispute brings a chargeback's money back.
                condition=Q(kind=EntryKind.PAYMENT, amount__gt=0)
                | Q(kind=EntryKind.REFUND, amount__lt=0)
                | Q(kind=EntryKind.CHARGEBACK) & ~Q(amount=0),
                name="entry_moves_money",
            ),
            models.CheckConstraint(
                condition=Q(way=MoneyWay.ONLINE, charge__isnull=False, transfer=None)
                | Q(way=MoneyWay.TRANSFER, charge=None, transfer__isnull=False)
                | Q(way=MoneyWay.CASH, charge=None, transfer=None),
                name="entry_has_its_source",
            ),
            models.CheckConstraint(
                condition=Q(is_second=False) | Q(kind=EntryKind.PAYMENT),
                name="only_a_payment_is_second",
            ),
        ]

    def __str__(self) -> str:
        return self.source
