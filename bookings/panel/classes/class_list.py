"""The lists of classes and holds."""

import uuid
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.db.models import Exists, Model, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.views.decorators.http import require_POST

from accounts.models import User
from accounts.sessions.requests import SignedInRequest
from bookings.domain.classes.completing import mark_attendance
from bookings.domain.dry_runs import rolled_back
from bookings.domain.exceptions import BookingError
from bookings.domain.people.claiming import mail_link
from bookings.domain.places.waiting_list import list_open_offers
from bookings.domain.queries import list_awaiting_payment, list_participants, list_undecided
from bookings.domain.sales.holds import release_hold
from bookings.models import (
    CalendarDrift,
    ClassStatus,
    Hold,
    Purchase,
    VirtualClass,
)
from bookings.money_state import with_class_money
from bookings.panel.classes.class_steps import CLASS_STEPS, AgreeToPrice, MarkAsPaid
from bookings.panel.lists import (
    OptionFilter,
    class_kind,
    class_link,
    class_name,
    day_and_time,
    make_badge,
    money_badge,
)
from bookings.panel.pages import FixedRowsMixin, Pages, ReadOnlyMixin
from bookings.panel.steps import Facts, Report, Step, StepsAdmin, explain
from bookings.templatetags.class_times import clock, pesos


def list_by_payment(classes: QuerySet[VirtualClass], *, paid: bool) -> QuerySet[VirtualClass]:
    """Keep the classes whose own sale is paid, or is not; none that the teacher published."""
    sales = Purchase.objects.classes().filter(virtual_class=OuterRef("pk"))
    return classes.filter(Exists(sales.filter(paid_at__isnull=not paid)))


def list_to_pay(classes: QuerySet[VirtualClass]) -> QuerySet[VirtualClass]:
    return classes.filter(pk__in=list_awaiting_payment().values("pk"))


class PaidFilter(OptionFilter):
    title = parameter_name = "pagada"
    options = {
        "si": ("Sí", partial(list_by_payment, paid=True)),
        "no": ("No", partial(list_by_payment, paid=False)),
        "espera": ("Por pagar", list_to_pay),
    }


def list_drifted(classes: QuerySet[VirtualClass]) -> QuerySet[VirtualClass]:
    drifted = classes.filter(status=ClassStatus.SCHEDULED, end_time__gt=timezone.now())
    return drifted.exclude(calendar_drift=CalendarDrift.NONE)


class DriftFilter(OptionFilter):
    title = parameter_name = "calendario"
    options = {"distinto": ("Dice otra cosa", list_drifted)}


def list_to_decide(classes: QuerySet[VirtualClass]) -> QuerySet[VirtualClass]:
    return classes.filter(pk__in=list_undecided().values("pk"))


class PriceDecisionFilter(OptionFilter):
    title = "fuera de la lista"
    parameter_name = "precio"
    options = {"decidir": ("Espera tu sí", list_to_decide)}


def list_with_open_offer(classes: QuerySet[VirtualClass]) -> QuerySet[VirtualClass]:
    return classes.filter(pk__in=list_open_offers(timezone.now()).values("virtual_class"))


class OfferFilter(OptionFilter):
    title = "lista de espera"
    parameter_name = "espera"
    options = {"ofrecido": ("Un lugar sin respuesta", list_with_open_offer)}


DIFFERS = "Calendario distinto"
# Steps that a class waits for and only the teacher takes.
ANSWERS = [AgreeToPrice(), MarkAsPaid()]


@admin.register(VirtualClass)
class VirtualClassAdmin(FixedRowsMixin, StepsAdmin[VirtualClass]):
    list_display = [
        "when",
        "badge",
        "who",
        "payment_badge",
        "next_step",
    ]
    list_filter = [
        "status",
        "class_type",
        ("start_time", admin.DateFieldListFilter),
        PaidFilter,
        PriceDecisionFilter,
        OfferFilter,
        DriftFilter,
    ]
    list_select_related = ["booked_by", "open_class"]
    search_fields = ["booked_by__email", "booked_by__name", "preference_id", "access_code"]
    date_hierarchy = "start_time"
    ordering = ["-start_time", "-id"]
    steps = CLASS_STEPS

    def own_pages(self) -> Pages:
        return {
            **super().own_pages(),
            "attendance": ("<uuid:class_id>/asistencia", require_POST(self.note_attendance)),
            "mail_link": ("<uuid:class_id>/enlace/correo", require_POST(self.mail_link)),
        }

    def get_queryset(self, request: HttpRequest) -> QuerySet[VirtualClass]:
        return with_class_money(super().get_queryset(request))

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        return [name for name in self.list_display if name != "next_step" or self.may(request)]

    def note_attendance(self, request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
        """Note who did not come; everybody else of the class did."""
        virtual_class, absent = self.find_row(request, class_id), request.POST.getlist("absent")
        said = []
        try:
            for one in list_participants(virtual_class):
                if one.no_show != (came := str(one.pk) not in absent):
                    continue
                mark_attendance(
                    class_id=class_id, activity_id=one.pk, came=came, actor=request.user
                )
                said.append(f"{one.user} {'vino' if came else 'faltó: la clase no le cuenta'}")
        except BookingError as refusal:
            return self.back_to(request, virtual_class, explain(refusal), messages.ERROR)
        done = f"Anotamos que {'; '.join(said)}." if said else "Ya estaba anotado así."
        self.log_change(request, virtual_class, done)
        return self.back_to(request, virtual_class, done)

    def mail_link(self, request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
        virtual_class = self.find_row(request, class_id)
        try:
            student = mail_link(class_id=class_id, by=request.user)
        except BookingError as refusal:
            return self.back_to(request, virtual_class, explain(refusal), messages.ERROR)
        self.log_change(request, virtual_class, "Mandó el enlace por correo.")
        done = f"Le mandamos el enlace a {student.mail_address}."
        return self.back_to(request, virtual_class, done)

    def row_address(self, row: Model) -> str:
        return reverse("admin:class_sheet", args=[row.pk])

    @admin.display(description="cuándo", ordering="start_time")
    def when(self, obj: VirtualClass) -> str:
        return f"{day_and_time(obj.start_time)} a {clock(obj.end_time)}"

    @admin.display(description="estado", ordering="status")
    def badge(self, obj: VirtualClass) -> str:
        if obj.is_being_scheduled:
            return make_badge("preparing", "Sin terminar")
        status = make_badge(obj.status, obj.get_status_display())
        if not obj.calendar_drift or not obj.is_scheduled or obj.has_ended():
            return status  # the event of a class that is over or cancelled does not matter
        return format_html("{} {}", status, make_badge("preparing", DIFFERS))

    @admin.display(description="clase", ordering="booked_by__name")
    def who(self, obj: VirtualClass) -> str:
        return format_html("{}<br><small>{}</small>", class_name(obj), class_kind(obj))

    @admin.display(description="pago", ordering="class_price")
    def payment_badge(self, obj: VirtualClass) -> str:
        if obj.purchase is None:  # an open class: its places are paid
            return "—"
        return format_html("{} {}", pesos(obj.class_price), money_badge(obj.purchase))

    @admin.display(description="qué hacer")
    def next_step(self, obj: VirtualClass) -> str:
        step = next((one for one in ANSWERS if one.is_offered(obj)), None)
        if step is None:
            return "—"
        address = self.address("step", obj.pk, step.name)
        return format_html(
            '<a class="button" href="{}">{}<span class="visually-hidden">: {}</span></a>',
            address,
            step.label,
            obj.booked_by,
        )

    def change_view(self, request: HttpRequest, object_id: str, *args: Any) -> HttpResponse:
        """The sheet has it all."""
        if self.get_object(request, object_id) is None:
            raise Http404
        return redirect("admin:class_sheet", object_id)


class ReleaseHold(Step[Hold]):
    name, permission = "liberar", "delete"
    label, bulk, yes = "Liberar el horario", "Liberar", "Sí, liberar"
    warning = "Otra persona puede reservarlo enseguida."

    def foresee(self, row: Hold, form: Any, actor: User) -> Facts | None:
        if row.purchase_id:
            raise BookingError("Se está pagando. Si no va a ser, cancelá la clase.")
        with rolled_back():
            is_held = release_hold(user=row.user, hold_id=row.pk)
        happens = (f"{row.user} pierde el horario que estaba reservando; no sale ningún correo.",)
        return Facts(str(row), happens) if is_held else None

    def take(self, row: Hold, form: Any, actor: User) -> Report:
        release_hold(user=row.user, hold_id=row.pk)
        return Report(f"{row}: horario liberado.")


@admin.register(Hold)
class HoldAdmin(ReadOnlyMixin, StepsAdmin[Hold]):
    list_display = ["when", "user", "class_type", "of_class", "until"]
    list_select_related = ["user", "purchase__virtual_class"]
    search_fields = ["user__email", "user__name"]
    ordering = ["start_time"]
    steps = (ReleaseHold(),)
    fields = ["when", "user", "class_type", "of_class", "until", "created_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Hold]:
        return super().get_queryset(request) & Hold.objects.live(timezone.now())

    def row_address(self, row: Model) -> str:
        """A released hold has no page."""
        return self.address("changelist")

    @admin.display(description="horario", ordering="start_time")
    def when(self, obj: Hold) -> str:
        return f"{day_and_time(obj.start_time)} a {clock(obj.end_time)}"

    @admin.display(description="clase")
    def of_class(self, obj: Hold) -> str:
        virtual_class = obj.purchase.virtual_class if obj.purchase else None
        return class_link(virtual_class, missing="—")

    @admin.display(description="vence")
    def until(self, obj: Hold) -> str:
        return day_and_time(obj.ends_at) if obj.ends_at else "—"
