"""The rules for booking, as sentences that a choice ends."""

from collections.abc import Callable, Sequence
from datetime import time, timedelta
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from bookings.models import BookingRules
from bookings.panel.pages import FixedRowsMixin
from bookings.templatetags.class_times import duration, lead_time

HOUR, DAY = 60, 24 * 60  # minutes
PAUSES = (0, 5, 10, 15, 30, HOUR)
LEADS = (0, HOUR, 2 * HOUR, 12 * HOUR, DAY, 2 * DAY)


class SentenceField(forms.TypedChoiceField):
    """The label begins the sentence, and a choice ends it."""

    def __init__(
        self,
        label: str,
        values: Sequence[Any],
        write: Callable[[Any], str],
        *,
        read: Callable[[Any], Any] = int,
        help_text: str = "",
    ) -> None:
        self.write, self.values = write, values
        needed = None not in values
        super().__init__(
            label=label, coerce=read, empty_value=None, required=needed, help_text=help_text
        )

    def offer(self, stored: Any) -> None:
        """Offer the usual values, and the stored one: saving the form changes it only if chosen."""
        values = sorted({*self.values, stored}, key=lambda one: (one is not None, one))
        self.choices = [(value, self.write(value)) for value in values]


class SentencesForm(forms.ModelForm[BookingRules]):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **options})
        for name, field in self.fields.items():
            if isinstance(field, SentenceField):
                field.offer(getattr(self.instance, name))


def _write_minutes(minutes: int) -> str:
    return duration(timedelta(minutes=minutes))


def _write_pause(minutes: int) -> str:
    return _write_minutes(minutes) if minutes else "0 minutos"


def _write_lead(minutes: int) -> str:
    return f"{lead_time(timedelta(minutes=minutes))} antes" if minutes else "que empiece"


def _write_days(days: int) -> str:
    return duration(timedelta(days=days))


def _write_mail(at: time | None) -> str:
    return f"por día, a las {at:%H:%M}" if at else "por cada reserva"


def _read_clock(value: str | time) -> time:
    return value if isinstance(value, time) else time.fromisoformat(value)


def _write_account(is_free: bool) -> str:
    return "gratuita" if is_free else "paga"


class RulesForm(SentencesForm):
    slot_step_minutes = SentenceField("Las clases empiezan cada", (15, 30, HOUR), _write_minutes)
    buffer_after_minutes = SentenceField("Entre dos clases dejo", PAUSES, _write_pause)
    buffer_before_minutes = SentenceField(
        "Después de otra cita dejo",
        PAUSES,
        _write_pause,
        help_text="Si es más, también entre dos clases.",
    )
    minimum_notice_minutes = SentenceField("Se reserva hasta", LEADS, _write_lead)
    horizon_days = SentenceField("Se ven mis próximos", (7, 14, 30, 60, 89), _write_days)
    change_cutoff_minutes = SentenceField(
        "Se cancela o cambia sin costo hasta",
        LEADS,
        _write_lead,
        help_text="Después, solo vos podés. Un lugar de una clase abierta se puede dejar, sin "
        "devolución.",
    )
    hold_minutes = SentenceField(
        "Para terminar de reservar tienen",
        (10, 15, 30, HOUR),
        _write_minutes,
        help_text="Si te pagan a vos, después se guarda hasta dos días.",
    )
    daily_mail_at = SentenceField(
        "Me llega un correo",
        (None, *(time(hour) for hour in (8, 20))),
        _write_mail,
        read=_read_clock,
    )
    is_free_account = SentenceField(
        "Mi cuenta de Google es",
        (True, False),
        _write_account,
        read=lambda value: str(value) == "True",
        help_text="Meet corta a los 60 minutos las llamadas gratuitas de tres o más.",
    )

    class Meta:
        model = BookingRules
        fields = [
            *("slot_step_minutes", "buffer_after_minutes", "buffer_before_minutes"),
            *("minimum_notice_minutes", "horizon_days", "change_cutoff_minutes"),
            *("hold_minutes", "daily_mail_at", "is_free_account"),
        ]


@admin.register(BookingRules)
class BookingRulesAdmin(FixedRowsMixin, admin.ModelAdmin[BookingRules]):
    form = RulesForm
    fieldsets = [
        ("Tus horarios", {"fields": tuple(RulesForm.Meta.fields[:5])}),
        ("Cada reserva", {"fields": tuple(RulesForm.Meta.fields[5:])}),
    ]

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> BookingRules | None:
        """Return the defaults if the row was never saved."""
        return BookingRules.load() if object_id == str(BookingRules.SINGLETON) else None

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return redirect("admin:bookings_bookingrules_change", BookingRules.SINGLETON)
