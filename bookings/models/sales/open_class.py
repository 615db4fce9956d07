"""Open classes: groups that the teacher publishes, and whose places students buy."""

from datetime import datetime

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Level
from bookings.models.constraints import known
from bookings.models.in_english import read_in_language
from bookings.models.virtual_class import VirtualClass


class MinimumDecision(models.TextChoices):
    WAITING = "", _("Por decidir")
    GOES_ON = "goes_on", _("Se da")
    CALLED_OFF = "called_off", _("No se llegó al mínimo")


class OpenClass(models.Model):
    """A group that the teacher published and hosts; the class counts one more place.

    Spec: Resources, VirtualClass.
    """

    virtual_class = models.OneToOneField(
        VirtualClass, on_delete=models.CASCADE, primary_key=True, related_name="open_class"
    )
    title = models.CharField("título", max_length=80)
    text = models.TextField("de qué se trata", max_length=1000, blank=True)
    title_en = models.CharField(
        "título, en inglés", max_length=80, blank=True, default="", db_default=""
    )
    text_en = models.TextField(
        "de qué se trata, en inglés", max_length=1000, blank=True, default="", db_default=""
    )
    level = models.CharField("nivel", max_length=20, choices=Level, blank=True)
    places = models.PositiveSmallIntegerField("lugares", validators=[MinValueValidator(1)])
    minimum = models.PositiveSmallIntegerField(
        "mínimo", default=1, validators=[MinValueValidator(1)]
    )
    place_price = models.BigIntegerField(
        "precio por lugar", help_text="En centavos.", validators=[MinValueValidator(0)]
    )
    decides_at = models.DateTimeField("se decide")
    decision = models.CharField(
        "decisión", max_length=20, choices=MinimumDecision, blank=True, editable=False
    )
    is_listed = models.BooleanField("a la vista", default=True)
    created_at = models.DateTimeField("publicada", default=timezone.now, editable=False)

    class Meta:
        verbose_name = "clase abierta"
        verbose_name_plural = "clases abiertas"
        indexes = [
            models.Index(
                fields=["decides_at"], condition=Q(decision=""), name="open_class_to_decide"
            )
        ]
        constraints = [
            known("decision", MinimumDecision, "known_minimum_decision"),
            models.CheckConstraint(
                condition=Q(minimum__lte=F("places"), minimum__gte=1), name="minimum_within_places"
            ),
            models.CheckConstraint(
                condition=Q(place_price__range=(0, 10**10)), name="place_price_within_bounds"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def shown_title(self) -> str:
        return read_in_language(self, "title")

    @property
    def shown_text(self) -> str:
        return read_in_language(self, "text")

    @property
    def awaits_decision(self) -> bool:
        """True until it is decided whether enough people came together."""
        return self.decision == MinimumDecision.WAITING

    @property
    def people_missing(self) -> int:
        """How many more people the minimum needs; 0 once it is decided."""
        if not self.awaits_decision:
            return 0
        return max(self.minimum - self.virtual_class.guest_count, 0)


def find_open_class(virtual_class: VirtualClass | None) -> OpenClass | None:
    """Return None for a class that the teacher did not publish."""
    open_class: OpenClass | None = getattr(virtual_class, "open_class", None)
    return open_class


def find_awaited_class(virtual_class: VirtualClass | None, now: datetime) -> OpenClass | None:
    """Return the open class, as long as it may still be called off for want of people."""
    open_class = find_open_class(virtual_class)
    if open_class is None or not open_class.awaits_decision:
        return None
    booked = open_class.virtual_class
    return open_class if booked.is_scheduled and booked.start_time > now else None
