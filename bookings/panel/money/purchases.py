"""Purchases and the ledger, and the place that the teacher was paid for by hand."""

from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse

from accounts.models import User
from bookings.domain.dry_runs import foresee
from bookings.domain.money.discounts import has_lost_its_use
from bookings.domain.sales.buying import pay_place_by_hand
from bookings.models import Entry, Purchase
from bookings.money_state import with_money
from bookings.panel.lists import class_link
from bookings.panel.money.money_states import money_badge
from bookings.panel.pages import ReadOnlyMixin
from bookings.panel.steps import Facts, Report, Step, StepsAdmin, group_mails
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
class EntryAdmin(ReadOnlyMixin, admin.ModelAdmin[Entry]):
    list_display = ["at", "kind", "way", "sum", "person", "is_second"]
    list_filter = ["kind", "way", "is_second"]
    list_select_related = ["purchase__person"]
    search_fields = ["purchase__person__name", "purchase__person__email"]
    show_full_result_count = False
    ordering = ["-at", "-id"]
    fields = ["at", "kind", "way", "sum", "person", "is_second", "source", "by", "written_at"]

    @admin.display(description="monto", ordering="amount")
    def sum(self, obj: Entry) -> str:
        return pesos(obj.amount)

    @admin.display(description="de quién", ordering="purchase__person__name")
    def person(self, obj: Entry) -> str:
        return str(obj.purchase.person)
