"""Bank transfers: their steps, the teacher's list, and the page that her mail links to."""

import uuid
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.core.paginator import Paginator
from django.core.signing import BadSignature
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache

from accounts.models import User
from bookings.domain.change_policy import is_in_charge
from bookings.domain.dry_runs import Consequences, foresee
from bookings.domain.exceptions import BookingError
from bookings.domain.queries import list_returns_to_make, list_transfers_to_decide
from bookings.domain.sales.transfers import (
    confirm_transfer,
    refuse_transfer,
    rehearse_confirmation,
)
from bookings.models import (
    BankTransfer,
    ClassEvent,
    ClassStatus,
    Purchase,
    TransferState,
    find_same_numbers,
)
from bookings.money_state import with_money
from bookings.notices.links import read_transfer_link
from bookings.panel.classes.class_steps import SCHEDULES, name_displaced
from bookings.panel.lists import PurchaseColumns, day_at
from bookings.panel.money.payment_steps import say_returns
from bookings.panel.pages import ReadOnlyMixin, log_to_panel, page_for, read_or_send, show_page
from bookings.panel.steps import (
    CHANGED,
    Facts,
    Preview,
    Report,
    Step,
    StepForm,
    StepsAdmin,
    explain,
    list_facts,
    list_links,
    look_ahead,
)
from bookings.payments.backend import PROVIDER_NAME, name_provider
from bookings.templatetags.class_times import pesos
from calendar_sync import CalendarError


class ConfirmTransfer(Step[BankTransfer]):
    name, label, yes = "llego", "Llegó", "Sí, llegó"
    warning = "No se puede deshacer: si te equivocás, hay que cancelar la clase."

    def is_offered(self, row: BankTransfer) -> bool:
        return row.state == TransferState.ANNOUNCED

    def foresee(self, row: BankTransfer, form: Any, actor: User) -> Facts | None:
        booked = row.purchase.booked_class
        confirm = partial(rehearse_confirmation, row.pk, actor, fresh_sign_in=True)
        seen = foresee(confirm, [booked.pk])
        warnings = warn(row, find_same_numbers([row])[row.pk])
        facts = list_facts(describe(row), seen, *_say_what_happens(row, seen), warnings=warnings)
        return name_displaced(facts, booked, seen)

    def take(self, row: BankTransfer, form: Any, actor: User) -> Report:
        fresh = form.fresh_sign_in
        done = confirm_transfer(transfer_id=row.pk, actor=actor, fresh_sign_in=fresh)
        if to_return := sum(one.amount for one in done.refunds.all()):
            return Report(" ".join(say_returns(to_return)), messages.WARNING)
        purchase = row.purchase
        given = f"{purchase.person} tiene su lugar"
        if not purchase.is_place:
            given = "la clase quedó agendada"
        return Report(f"{row}: confirmada, y {given}.")


class RefuseTransfer(Step[BankTransfer]):
    name, label, yes = "no-llego", "No llegó", "Sí, no llegó"
    bulk = "No llegaron las elegidas"
    warning = "Si llega después, tu estudiante la puede avisar de nuevo."

    def is_offered(self, row: BankTransfer) -> bool:
        return row.state == TransferState.ANNOUNCED

    def foresee(self, row: BankTransfer, form: Any, actor: User) -> Facts | None:
        refuse = partial(refuse_transfer, transfer_id=row.pk, actor=actor)
        seen = foresee(refuse, [row.purchase.booked_class.pk])
        what = "El lugar sigue" if row.purchase.is_place else "La clase sigue"
        happens = f"{what} sin pagar, y se guarda hasta que se venza."
        return list_facts(describe(row), seen, happens)

    def take(self, row: BankTransfer, form: Any, actor: User) -> Report:
        refuse_transfer(transfer_id=row.pk, actor=actor)
        return Report(f"{row}: le avisamos a {row.purchase.person} que no llegó.")


REFUSE = RefuseTransfer()
TRANSFER_STEPS: list[Step[BankTransfer]] = [ConfirmTransfer(), REFUSE]


def describe(transfer: BankTransfer) -> str:
    when = day_at(transfer.purchase.booked_class.start_time)
    person, number = transfer.purchase.person, transfer.operation_number
    return f"{person} · {pesos(transfer.amount)} · operación {number} · clase del {when}"


def warn(transfer: BankTransfer, same: list[BankTransfer]) -> list[str]:
    """same: other transfers of the same number."""
    found = [
        f"Ojo: {one.purchase.person} avisó el mismo número de operación por {pesos(one.amount)}, "
        f"para la clase del {day_at(one.purchase.booked_class.start_time)} "
        f"({one.get_state_display().lower()}). Fijate que no sea la misma."
        for one in same
    ]
    purchase = transfer.purchase
    if purchase.booked_class.status == ClassStatus.CANCELLED:
        found.append("La clase se canceló.")
    elif purchase.is_paid:
        payment = purchase.find_payment()
        way = "a mano"
        if payment is not None and payment.approved_at is not None:
            way = f"por {name_provider(payment.provider)}"
        paid = "el lugar ya está pagado" if purchase.is_place else "la clase ya está pagada"
        found.append(f"Ojo: {paid} {way}.")
    return found


def _say_what_happens(row: BankTransfer, seen: Consequences[BankTransfer]) -> tuple[str, ...]:
    noted = f"Queda anotado que te llegaron {pesos(row.amount)}."
    if not seen.by_hand:
        return (noted, SCHEDULES) if seen.find(ClassEvent.SCHEDULED) else (noted,)
    lost = seen.find(ClassEvent.CANCELLED)
    why = [f"La clase no se puede dar y se cancela: {lost.reason.lower()}"] if lost else []
    if seen.refunded:
        why.append(f"Vuelven {pesos(seen.refunded)} a {row.purchase.person} por {PROVIDER_NAME}.")
    return (noted, *why, *say_returns(seen.by_hand))


WAITING, LATEST = 50, 20
MAILED = "admin/sales/mailed_transfer.html"


# A transfer, its warnings, and its steps with their addresses.
TransferRow = tuple[BankTransfer, list[str], list[tuple[Step[BankTransfer], str]]]


@admin.register(BankTransfer)
class BankTransferAdmin(PurchaseColumns, ReadOnlyMixin, StepsAdmin[BankTransfer]):
    list_display = ["announced_at", "person", "sum", "operation_number", "state"]
    list_filter = ["state"]
    list_select_related = ["purchase__person", "purchase__virtual_class"]
    search_fields = ["operation_number", "purchase__person__name", "purchase__person__email"]
    ordering = ["-announced_at", "-id"]
    fields = [
        *("person", "sum", "operation_number", "state", "announced_at", "decided_at"),
        *("decided_by", "of_class"),
    ]
    steps = TRANSFER_STEPS
    back = "admin:transfers"


@page_for("bookings.view_banktransfer")
def show_transfers(request: HttpRequest) -> HttpResponse:
    page = Paginator(list_transfers_to_decide(), WAITING).get_page(request.GET.get("pagina"))
    to_decide = list(page)
    may_decide = request.user.has_perm("bookings.change_banktransfer")
    same = find_same_numbers(to_decide)
    decided = BankTransfer.objects.exclude(state=TransferState.ANNOUNCED)
    purchases = Prefetch("purchase", with_money(Purchase.objects.all()))
    latest = decided.prefetch_related(purchases).order_by("-decided_at", "-id")[:LATEST]
    return show_page(
        request,
        "admin/sales/transfers.html",
        title="Transferencias",
        page=page,
        refuse=REFUSE if may_decide and len(to_decide) > 1 else None,
        to_decide=[_present(request, one, same[one.pk]) for one in to_decide],
        to_return=list_returns_to_make().count(),
        latest=[_present(request, one) for one in latest],
    )


def _present(
    request: HttpRequest, transfer: BankTransfer, same: list[BankTransfer] | None = None
) -> TransferRow:
    """same: others of its number, if it is undecided."""
    warnings = [] if same is None else warn(transfer, same)
    return transfer, warnings, list_links(request, TRANSFER_STEPS, transfer)


@page_for("bookings.view_banktransfer")
def show_receipt(request: HttpRequest, transfer_id: uuid.UUID) -> HttpResponse:
    found = get_object_or_404(BankTransfer.objects.exclude(receipt=""), pk=transfer_id)
    return HttpResponse(found.receipt.read(), content_type="image/jpeg")


@never_cache
@read_or_send
def answer_mailed_link(request: HttpRequest, token: str) -> HttpResponse:
    """Show the transfer of a signed link, without a session; decide about it on POST only.

    Mail scanners open links, so a GET changes nothing. An answer that refunds money leads to the
    panel, and the domain refuses it here.
    """
    actor, transfer = _read_link(token)
    if actor is None or transfer is None:
        gone = show_page(request, MAILED, title="Este enlace ya no vale")
        gone.status_code = 410
        return gone
    form = StepForm({}, transfer)
    offered = [step for step in TRANSFER_STEPS if step.is_offered(transfer)]
    previews = [(step, look_ahead(step, [transfer], form, actor)) for step in offered]
    problem = ""
    if request.method == "POST":
        problem = _answer(request, previews, form, actor)
        if not problem:
            return HttpResponseRedirect(request.path)
        transfer.refresh_from_db()
    return show_page(
        request,
        MAILED,
        title="¿Llegó esta transferencia?" if previews else "Ya decidiste",
        transfer=transfer,
        about=describe(transfer),
        previews=previews,
        problem=problem,
    )


def _read_link(token: str) -> tuple[User | None, BankTransfer | None]:
    try:
        transfer_id, teacher_id = read_transfer_link(token)
    except BadSignature:
        return None, None
    teacher = User.objects.filter(pk=teacher_id).first()
    if teacher is None or not teacher.is_active or not is_in_charge(teacher):
        return None, None
    return teacher, BankTransfer.objects.with_purchases().filter(pk=transfer_id).first()


def _answer(
    request: HttpRequest,
    previews: list[tuple[Step[BankTransfer], Preview[BankTransfer]]],
    form: StepForm,
    actor: User,
) -> str:
    """Return why the step was not taken, or ""."""
    for step, preview in previews:
        if request.POST.get("step") != step.name:
            continue
        seen = request.POST.get("seen", "")
        if not preview.facts or not constant_time_compare(seen, preview.digest):
            return CHANGED
        transfer = next(iter(preview.facts))
        try:
            step.take(transfer, form, actor)
        except (BookingError, CalendarError) as error:
            return explain(error, step.refusals)
        text = f"{step.label} (desde el enlace del correo)"
        log_to_panel(request, BankTransfer, text, transfer, by=actor)
        return ""
    return "" if not previews else "Elegí una de las dos."
