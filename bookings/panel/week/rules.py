"""Booking rules, and the teacher's bank account as she types it."""

import re
import unicodedata
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from accounts.sign_in.fresh_sign_in import ask_to_confirm, is_fresh
from bookings.models import BookingRules
from bookings.panel.inputs import CLOCK_INPUT
from bookings.panel.pages import FixedRowsMixin

RULE_HELP = {
    "slot_step_minutes": "30: se ofrece a las 9:00, 9:30, 10:00...",
    "buffer_before_minutes": "Tiempo libre antes de cada clase.",
    "buffer_after_minutes": "Tiempo libre después de cada clase. Entre dos clases alcanza con la "
    "pausa más larga.",
    "minimum_notice_minutes": "720 son doce horas; 1440, un día.",
    "change_cutoff_minutes": "1440 es un día, 0 hasta que empiece. Los estudiantes ven el momento "
    "con fecha y hora; después solo vos podés cancelar o mover la clase. Un lugar de un grupo "
    "abierto se puede dejar, pero no se devuelve nada.",
    "is_free_account": "Google Meet corta a los 60 minutos las llamadas gratuitas de tres o más "
    "personas, con vos: te avisamos al guardar el precio de un grupo más largo, y a tus "
    "estudiantes en la página de la clase.",
    "daily_mail_at": "Vacío: un correo apenas alguien reserva una clase o un lugar.",
    "hold_minutes": "Cuánto tiene un estudiante para terminar la reserva y pagarla. Si te pagan "
    "a vos, después se guarda hasta dos días, y nunca más allá de la anticipación mínima.",
    "transfer_alias": "Tus estudiantes lo ven al pagar. Vacío: no se ofrecen transferencias.",
    "transfer_holder": "A nombre de quién está la cuenta.",
    "transfer_hours": "Cuánto se guarda un horario mientras llega la transferencia, y de nuevo "
    "desde que la avisan; nunca más allá de la anticipación mínima.",
}


BOOKING_FIELDS = (
    "slot_step_minutes",
    "buffer_before_minutes",
    "buffer_after_minutes",
    "minimum_notice_minutes",
    "horizon_days",
    "change_cutoff_minutes",
    "hold_minutes",
    "daily_mail_at",
    "is_free_account",
)
ACCOUNT_FIELDS = ("transfer_alias", "transfer_holder")
TRANSFER_FIELDS = (*ACCOUNT_FIELDS, "transfer_hours")


class RulesForm(forms.ModelForm[BookingRules]):
    class Meta:
        model = BookingRules
        fields = [*BOOKING_FIELDS, *TRANSFER_FIELDS]
        help_texts = RULE_HELP
        widgets = {"daily_mail_at": CLOCK_INPUT}

    def clean_transfer_alias(self) -> str:
        typed: str = self.cleaned_data["transfer_alias"]
        return read_bank_account(typed) if typed else ""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("transfer_alias") and not cleaned.get("transfer_holder"):
            self.add_error("transfer_holder", "Tus estudiantes lo comparan antes de transferir.")
        return cleaned


@admin.register(BookingRules)
class BookingRulesAdmin(FixedRowsMixin, admin.ModelAdmin[BookingRules]):
    form = RulesForm
    fieldsets = [
        ("Reservas", {"fields": BOOKING_FIELDS}),
        ("Cobrar por transferencia", {"fields": TRANSFER_FIELDS}),
    ]

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> BookingRules | None:
        """Return the defaults if the row was never saved."""
        return BookingRules.load() if object_id == str(BookingRules.SINGLETON) else None

    def change_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Ask for a fresh sign-in before another account gets the students' transfers."""
        if request.method == "POST" and not is_fresh(request):
            typed = RulesForm(request.POST, instance=BookingRules.load())
            if not {*ACCOUNT_FIELDS}.isdisjoint(typed.changed_data):
                return ask_to_confirm(request, page=request.get_full_path())
        return super().change_view(request, *args, **kwargs)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return redirect("admin:bookings_bookingrules_change", BookingRules.SINGLETON)


SHAPE = "Un alias tiene entre 6 y 20 letras, números, puntos o guiones; un CBU o CVU, 22 números."
WRONG_DIGITS = "Ese CBU o CVU tiene algún número mal: copialo de tu banco."


def read_bank_account(typed: str) -> str:
    """Return an alias, or a CBU or CVU without separators. Raises ValidationError."""
    text = unicodedata.normalize("NFKC", typed).strip()
    digits = re.sub(r"[\s.-]", "", text)
    if re.fullmatch(r"[0-9]{22}", digits):
        if not _has_check_digits(digits):
            raise ValidationError(WRONG_DIGITS)
        return digits
    # A long number is a mistyped CBU, no alias.
    if not re.fullmatch(r"[A-Za-z0-9.-]{6,20}", text) or re.fullmatch(r"[0-9]{11,}", digits):
        raise ValidationError(SHAPE)
    return text


def _has_check_digits(number: str) -> bool:
    """https://www.bcra.gob.ar/SistemasFinancierosYdePagos/SNP_CBU.asp"""
    return _fits(number[:8], "7139713") and _fits(number[8:], "3971397139713")


def _fits(part: str, weights: str) -> bool:
    total = sum(int(digit) * int(weight) for digit, weight in zip(part[:-1], weights, strict=True))
    return (10 - total % 10) % 10 == int(part[-1])
