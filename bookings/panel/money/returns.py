"""*Para devolver*: the money that the teacher returns herself."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.models import User
from bookings.domain.dry_runs import foresee
from bookings.domain.money.money_back import note_return
from bookings.domain.queries import list_returns_to_make
from bookings.models import MoneyWay, Refund
from bookings.panel.lists import day_and_time, day_at
from bookings.panel.pages import ReadOnlyMixin, requires, show_page
from bookings.panel.steps import (
    AT_MOST,
    Facts,
    Report,
    Step,
    StepsAdmin,
    group_mails,
    list_links,
)
from bookings.templatetags.class_times import pesos


@dataclass(frozen=True, slots=True)
class ReturnRow:
    """about: the class's time, if any."""

    refund: Refund
    how: str
    about: str
    steps: list[tuple[Step[Refund], str]]


class NoteReturn(Step[Refund]):
    name, label, yes = "devuelta", "Ya lo devolví", "Sí, ya lo devolví"
    bulk = "Ya lo devolví todo"
    warning = "No se puede deshacer: queda anotado en el mes de hoy."

    def is_offered(self, row: Refund) -> bool:
        return row.is_by_hand and row.is_open

    def foresee(self, row: Refund, form: Any, actor: User) -> Facts | None:
        if not self.is_offered(row):
            return None
        seen = foresee(partial(note_return, refund_id=row.pk, actor=actor), [])
        person = row.purchase.person
        happens = f"Queda anotado que le devolviste {describe_return(row)} a {person}."
        return Facts(_describe(row), (happens,), group_mails(seen.mails))

    def take(self, row: Refund, form: Any, actor: User) -> Report:
        note_return(refund_id=row.pk, actor=actor)
        person = row.purchase.person
        return Report(f"Queda anotado: le devolviste {describe_return(row)} a {person}.")


NOTE_RETURN = NoteReturn()
RETURN_STEPS = [NOTE_RETURN]


@admin.register(Refund)
class RefundAdmin(ReadOnlyMixin, StepsAdmin[Refund]):
    list_display = ["created_at", "person", "sum", "way", "reason", "status"]
    list_filter = ["way", "status", "reason"]
    list_select_related = ["purchase__person", "purchase__virtual_class", "transfer"]
    search_fields = ["purchase__person__name", "purchase__person__email"]
    ordering = ["-created_at", "-id"]
    fields = [
        *("person", "sum", "way", "charge", "transfer", "reason", "status", "failure"),
        *("requested_by", "created_at", "done_at"),
    ]
    steps = RETURN_STEPS

    @admin.display(description="de quién", ordering="purchase__person__name")
    def person(self, obj: Refund) -> str:
        return str(obj.purchase.person)

    @admin.display(description="monto", ordering="amount")
    def sum(self, obj: Refund) -> str:
        return pesos(obj.amount)

    def row_address(self, row: Model) -> str:
        return reverse("admin:returns")

    def list_address(self, request: HttpRequest) -> str:
        return reverse("admin:returns")


@require_safe
@requires("bookings.view_payment")
def show_returns(request: HttpRequest) -> HttpResponse:
    refunds = list_returns_to_make()
    may_note = request.user.has_perm("bookings.change_refund")
    rows = [present_return(request, one) for one in refunds[:AT_MOST]]
    context = {
        "title": "Para devolver",
        "rows": rows,
        "count": refunds.count() if len(rows) == AT_MOST else len(rows),
        "note_all": NOTE_RETURN if may_note and len(rows) > 1 else None,
    }
    return show_page(request, "admin/returns.html", **context)


def present_return(request: HttpRequest, refund: Refund) -> ReturnRow:
    virtual_class = refund.purchase.virtual_class
    return ReturnRow(
        refund=refund,
        how=_name_way(refund),
        about=day_and_time(virtual_class.start_time) if virtual_class else "",
        steps=list_links(request, RETURN_STEPS, refund),
    )


def _name_way(refund: Refund) -> str:
    number = f", operación {refund.transfer.operation_number}" if refund.transfer else ""
    return f"{refund.get_way_display()}{number}"


def _describe(refund: Refund) -> str:
    virtual_class = refund.purchase.virtual_class
    when = f"clase del {day_at(virtual_class.start_time)}" if virtual_class else "sin reserva"
    return f"{refund.purchase.person} · {pesos(refund.amount)} · {_name_way(refund)} · {when}"


def describe_return(refund: Refund) -> str:
    """``$ 15.000 en efectivo``."""
    way = "por transferencia" if refund.way == MoneyWay.TRANSFER else "en efectivo"
    return f"{pesos(refund.amount)} {way}"
