"""A sale: what one person buys, and the ledger of its money. Amounts are centavos."""

import uuid
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.models.change_terms import RefundReason
from bookings.models.constraints import known
from bookings.models.sales.discount_code import DiscountCode
from bookings.models.virtual_class import ClassStatus, VirtualClass

if TYPE_CHECKING:
    from bookings.models.sales.payment import Payment


class PurchaseKind(models.TextChoices):
    CLASS = "class", "Clase"
    PLACE = "place", "Lugar"


class PurchaseState(models.TextChoices):
    """What the person may claim; what money moved is in the ledger."""

    KEPT = "kept", _("Por pagar")
    # No longer kept. Money that still comes pays it if the time or place is free.
    LAPSED = "lapsed", _("Vencida")
    PAID = "paid", _("Pagada")
    # No claim any more: money that still comes goes back.
    ENDED = "ended", _("Terminada")
    # It was paid and could not be given.
    LOST = "lost", _("Perdida")


UNPAID_STATES = (PurchaseState.KEPT, PurchaseState.LAPSED)
GIVEN_UP = (PurchaseState.ENDED, PurchaseState.LOST)
# Of the charges of a pending payment, which was approved too little if one was approved.
UNDERWAY = ("pending", "approved", "disputed")


class MoneyWay(models.TextChoices):
    """How money moves."""

    ONLINE = "online", "Mercado Pago"
    TRANSFER = "transfer", "Transferencia"
    CASH = "cash", "A mano"


class PurchaseQuerySet(models.QuerySet["Purchase"]):
    def classes(self) -> "PurchaseQuerySet":
        return self.filter(kind=PurchaseKind.CLASS)

    def places(self) -> "PurchaseQuerySet":
        return self.filter(kind=PurchaseKind.PLACE)

    def paid(self) -> "PurchaseQuerySet":
        """Match what was ever paid, or is free and given."""
        return self.filter(paid_at__isnull=False)

    def kept(self, now: datetime) -> "PurchaseQuerySet":
        """Match what is unpaid and kept until a moment ahead (``Purchase.is_kept``)."""
        return self.filter(state=PurchaseState.KEPT, kept_until__gt=now)

    def awaited(self) -> "PurchaseQuerySet":
        """Match unpaid purchases with money on its way: announced, or under way at the provider."""
        return self.filter(_has_money_underway(), state__in=UNPAID_STATES)

    def lapsed(self, now: datetime) -> "PurchaseQuerySet":
        """Match unpaid purchases that are neither kept nor awaited (``Purchase.has_lapsed``)."""
        over = Q(state=PurchaseState.KEPT, kept_until__lte=now)
        # A class that is in the calendar, or on its way there, does not lapse.
        given = Q(kind=PurchaseKind.CLASS, virtual_class__isnull=False) & (
            ~Q(virtual_class__status=ClassStatus.PENDING)
            | Q(virtual_class__scheduling_requested_at__isnull=False)
        )
        is_over = Q(state=PurchaseState.LAPSED) | over & ~given
        return self.filter(is_over & ~_has_money_underway())


def _has_money_underway() -> Q:
    same = Purchase.objects.filter(pk=OuterRef("pk"))
    announced = same.filter(transfers__state="announced")
    underway = same.filter(payment__status="pending", payment__charges__status__in=UNDERWAY)
    return Q(Exists(announced) | Exists(underway))


class Purchase(models.Model):
    """A class, or a place in an open class. Who changes one has locked its class, or itself while
    it has none (domain/money/purchases.py).
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
    # What must come in; the discount is already off.
    price = models.BigIntegerField("precio", default=0, help_text="En centavos.")
    discount = models.BigIntegerField("descuento", default=0, help_text="En centavos.")
    # The record of what gave the discount, as it was then: ``name`` for people, the rest for
    # webhooks. Pages, mails and exports read this field, not the code.
    discount_terms = models.JSONField("por qué el descuento", null=True, blank=True, editable=False)
    discount_code = models.ForeignKey(
        DiscountCode,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="purchases",
    )
    state = models.CharField(
        "estado", max_length=10, choices=PurchaseState, default=PurchaseState.KEPT
    )
    # Empty if nothing ends it: a program's booking with a preference of another system.
    kept_until = models.DateTimeField("se guarda hasta", null=True, blank=True)
    # A bank transfer takes longer than a checkout (domain/sales/holds.py). Empty for
    # what is paid to the teacher, and for the bookings of programs.
    kept_for = models.CharField("para pagar por", max_length=10, choices=MoneyWay, blank=True)
    # The teacher booked it for the person: it counts towards no limit.
    by_teacher = models.BooleanField("reservada desde el panel", default=False)
    # Set once, when it is paid, or given for nothing.
    paid_at = models.DateTimeField("pagada", null=True, blank=True)
    # Decided once, when a paid one ends: why money goes back, and the centavos kept. The kept sum,
    # not the returned one, so that refunds by hand count towards the latter.
    refund_reason = models.CharField(
        "motivo de la devolución", max_length=20, choices=RefundReason, blank=True
    )
    amount_kept = models.BigIntegerField("no se devuelve", null=True, blank=True)
    created_at = models.DateTimeField("creada", default=timezone.now, editable=False)
    updated_at = models.DateTimeField("modificada", auto_now=True)

    objects = PurchaseQuerySet.as_manager()

    class Meta:
        verbose_name = "compra"
        verbose_name_plural = "compras"
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(
                fields=["kept_until"], condition=Q(state="kept"), name="purchase_kept_until"
            ),
        ]
        constraints = [
            known("kind", PurchaseKind, "known_purchase_kind"),
            known("state", PurchaseState, "known_purchase_state"),
            models.CheckConstraint(
                condition=Q(kept_for__in=["", *MoneyWay.values]), name="known_kept_for"
            ),
            models.UniqueConstraint(
                fields=["virtual_class"],
                condition=Q(kind=PurchaseKind.CLASS),
                name="one_purchase_per_class",
            ),
            models.UniqueConstraint(
                fields=["virtual_class", "person"],
                condition=Q(kind=PurchaseKind.PLACE, state__in=["kept", "paid"]),
                name="one_live_place_per_person",
            ),
            models.CheckConstraint(
                condition=~Q(kind=PurchaseKind.PLACE) | Q(virtual_class__isnull=False),
                name="place_has_a_class",
            ),
            models.CheckConstraint(
                condition=Q(price__gte=0, discount__gte=0), name="purchase_price_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["kept", "lapsed"], paid_at=None)
                | Q(state="paid", paid_at__isnull=False)
                | Q(state__in=["ended", "lost"]),
                name="paid_purchase_has_its_moment",
            ),
            models.CheckConstraint(
                condition=Q(refund_reason="", amount_kept=None)
                | Q(refund_reason__in=RefundReason.values, amount_kept__gte=0),
                name="known_refund_decision_of_purchase",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} de {self.person}"

    @property
    def list_price(self) -> int:
        return self.price + self.discount

    @property
    def discount_name(self) -> str:
        return str(self.discount_terms["name"]) if self.discount_terms else ""

    @property
    def is_free(self) -> bool:
        return self.price == 0

    @property
    def is_place(self) -> bool:
        return self.kind == PurchaseKind.PLACE

    @property
    def is_paid(self) -> bool:
        return self.paid_at is not None

    @property
    def is_unpaid(self) -> bool:
        """True while it may still be paid."""
        return self.state in UNPAID_STATES

    @property
    def is_let_go(self) -> bool:
        """True if another took its time, or its person released the place, before it was paid."""
        return self.state == PurchaseState.LAPSED

    @property
    def is_given_up(self) -> bool:
        return self.state in GIVEN_UP

    @property
    def booked_class(self) -> VirtualClass:
        """Raises ValueError for a preference that is not booked."""
        if self.virtual_class is None:
            raise ValueError("The purchase is not booked.")
        return self.virtual_class

    @property
    def missing(self) -> int:
        """The centavos of the price that did not come, went back, or are promised back."""
        # Money with another's reference waits for the teacher (``ReviewReason.REFERENCE``), and
        # counts neither when it comes nor when it goes.
        entries, refunds = self.entries.all(), self.refunds.all()
        came = sum(one.amount for one in entries if not (one.charge and one.charge.problem))
        for refund in refunds:
            if not (refund.charge and refund.charge.problem):
                came -= refund.amount if refund.is_open else 0
            elif refund.is_by_hand and refund.done_at:  # its entry names no charge
                came += refund.amount
        return max(self.price - came, 0)

    @property
    def owed_by_hand(self) -> int:
        """The centavos that the teacher promised to return herself, and did not yet."""
        refunds = self.refunds.all()  # may be prefetched
        return sum(one.amount for one in refunds if one.is_by_hand and one.is_open)

    @property
    def was_paid(self) -> bool:
        """True if money paid it, or came for a place that is not given yet."""
        payment = self.find_payment()
        is_approved = payment is not None and payment.approved_at is not None
        return is_approved or (self.is_paid and not self.is_free)

    def find_payment(self) -> "Payment | None":
        """Return its checkout at the payment provider."""
        payment: Payment | None = getattr(self, "payment", None)
        return payment

    def is_kept(self, now: datetime | None = None) -> bool:
        until = self.kept_until
        return (
            self.state == PurchaseState.KEPT
            and until is not None
            and until > (now or timezone.now())
        )

    def is_awaited(self) -> bool:
        """``PurchaseQuerySet.awaited`` for one row; its transfers and charges may be prefetched."""
        if not self.is_unpaid:
            return False
        if any(one.state == "announced" for one in self.transfers.all()):
            return True
        payment = self.find_payment()
        if payment is None or payment.status != "pending":
            return False
        return any(one.status in UNDERWAY for one in payment.charges.all())

    def has_lapsed(self, now: datetime | None = None) -> bool:
        """``PurchaseQuerySet.lapsed`` for one row."""
        until = self.kept_until
        if self.state != PurchaseState.LAPSED:
            is_kept = until is None or until > (now or timezone.now()) or self._is_given
            if self.state != PurchaseState.KEPT or is_kept:
                return False
        return not self.is_awaited()

    @property
    def _is_given(self) -> bool:
        booked = self.virtual_class
        if self.is_place or booked is None:
            return False
        return booked.status != ClassStatus.PENDING or booked.scheduling_requested_at is not None


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
        "bookings.PaymentCharge",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="entries",
    )
    transfer = models.ForeignKey(
        "bookings.BankTransfer",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="entries",
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
