"""Purchases, the ledger, and *Para devolver*: the money that the teacher returns herself."""

from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from accounts.models import User
from bookings.domain.dry_runs import foresee
from bookings.domain.money.discounts import has_lost_its_use
from bookings.domain.money.money_back import note_return
from bookings.domain.queries import list_returns_to_make
from bookings.domain.sales.buying import pay_place_by_hand
from bookings.models import Entry, MoneyWay, Purchase, Refund
from bookings.money_state import with_money
from bookings.panel.lists import PurchaseColumns, class_link, day_at, money_badge
from bookings.panel.pages import ReadOnlyMixin, page_for, show_page
from bookings.panel.steps import (
    AT_MOST,
    Facts,
    Report,
    Step,
    StepsAdmin,
    group_mails,
    list_links,
)
from bookings.templatetags.class_times import pesos, price_note


def list_warnings(purchase: Purchase | None) -> list[str]:
    """List what the teacher should know before she takes money by hand."""
    if purchase is None or not has_lost_its_use(purchase):
        return []
    return [f"Ojo: el código {purchase.discount_name} ya se usó todas las veces que vale."]


class PayPlace(Step[Purchase]):
    name, label, yes = "pagado", "Ya me pagó", "Sí, ya me pagó"
    warning = "No se puede deshacer: si te equivocás, esa persona tiene que dejar su lugar."

    def is_offered(self, row: Purchase) -> bool:
        return row.is_place and row.is_unpaid

    def foresee(self, row: Purchase, form: Any, actor: User) -> Facts | None:
        if not self.is_offered(row):
            return None
        pay = partial(pay_place_by_hand, purchase_id=row.pk, actor=actor)
        seen = foresee(pay, [row.booked_class.pk])
        happens = (
            f"Queda anotado que {row.person} te pagó {pesos(row.missing)} por fuera.",
            "Tiene su lugar, y le llega el enlace para entrar.",
        )
        about, mails = f"{row.booked_class.open_class} · {row.person}", group_mails(seen.mails)
        return Facts(about, happens, mails, warnings=tuple(list_warnings(row)))

    def take(self, row: Purchase, form: Any, actor: User) -> Report:
        pay_place_by_hand(purchase_id=row.pk, actor=actor)
        return Report(f"{row.person} ya tiene su lugar.")


PLACE_STEPS = [PayPlace()]


@admin.register(Purchase)
class PurchaseAdmin(ReadOnlyMixin, StepsAdmin[Purchase]):
    list_display = ["created_at", "person", "kind", "of_class", "sum", "badge"]
    list_filter = ["kind", "state", "kept_for"]
    search_fields = ["person__name", "person__email"]
    fields = [
        *("person", "kind", "of_class", "sum", "price_note", "state", "kept_until", "kept_for"),
        *("by_teacher", "paid_at", "refund_reason", "amount_kept", "created_at"),
    ]
    steps = PLACE_STEPS

    def get_queryset(self, request: HttpRequest) -> QuerySet[Purchase]:
        return with_money(super().get_queryset(request))

    def row_address(self, row: Model) -> str:
        booked = row.virtual_class_id if isinstance(row, Purchase) else None
        return reverse("admin:class_sheet", args=[booked]) if booked else super().row_address(row)

    @admin.display(description="estado", ordering="state")
    def badge(self, obj: Purchase) -> str:
        return money_badge(obj)

    @admin.display(description="descuento")
    def price_note(self, obj: Purchase) -> str:
        return price_note(obj) or "-"

    @admin.display(description="clase")
    def of_class(self, obj: Purchase) -> str:
        return class_link(obj.virtual_class, missing="Sin reserva")

    @admin.display(description="precio", ordering="price")
    def sum(self, obj: Purchase) -> str:
        return pesos(obj.price)


@admin.register(Entry)
class EntryAdmin(PurchaseColumns, ReadOnlyMixin, admin.ModelAdmin[Entry]):
    list_display = ["at", "kind", "way", "sum", "person", "is_second"]
    list_filter = ["kind", "way", "is_second"]
    list_select_related = ["purchase__person"]
    search_fields = ["purchase__person__name", "purchase__person__email"]
    show_full_result_count = False
    ordering = ["-at", "-id"]
    fields = ["at", "kind", "way", "sum", "person", "is_second", "source", "by", "written_at"]


# A refund, how it goes back, and its steps with their addresses.
ReturnRow = tuple[Refund, str, list[tuple[Step[Refund], str]]]


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
class RefundAdmin(PurchaseColumns, ReadOnlyMixin, StepsAdmin[Refund]):
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
    back = "admin:returns"


@page_for("bookings.view_payment")
def show_returns(request: HttpRequest) -> HttpResponse:
    refunds = list_returns_to_make()
    may_note = request.user.has_perm("bookings.change_refund")
    rows = [present_return(request, one) for one in refunds[:AT_MOST]]
    return show_page(
        request,
        "admin/returns.html",
        title="Para devolver",
        rows=rows,
        count=refunds.count() if len(rows) == AT_MOST else len(rows),
        note_all=NOTE_RETURN if may_note and len(rows) > 1 else None,
    )


def present_return(request: HttpRequest, refund: Refund) -> ReturnRow:
    return refund, _name_way(refund), list_links(request, RETURN_STEPS, refund)


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
