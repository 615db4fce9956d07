"""Bank transfers: the teacher's list, and the page that her mail links to."""

from dataclasses import dataclass

from django.contrib import admin
from django.core.paginator import Paginator
from django.core.signing import BadSignature
from django.db.models import Model, Prefetch
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from bookings.admin.cells import class_link, day_and_time
from bookings.admin.pages import log_to_panel, requires, show_page
from bookings.admin.read_only import ReadOnlyMixin
from bookings.admin.sales.transfer_steps import REFUSE, TRANSFER_STEPS, describe, warn
from bookings.admin.steps import (
    CHANGED,
    Preview,
    Step,
    StepForm,
    StepsAdmin,
    explain,
    list_links,
    look_ahead,
)
from bookings.domain.change_policy import is_in_charge
from bookings.domain.exceptions import BookingError
from bookings.domain.queries import list_returns_to_make, list_transfers_to_decide
from bookings.models import BankTransfer, Purchase, TransferState, find_same_numbers
from bookings.money_state import with_money
from bookings.notices.links import read_transfer_link
from bookings.templatetags.class_times import pesos
from calendar_sync import CalendarError

WAITING, LATEST = 50, 20
MAILED = "admin/sales/mailed_transfer.html"


@dataclass(frozen=True, slots=True)
class TransferRow:
    transfer: BankTransfer
    about: str
    warnings: list[str]
    steps: list[tuple[Step[BankTransfer], str]]


@admin.register(BankTransfer)
class BankTransferAdmin(ReadOnlyMixin, StepsAdmin[BankTransfer]):
    list_display = ["announced_at", "person", "sum", "operation_number", "state"]
    list_filter = ["state"]
    list_select_related = ["purchase__person", "purchase__virtual_class"]
    search_fields = ["operation_number", "purchase__person__name", "purchase__person__email"]
    ordering = ["-announced_at", "-id"]
    fields = [
        "person",
        "sum",
        "operation_number",
        "state",
        "announced_at",
        "decided_at",
        "decided_by",
        "of_class",
    ]
    steps = TRANSFER_STEPS

    @admin.display(description="de quién", ordering="purchase__person__name")
    def person(self, obj: BankTransfer) -> str:
        return str(obj.purchase.person)

    @admin.display(description="clase")
    def of_class(self, obj: BankTransfer) -> str:
        return class_link(obj.purchase.virtual_class, missing="Sin reserva")

    @admin.display(description="monto", ordering="amount")
    def sum(self, obj: BankTransfer) -> str:
        return pesos(obj.amount)

    def row_address(self, row: Model) -> str:
        return reverse("admin:transfers")

    def list_address(self, request: HttpRequest) -> str:
        return reverse("admin:transfers")


@require_safe
@requires("bookings.view_banktransfer")
def show_transfers(request: HttpRequest) -> HttpResponse:
    page = Paginator(list_transfers_to_decide(), WAITING).get_page(request.GET.get("pagina"))
    to_decide = list(page)
    may_decide = request.user.has_perm("bookings.change_banktransfer")
    same = find_same_numbers(to_decide)
    decided = BankTransfer.objects.exclude(state=TransferState.ANNOUNCED)
    purchases = Prefetch("purchase", with_money(Purchase.objects.all()))
    latest = decided.prefetch_related(purchases).order_by("-decided_at", "-id")[:LATEST]
    context = {
        "title": "Transferencias",
        "page": page,
        "refuse": REFUSE if may_decide and len(to_decide) > 1 else None,
        "to_decide": [_present(request, one, same[one.pk]) for one in to_decide],
        "to_return": list_returns_to_make().count(),
        "latest": [_present(request, one) for one in latest],
    }
    return show_page(request, "admin/sales/transfers.html", **context)


def _present(
    request: HttpRequest, transfer: BankTransfer, same: list[BankTransfer] | None = None
) -> TransferRow:
    """same: others of its number, if it is undecided."""
    return TransferRow(
        transfer=transfer,
        about=day_and_time(transfer.purchase.booked_class.start_time),
        warnings=[] if same is None else warn(transfer, same),
        steps=list_links(request, TRANSFER_STEPS, transfer),
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
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
    context = {
        "title": "¿Llegó esta transferencia?" if previews else "Ya decidiste",
        "transfer": transfer,
        "about": describe(transfer),
        "previews": previews,
        "problem": problem,
    }
    return show_page(request, MAILED, **context)


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
