"""The price list."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from bookings.models.constraints import known
from bookings.models.virtual_class import ClassType


class Price(models.Model):
    """Of several matching rows the one with the fewest students counts, then the latest."""

    # None for the plain list, which the API knows as well.
    offer = models.ForeignKey(
        "bookings.Offer",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        db_index=False,  # the unique index begins with it
        related_name="prices",
        verbose_name="oferta",
    )
    class_type = models.CharField("tipo", max_length=20, choices=ClassType)
    minutes = models.PositiveSmallIntegerField(
        "duración (minutos)", validators=[MinValueValidator(10), MaxValueValidator(480)]
    )
    students_up_to = models.PositiveSmallIntegerField(
        "hasta cuántos estudiantes",
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
    )
    amount = models.BigIntegerField(
        "precio", help_text="En centavos.", validators=[MinValueValidator(0)]
    )
    valid_from = models.DateField("rige desde")
    valid_until = models.DateField("rige hasta", null=True, blank=True)

    class Meta:
        verbose_name = "precio"
        verbose_name_plural = "precios"
        ordering = ["class_type", "minutes", "students_up_to", "-valid_from"]
        constraints = [
            known("class_type", ClassType, "known_class_type_of_price"),
            models.CheckConstraint(
                condition=Q(amount__gte=0, amount__lte=10**10), name="price_within_bounds"
            ),
            models.CheckConstraint(
                condition=Q(minutes__range=(10, 480)), name="price_for_a_sensible_length"
            ),
            models.CheckConstraint(
                condition=Q(valid_until__isnull=True) | Q(valid_until__gte=F("valid_from")),
                name="price_ends_after_it_begins",
                violation_error_message="No puede dejar de regir antes de empezar.",
            ),
            models.UniqueConstraint(
                fields=["class_type", "minutes", "students_up_to", "valid_from"],
                condition=Q(offer__isnull=True),
                name="one_price_for_each_case_and_day",
            ),
            models.UniqueConstraint(
                fields=["offer", "class_type", "minutes", "students_up_to", "valid_from"],
                condition=Q(offer__isnull=False),
                name="one_price_of_an_offer_for_each_case_and_day",
            ),
        ]

    def __str__(self) -> str:
        kind = self.offer or self.get_class_type_display()
        return f"{kind} de {self.minutes} minutos"
