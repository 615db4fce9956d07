"""*Cobrar por transferencia*: the account that students pay into."""

import re
import unicodedata
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from accounts.sign_in.fresh_sign_in import ask_to_confirm, is_fresh
from bookings.models import BookingRules
from bookings.panel.classes.rules import SentenceField, SentencesForm
from bookings.panel.pages import log_to_panel, page_for, read_or_send, show_page
from bookings.templatetags.class_times import lead_time

SHAPE = "Un alias tiene entre 6 y 20 letras, números, puntos o guiones; un CBU o CVU, 22 números."
WRONG_DIGITS = "Ese CBU o CVU tiene algún número mal: copialo de tu banco."
ACCOUNT_FIELDS = ("transfer_alias", "transfer_holder")


class AccountForm(SentencesForm):
    transfer_hours = SentenceField(
        "Espero cada transferencia",
        (6, 12, 24, 48, 72, 96),
        lambda hours: lead_time(timedelta(hours=hours)),
        help_text="Mientras tanto se guarda el horario, y de nuevo desde que la avisan; nunca más "
        "allá de tu anticipación mínima.",
    )

    class Meta:
        model = BookingRules
        fields = [*ACCOUNT_FIELDS, "transfer_hours"]
        help_texts = {
            "transfer_alias": "Tus estudiantes lo ven al pagar. Vacío: no se ofrecen "
            "transferencias."
        }

    def clean_transfer_alias(self) -> str:
        typed: str = self.cleaned_data["transfer_alias"]
        return read_bank_account(typed) if typed else ""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("transfer_alias") and not cleaned.get("transfer_holder"):
            self.add_error("transfer_holder", "Tus estudiantes lo comparan antes de transferir.")
        return cleaned


@page_for("bookings.change_bookingrules", read_or_send)
def show_transfer_account(request: HttpRequest) -> HttpResponse:
    """Ask for a fresh sign-in before another account gets the students' transfers."""
    form = AccountForm(request.POST or None, instance=BookingRules.load())
    if request.method == "POST":
        if not is_fresh(request) and not {*ACCOUNT_FIELDS}.isdisjoint(form.changed_data):
            return ask_to_confirm(request, page=request.path)
        if form.is_valid():
            log_to_panel(request, BookingRules, "Cobrar por transferencia", form.save())
            messages.success(request, "Listo: guardamos tu cuenta.")
            return redirect("admin:transfer_account")
    return show_page(
        request, "admin/sales/transfer_account.html", title="Cobrar por transferencia", form=form
    )


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
