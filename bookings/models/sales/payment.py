"""Payments, their charges and refunds, and the provider's notifications. Amounts are centavos."""

import uuid
from collections.abc import Iterable
from datetime import datetime

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from accounts.models import User
from bookings.models.change_terms import RefundReason
from bookings.models.constraints import known, waiting
from bookings.models.sales.purchase import MoneyWay, Purchase


class PaymentStatus(models.TextChoices):
    """Once approved, a payment never returns to an earlier state."""

    CREATED = "created", "Iniciado"
    PENDING = "pending", "Esperando el pago"
    REJECTED = "rejected", "Rechazado"
    EXPIRED = "expired", "Vencido"
    APPROVED = "approved", "Aprobado"
    PARTIALLY_REFUNDED = "partially_refunded", "Devuelto en parte"
    REFUNDED = "refunded", "Devuelto"
    DISPUTED = "disputed", "En disputa"
    CHARGED_BACK = "charged_back", "Contracargo"


# None of the money is left.
MONEY_GONE = (PaymentStatus.REFUNDED, PaymentStatus.CHARGED_BACK)


class ReviewReason(models.TextChoices):
    NONE = "", "—"
    SHORT = "short", "Pagaron de menos"
    OVERPAID = "overpaid", "Pagaron de más"
    CURRENCY = "currency", "Otra moneda"
    ACCOUNT = "account", "Otra cuenta cobradora"
    REFERENCE = "reference", "Otra referencia"
    REFUND_FAILED = "refund_failed", "No se pudo devolver"
    DISPUTE = "dispute", "Disputa o contracargo"
    REFUNDED_ELSEWHERE = "refunded_elsewhere", "Devuelto fuera del sistema"
    PAID_TWICE = "paid_twice", "Pagado también por fuera"


class Payment(models.Model):
    """The checkout of a purchase, and what the provider last said of it.

    A booking with the preference of a class must match its ``quote``.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    purchase = models.OneToOneField(
        Purchase, on_delete=models.PROTECT, related_name="payment", verbose_name="compra"
    )
    provider = models.CharField("proveedor", max_length=20, editable=False)
    preference_id = models.CharField(  # noqa: DJ001 - unique where present, so absence is NULL
        "preferencia", max_length=255, null=True, blank=True
    )
    checkout_url = models.URLField("dónde se paga", max_length=500, blank=True)
    amount = models.BigIntegerField("monto", help_text="En centavos.")
    currency = models.CharField("moneda", max_length=3, default="ARS")
    quote = models.JSONField("cotización", default=dict, editable=False)
    # Made by a JS client's own server: it has neither our quote nor our reference.
    made_elsewhere = models.BooleanField("hecho por otro sistema", default=False, editable=False)
    status = models.CharField(
        "estado", max_length=20, choices=PaymentStatus, default=PaymentStatus.CREATED
    )
    review = models.CharField("a revisar", max_length=20, choices=ReviewReason, blank=True)
    reviewed_by = models.ForeignKey(
        User,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        verbose_name="quién lo revisó",
    )
    reviewed_at = models.DateTimeField("revisado", null=True, blank=True, editable=False)
    expires_at = models.DateTimeField("vence", null=True, blank=True)
    approved_at = models.DateTimeField("aprobado", null=True, blank=True, editable=False)
    # When the sweep asks the provider next; empty if only a notification can change it.
    next_check_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField("creado", default=timezone.now, editable=False)
    updated_at = models.DateTimeField("modificado", auto_now=True)

    class Meta:
        verbose_name = "pago"
        verbose_name_plural = "pagos"
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["-created_at", "-id"], name="payment_by_age"),
            waiting("next_check_at", "payment_to_check"),
            models.Index(fields=["review"], condition=~Q(review=""), name="payment_to_review"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["preference_id", "provider"], name="unique_payment_preference"
            ),
            models.CheckConstraint(condition=Q(amount__gt=0), name="payment_of_something"),
            known("status", PaymentStatus, "known_payment_status"),
            known("review", ReviewReason, "known_review_reason"),
        ]

    def __str__(self) -> str:
        return f"Pago {self.short_reference}"

    @property
    def reference(self) -> str:
        return self.id.hex

    @property
    def short_reference(self) -> str:
        """For people, and for the occasions of mails."""
        return self.reference[:8]

    @property
    def is_money_gone(self) -> bool:
        return self.status in MONEY_GONE

    def has_expired(self, now: datetime | None = None) -> bool:
        return self.expires_at is not None and self.expires_at <= (now or timezone.now())


class ChargeStatus(models.TextChoices):
    PENDING = "pending", "Pendiente"
    APPROVED = "approved", "Aprobado"
    REJECTED = "rejected", "Rechazado"
    CANCELLED = "cancelled", "Cancelado"
    REFUNDED = "refunded", "Devuelto"
    DISPUTED = "disputed", "En disputa"
    CHARGED_BACK = "charged_back", "Contracargo"


# Money reached an account. A charge never leaves these states.
MONEY_CAME = frozenset(
    {
        ChargeStatus.APPROVED,
        ChargeStatus.DISPUTED,
        ChargeStatus.REFUNDED,
        ChargeStatus.CHARGED_BACK,
    }
)
# Money of another account, or not in pesos.
FOREIGN = frozenset({ReviewReason.CURRENCY, ReviewReason.ACCOUNT})


class PaymentCharge(models.Model):
    """One attempt to pay, as the provider last reported it. No card data is kept."""

    payment = models.ForeignKey(
        Payment, on_delete=models.PROTECT, related_name="charges", verbose_name="pago"
    )
    provider = models.CharField("proveedor", max_length=20, editable=False)
    charge_id = models.CharField("número de operación", max_length=64)
    status = models.CharField("estado", max_length=20, choices=ChargeStatus)
    status_detail = models.CharField("detalle", max_length=100, blank=True)
    amount = models.BigIntegerField("monto", help_text="En centavos.")
    refunded_amount = models.BigIntegerField("devuelto", default=0)
    # The part of it that no refund of ours made: the provider's panel, or a claim.
    refunded_elsewhere = models.BigIntegerField(default=0, editable=False)
    currency = models.CharField("moneda", max_length=3)
    account_id = models.CharField("cuenta cobradora", max_length=64)
    method = models.CharField("medio", max_length=50, blank=True)
    problem = models.CharField("problema", max_length=20, choices=ReviewReason, blank=True)
    # Set once, when the payment is approved or the rest comes by hand: True if it paid for the
    # purchase. Others are surplus.
    counts = models.BooleanField("paga la clase", default=False, editable=False)
    # The provider's moments.
    approved_at = models.DateTimeField("aprobado allá", null=True, blank=True, editable=False)
    provider_updated_at = models.DateTimeField("modificado allá")
    seen_at = models.DateTimeField("visto", default=timezone.now, editable=False)

    class Meta:
        verbose_name = "intento de pago"
        verbose_name_plural = "intentos de pago"
        ordering = ["seen_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["charge_id", "provider"], name="unique_charge"),
            models.CheckConstraint(condition=Q(amount__gte=0), name="charge_not_negative"),
            known("status", ChargeStatus, "known_charge_status"),
            models.CheckConstraint(
                condition=Q(refunded_amount__gte=0, refunded_amount__lte=F("amount")),
                name="refunded_within_charge",
            ),
        ]

    def __str__(self) -> str:
        return self.charge_id

    @property
    def is_good(self) -> bool:
        return self.status == ChargeStatus.APPROVED and not self.problem

    @property
    def is_surplus(self) -> bool:
        """True if its money is here, and pays for nothing."""
        return self.is_good and not self.counts


class RefundStatus(models.TextChoices):
    REQUESTED = "requested", "Pedida"
    IN_PROCESS = "in_process", "En proceso"
    DONE = "done", "Hecha"
    FAILED = "failed", "Rechazada"


OPEN_REFUNDS = (RefundStatus.REQUESTED, RefundStatus.IN_PROCESS)


class RefundQuerySet(models.QuerySet["Refund"]):
    def by_hand(self) -> "RefundQuerySet":
        """Match what the teacher returns herself."""
        return self.exclude(way=MoneyWay.ONLINE)

    def open(self) -> "RefundQuerySet":
        """Match what is decided and did not go back yet (``Refund.is_open``)."""
        return self.filter(status__in=OPEN_REFUNDS)

    def named(self, occasion: str) -> "Refund":
        """Return the refund of a mail's ``Refund.occasion``. Raises Refund.DoesNotExist."""
        number = occasion.partition(" ")[2]
        return self.select_related("charge", "purchase__payment").get(pk=number)


class Refund(models.Model):
    """The promise to return money, by the provider or by the teacher.

    Of an online one the provider is asked once the row is committed. One by hand is open until the
    teacher says that she returned the money, and needs no attempt.
    """

    purchase = models.ForeignKey(
        Purchase, on_delete=models.PROTECT, related_name="refunds", verbose_name="compra"
    )
    way = models.CharField("cómo", max_length=10, choices=MoneyWay)
    # Whose money goes back. A charge's may go back in cash, if the provider refuses.
    charge = models.ForeignKey(
        PaymentCharge,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="refunds",
        verbose_name="intento",
    )
    transfer = models.ForeignKey(
        "bookings.BankTransfer",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="refunds",
        verbose_name="transferencia",
    )
    amount = models.BigIntegerField("monto", help_text="En centavos.")
    key = models.CharField("clave", max_length=64, editable=False)
    reason = models.CharField("motivo", max_length=20, choices=RefundReason)
    requested_by = models.ForeignKey(
        User,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name="quién",
    )
    status = models.CharField(
        "estado", max_length=20, choices=RefundStatus, default=RefundStatus.REQUESTED
    )
    refund_id = models.CharField("número de devolución", max_length=64, blank=True)
    failure = models.CharField("por qué falló", max_length=200, blank=True)
    attempts = models.PositiveIntegerField("intentos", default=0)
    next_attempt_at = models.DateTimeField(null=True, blank=True, default=timezone.now)
    created_at = models.DateTimeField("pedida", default=timezone.now, editable=False)
    done_at = models.DateTimeField("hecha", null=True, blank=True, editable=False)

    objects = RefundQuerySet.as_manager()

    class Meta:
        verbose_name = "devolución"
        verbose_name_plural = "devoluciones"
        ordering = ["created_at", "id"]
        indexes = [waiting("next_attempt_at", "refund_to_send")]
        constraints = [
            models.UniqueConstraint(fields=["charge", "key"], name="unique_refund_key"),
            models.CheckConstraint(
                condition=~Q(way=MoneyWay.ONLINE) | Q(charge__isnull=False),
                name="online_refund_has_its_charge",
            ),
            models.CheckConstraint(
                condition=Q(way=MoneyWay.ONLINE) | Q(next_attempt_at=None),
                name="refund_by_hand_has_no_attempt",
            ),
            known("way", MoneyWay, "known_refund_way"),
            models.UniqueConstraint(
                fields=["charge", "refund_id"], condition=~Q(refund_id=""), name="unique_refund_id"
            ),
            models.CheckConstraint(condition=Q(amount__gt=0), name="refund_of_something"),
            known("status", RefundStatus, "known_refund_status"),
            known("reason", RefundReason, "known_refund_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.get_reason_display()} ({self.get_status_display().lower()})"

    @property
    def occasion(self) -> str:
        return f"refund {self.pk}"

    @property
    def online_charge(self) -> PaymentCharge:
        """Raises ValueError for one by hand that is not about a charge."""
        if self.charge is None:
            raise ValueError("The refund is of no charge.")
        return self.charge

    @property
    def owed(self) -> int:
        """The centavos that the provider refused and that were not promised again."""
        charge = self.charge
        refused, rest = find_refused(charge, charge.refunds.all()) if charge else (None, 0)
        return rest if refused == self else 0

    @property
    def is_by_hand(self) -> bool:
        return self.way != MoneyWay.ONLINE

    @property
    def is_open(self) -> bool:
        return self.status in OPEN_REFUNDS


def find_refused(charge: PaymentCharge, refunds: Iterable[Refund]) -> tuple[Refund | None, int]:
    """Return a charge's last refused refund, and the centavos of it that no later one promised."""
    is_gone = charge.status == ChargeStatus.CHARGED_BACK or charge.refunded_amount >= charge.amount
    again = 0
    for refund in sorted(refunds, key=lambda one: one.pk, reverse=True):
        if refund.status == RefundStatus.FAILED:
            rest = 0 if is_gone else max(refund.amount - again, 0)
            return (refund, rest) if rest else (None, 0)
        again += refund.amount
    return None, 0


class SignatureState(models.TextChoices):
    VALID = "valid", "Válida"
    INVALID = "invalid", "Inválida"
    ABSENT = "absent", "Sin firma"
    UNCONFIGURED = "unconfigured", "Sin clave configurada"
    # Our own search found the charge.
    FOUND = "found", "Encontrada por la búsqueda"


class PaymentNotification(models.Model):
    provider = models.CharField("proveedor", max_length=20, editable=False)
    topic = models.CharField("tema", max_length=50)
    resource_id = models.CharField("recurso", max_length=64)
    action = models.CharField("acción", max_length=50, blank=True)
    # The provider's own id, which a repeat does not share.
    notification_id = models.CharField("aviso", max_length=100, blank=True)
    signature = models.CharField("firma", max_length=20, choices=SignatureState)
    # Set once it was processed.
    payment = models.ForeignKey(
        Payment,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="notifications",
        verbose_name="pago",
    )
    received_at = models.DateTimeField("recibido", default=timezone.now, editable=False)
    processed_at = models.DateTimeField("procesado", null=True, blank=True)
    attempts = models.PositiveIntegerField("intentos", default=0)
    next_attempt_at = models.DateTimeField(null=True, blank=True, default=timezone.now)
    failure = models.CharField("por qué falló", max_length=200, blank=True)

    class Meta:
        verbose_name = "aviso del proveedor"
        verbose_name_plural = "avisos del proveedor"
        ordering = ["-received_at", "-id"]
        indexes = [
            waiting("next_attempt_at", "notification_to_process"),
            models.Index(fields=["-received_at", "-id"], name="notification_by_age"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["topic", "resource_id", "action", "notification_id", "provider"],
                name="unique_notification",
            ),
            known("signature", SignatureState, "known_signature_state"),
        ]

    def __str__(self) -> str:
        return f"{self.topic} {self.resource_id}"
