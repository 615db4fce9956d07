"""Discount codes."""

from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone


class DiscountCode(models.Model):
    """There is no counter: a use is a purchase with the code that is paid, or may still be
    (domain/money/discounts.py).
    """

    code = models.CharField(
        "código",
        max_length=20,
        unique=True,
        validators=[RegexValidator(r"^[0-9A-Z]{3,20}$", "Usá entre 3 y 20 letras y números.")],
    )
    percent = models.PositiveSmallIntegerField(
        "porcentaje",
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
    )
    amount = models.BigIntegerField(
        "descuento",
        null=True,
        blank=True,
        help_text="En centavos.",
        validators=[MinValueValidator(1)],
    )
    max_uses = models.PositiveIntegerField("usos", null=True, blank=True)
    valid_until = models.DateField("vale hasta", null=True, blank=True)
    once_per_person = models.BooleanField("una sola vez por persona", default=True)
    is_active = models.BooleanField("activo", default=True)
    created_at = models.DateTimeField("creado", default=timezone.now, editable=False)

    class Meta:
        verbose_name = "código de descuento"
        verbose_name_plural = "códigos de descuento"
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                # A comparison with NULL refuses nothing, so each side names what is not null.
                condition=Q(percent__isnull=False, percent__range=(1, 100), amount__isnull=True)
                | Q(percent__isnull=True, amount__isnull=False, amount__gt=0),
                name="percent_or_amount_off",
                violation_error_message="Poné un porcentaje o un monto, uno de los dos.",
            ),
            models.CheckConstraint(
                condition=Q(code__regex=r"^[0-9A-Z]{3,20}$"), name="code_in_capitals_and_digits"
            ),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def terms(self) -> dict[str, Any]:
        """For ``Purchase.discount_terms``: they outlive the code."""
        return {
            "name": self.code,
            "id": str(self.pk),
            "percent": self.percent,
            "fixedAmount": self.amount,
        }
