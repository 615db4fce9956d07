"""A sale, and the ledger of the money that moved for it. Amounts are centavos."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from bookings.models.constraints import known
from bookings.models.payment import PaymentCharge
from bookings.models.sales.bank_transfer import BankTransfer
from bookings.models.virtual_class import VirtualClass


class PurchaseKind(models.TextChoices):
    CLASS = "class", "Clase"
    PLACE = "place", "Lugar"


class Purchase(models.Model):
    """What one person buys: a class, or a place in an open class.

    A place's purchase has the key of its seat. One that was paid before it was booked has the key
    of its payment.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    person = models.ForeignKey(
        User, on_delete=models.PROTECT, related_name="purchases", verbose_name="de quién"
    )
    kind = models.CharField("qué", max_length=10, choices=PurchaseKind)
    # The class, or the class of the place. Empty while a preference is not booked.
    virtual_class = models.ForeignKey(
        VirtualClass,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="purchases",
        verbose_name="clase",
    )
    created_at = models.DateTimeField("creada", default=timezone.now, editable=False)

    class Meta:
        verbose_name = "compra"
        verbose_name_plural = "compras"
        ordering = ["-created_at", "-id"]
        constraints = [
            known("kind", PurchaseKind, "known_purchase_kind"),
            models.UniqueConstraint(
                fields=["virtual_class"],
                condition=Q(kind=PurchaseKind.CLASS),
                name="one_purchase_per_class",
            ),
            models.CheckConstraint(
                condition=~Q(kind=PurchaseKind.PLACE) | Q(virtual_class__isnull=False),
                name="place_has_a_class",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} de {self.person}"


class EntryKind(models.TextChoices):
    PAYMENT = "payment", "Pago"
    REFUND = "refund", "Devolución"
    CHARGEBACK = "chargeback", "Contracargo"


class EntryWay(models.TextChoices):
    ONLINE = "online", "Mercado Pago"
    TRANSFER = "transfer", "Transferencia"
    CASH = "cash", "A mano"


class Entry(models.Model):
    """One line of the ledger: money that moved. The database refuses to change or delete it."""

    purchase = models.ForeignKey(
        Purchase, on_delete=models.PROTECT, related_name="entries", verbose_name="compra"
    )
    kind = models.CharField("qué", max_length=10, choices=EntryKind)
    way = models.CharField("cómo", max_length=10, choices=EntryWay)
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
            known("way", EntryWay, "known_entry_way"),
            models.UniqueConstraint(fields=["source"], name="one_entry_per_source"),
            models.CheckConstraint(
                # A won dispute brings a chargeback's money back.
                condition=Q(kind=EntryKind.PAYMENT, amount__gt=0)
                | Q(kind=EntryKind.REFUND, amount__lt=0)
                | Q(kind=EntryKind.CHARGEBACK) & ~Q(amount=0),
                name="entry_moves_money",
            ),
            models.CheckConstraint(
                condition=Q(way=EntryWay.ONLINE, charge__isnull=False, transfer=None)
                | Q(way=EntryWay.TRANSFER, charge=None, transfer__isnull=False)
                | Q(way=EntryWay.CASH, charge=None, transfer=None),
                name="entry_has_its_source",
            ),
            models.CheckConstraint(
                condition=Q(is_second=False) | Q(kind=EntryKind.PAYMENT),
                name="only_a_payment_is_second",
            ),
        ]

    def __str__(self) -> str:
        return self.source
