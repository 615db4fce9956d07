"""The teacher's hours and booking rules."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from datetime import date, time, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from bookings.models.constraints import known

MIDNIGHT = time(0)
LONGEST_HOLD = timedelta(minutes=120)
# For a bank transfer, counted from its choice or announcement.
LONGEST_TRANSFER_HOURS = 96
# How long a class that the teacher booked for a student is kept until it is paid.
PAY_WITHIN = timedelta(days=2)
# Meet ends calls of three and more people with a free account.
# https://support.google.com/meet/answer/7317473
LONGEST_FREE_CALL_MINUTES = 60

# Start and end on a day; an end of MIDNIGHT is the end of that day.
HoursRange = tuple[time, time]


def hours_overlap(one: HoursRange, other: HoursRange) -> bool:
    pairs = [(one[0], other[1]), (other[0], one[1])]
    return all(end == MIDNIGHT or start < end for start, end in pairs)


class Weekday(models.IntegerChoices):
    """Numbered as by ``date.weekday()``."""

    MONDAY = 0, "Lunes"
    TUESDAY = 1, "Martes"
    WEDNESDAY = 2, "Miércoles"
    THURSDAY = 3, "Jueves"
    FRIDAY = 4, "Viernes"
    SATURDAY = 5, "Sábado"
    SUNDAY = 6, "Domingo"


# Beyond these years dates are typing mistakes or do not fit into every zone's datetime.
SENSIBLE_DATES = [MinValueValidator(date(2000, 1, 1)), MaxValueValidator(date(2100, 12, 31))]


class WeeklyHours(models.Model):
    """A range of wall-clock hours on a weekday; a day may have several."""

    weekday = models.PositiveSmallIntegerField("día", choices=Weekday)
    start = models.TimeField("desde")
    end = models.TimeField("hasta", help_text="00:00 es la medianoche que termina el día.")

    class Meta:
        verbose_name = "horario semanal"
        verbose_name_plural = "horarios semanales"
        ordering = ["weekday", "start"]
        constraints = [
            known("weekday", Weekday, "known_weekday"),
            models.CheckConstraint(
                condition=Q(end__gt=F("start")) | Q(end=MIDNIGHT),
                name="weekly_hours_end_after_start",
                violation_error_message="El horario tiene que terminar después de empezar.",
            ),
            models.UniqueConstraint(fields=["weekday", "start"], name="unique_weekly_start"),
        ]

    def __str__(self) -> str:
        return f"{self.get_weekday_display()} de {self.start:%H:%M} a {self.end:%H:%M}"


class Closure(models.Model):
    """Days without classes, first and last included."""

    first_day = models.DateField("primer día", validators=SENSIBLE_DATES)
    last_day = models.DateField("último día", validators=SENSIBLE_DATES)
    reason = models.CharField("motivo", max_length=200, blank=True)
    is_public_holiday = models.BooleanField("feriado nacional", default=False, editable=False)

    class Meta:
        verbose_name = "cierre"
        verbose_name_plural = "cierres y feriados"
        ordering = ["first_day"]
        constraints = [
            models.CheckConstraint(
                condition=Q(last_day__gte=F("first_day")),
                name="closure_ends_after_it_begins",
                violation_error_message="El último día no puede ser anterior al primero.",
            ),
            models.UniqueConstraint(
                fields=["first_day"],
                condition=Q(is_public_holiday=True),
                name="one_public_holiday_per_day",
            ),
        ]

    def __str__(self) -> str:
        days = f"{self.first_day:%d/%m/%Y}"
        if self.last_day != self.first_day:
            days += f" al {self.last_day:%d/%m/%Y}"
        return f"{days} {self.reason}".strip()


class SpecialHours(models.Model):
    """Hours of one date, which replace its weekly hours and override closures."""

    day = models.DateField("día", validators=SENSIBLE_DATES)
    start = models.TimeField("desde")
    end = models.TimeField("hasta", help_text="00:00 es la medianoche que termina el día.")
    reason = models.CharField("motivo", max_length=200, blank=True)

    class Meta:
        verbose_name = "horario especial"
        verbose_name_plural = "horarios especiales"
        ordering = ["day", "start"]
        constraints = [
            models.CheckConstraint(
                condition=Q(end__gt=F("start")) | Q(end=MIDNIGHT),
                name="special_hours_end_after_start",
                violation_error_message="El horario tiene que terminar después de empezar.",
            ),
            models.UniqueConstraint(fields=["day", "start"], name="unique_special_start"),
        ]

    def __str__(self) -> str:
        return f"{self.day:%d/%m/%Y} de {self.start:%H:%M} a {self.end:%H:%M}"

    def clean(self) -> None:
        if None in {self.day, self.start, self.end}:
            return  # reported by the fields
        for other in SpecialHours.objects.filter(day=self.day).exclude(pk=self.pk):
            if hours_overlap((self.start, self.end), (other.start, other.end)):
                raise ValidationError(f"Se superpone con otro horario de ese día: {other}.")


class BookingRules(models.Model):
    """There is one row."""

    SINGLETON = 1

    id = models.PositiveSmallIntegerField(primary_key=True, default=SINGLETON, editable=False)
    slot_step_minutes = models.PositiveSmallIntegerField(
        "un horario cada (minutos)",
        default=30,
        validators=[MinValueValidator(5), MaxValueValidator(240)],
    )
    buffer_before_minutes = models.PositiveSmallIntegerField(
        "pausa antes (minutos)", default=0, validators=[MaxValueValidator(240)]
    )
    buffer_after_minutes = models.PositiveSmallIntegerField(
        "pausa después (minutos)", default=10, validators=[MaxValueValidator(240)]
    )
    minimum_notice_minutes = models.PositiveIntegerField(
        "anticipación mínima (minutos)", default=720, validators=[MaxValueValidator(43_200)]
    )
    horizon_days = models.PositiveSmallIntegerField(
        "se reserva hasta (días)",
        default=30,
        validators=[MinValueValidator(1), MaxValueValidator(89)],
        help_text="Hasta 89: más allá no se consulta el calendario.",
    )
    change_cutoff_minutes = models.PositiveIntegerField(
        "se cancela sin costo o se cambia hasta (minutos antes)",
        default=1_440,
        validators=[MaxValueValidator(43_200)],
    )
    hold_minutes = models.PositiveSmallIntegerField(
        "se guarda un horario (minutos)",
        default=15,
        validators=[MinValueValidator(2), MaxValueValidator(LONGEST_HOLD // timedelta(minutes=1))],
    )

    # Without an alias, bank transfers are not offered.
    transfer_alias = models.CharField(
        "alias o CBU", max_length=60, blank=True, default="", db_default=""
    )
    transfer_holder = models.CharField(
        "titular de la cuenta", max_length=80, blank=True, default="", db_default=""
    )
    transfer_hours = models.PositiveSmallIntegerField(
        "se espera una transferencia (horas)",
        default=24,
        db_default=24,
        validators=[MinValueValidator(1), MaxValueValidator(LONGEST_TRANSFER_HOURS)],
    )

    # Empty: a mail for each booking.
    daily_mail_at = models.TimeField(
        "un correo por día con las reservas nuevas, a las", null=True, blank=True
    )

    is_free_account = models.BooleanField(
        "mi cuenta de Google es gratuita", default=True, db_default=True
    )

    class Meta:
        verbose_name = "reglas de reserva"
        verbose_name_plural = "reglas de reserva"
        constraints = [
            models.CheckConstraint(condition=Q(pk=1), name="one_row_of_booking_rules"),
            models.CheckConstraint(
                condition=Q(slot_step_minutes__gte=5), name="slot_step_at_least_five_minutes"
            ),
            models.CheckConstraint(
                condition=Q(horizon_days__range=(1, 89)), name="horizon_within_calendar_listing"
            ),
        ]

    def __str__(self) -> str:
        return "Reglas de reserva"

    def save(self, *args: Any, **kwargs: Any) -> None:
        super().save(*args, **kwargs)
        _kept.set(None)  # until the request ends: the transaction may still be undone

    @property
    def change_cutoff(self) -> timedelta:
        return timedelta(minutes=self.change_cutoff_minutes)

    @classmethod
    def load(cls) -> "BookingRules":
        """Return the row, or the defaults; in ``keep_rules``, as first read."""
        kept = _kept.get()
        if kept:
            return copy(kept[0])
        rules = cls.objects.filter(pk=cls.SINGLETON).first() or cls()
        if kept is not None:
            kept.append(copy(rules))  # a form may change its own
        return rules

    @classmethod
    def cut_off_calls(cls, *, students: int, minutes: int) -> bool:
        """True if Meet ends such a class early."""
        is_long_group = students > 1 and minutes > LONGEST_FREE_CALL_MINUTES
        return is_long_group and cls.load().is_free_account


# None outside of ``keep_rules``, where each call of ``load`` reads the row.
_kept: ContextVar[list[BookingRules] | None] = ContextVar("booking_rules", default=None)


@contextmanager
def keep_rules() -> Iterator[None]:
    """Read the rules once in the block, until it saves them."""
    token = _kept.set([])
    try:
        yield
    finally:
        _kept.reset(token)
