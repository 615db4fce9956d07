"""Classes, as the teacher sees and steers them."""

import uuid
from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils.html import format_html

from accounts.models import User
from accounts.requests import SignedInRequest
from bookings.admin.class_forms import CancelForm, MoveForm
from bookings.admin.class_people import (
    ActivityInline,
    PeopleForm,
    WaitingInline,
    find_capacity,
    take_step,
)
from bookings.admin.class_timeline import build_timeline, describe_drift
from bookings.admin.filters import DriftFilter, PaidFilter
from bookings.admin.price_decisions import PriceDecisionFilter, decide_price
from bookings.domain.cancelling import cancel_class
from bookings.domain.exceptions import BookingError, ClassNotFoundError, TimeAwaitedError
from bookings.domain.queries import is_undecided
from bookings.domain.reconciling import reconcile_class
from bookings.domain.rescheduling import reschedule_class
from bookings.domain.scheduling import schedule_class
from bookings.domain.settling import confirm_payment
from bookings.models import ClassStatus, ClassType, VirtualClass
from bookings.templatetags.class_times import clock, pesos, short_day
from calendar_sync import CalendarError, CalendarNotConnectedError, CalendarRefusedError

NOT_CONNECTED = "El calendario no está conectado. Reconectalo en «Calendario» y volvé a intentar."
CALENDAR_DOWN = "El calendario no respondió. Volvé a intentar en unos minutos: no se duplica nada."
CALENDAR_REFUSED = "El calendario no lo aceptó. Mirá el evento en Google Calendar."
DIFFERS = "Calendario distinto"
MOVE_REFUSED = (
    "El horario ya cambió y avisamos a todos. El calendario no aceptó mover el evento: miralo en "
    "Google Calendar, y después reparalo desde acá."
)
STEP_GONE = "Eso cambió mientras mirabas. Fijate cómo está ahora y volvé a intentar."
MOVE_PENDING = (
    "El horario ya cambió y avisamos a todos. El calendario no respondió: lo actualizamos apenas "
    "responda."
)


@admin.register(VirtualClass)
class VirtualClassAdmin(admin.ModelAdmin[VirtualClass]):
    """The teacher's list of classes. Fields that the domain owns are read-only."""

    list_display = ["when", "badge", "booked_by", "class_type", "places", "price", "is_paid"]
    list_filter = [
        "status",
        "class_type",
        ("start_time", admin.DateFieldListFilter),
        PaidFilter,
        PriceDecisionFilter,
        DriftFilter,
    ]
    list_select_related = ["booked_by"]
    search_fields = ["booked_by__email", "booked_by__name", "preference_id", "access_code"]
    date_hierarchy = "start_time"
    ordering = ["-start_time", "-id"]
    show_full_result_count = False
    inlines = [ActivityInline, WaitingInline]
    actions = ["mark_as_paid", "schedule", "repair", "cancel"]
    change_form_template = "admin/bookings/virtualclass/change_form.html"

    fieldsets = [
        (
            None,
            {"fields": ["when", "booked_by", "class_type", "badge", "places", "learning_focus"]},
        ),
        ("Pago", {"fields": ["price", "paid_at", "preference_id"]}),
        ("Videollamada", {"fields": ["link", "access_code", "summary", "provider_event_id"]}),
        (
            "Registro",
            {
                "fields": [
                    "created_at",
                    "updated_at",
                    "scheduling_requested_at",
                    "scheduling_attempts",
                    "next_scheduling_at",
                ]
            },
        ),
    ]
    readonly_fields = [
        "when",
        "booked_by",
        "class_type",
        "badge",
        "places",
        "learning_focus",
        "price",
        "paid_at",
        "preference_id",
        "link",
        "access_code",
        "summary",
        "provider_event_id",
        "created_at",
        "updated_at",
        "scheduling_requested_at",
        "scheduling_attempts",
        "next_scheduling_at",
    ]

    def get_urls(self) -> list[URLPattern]:
        """Add where the buttons of people and capacity are sent, before Django's own."""
        step = self.admin_site.admin_view(self.take_people_step)
        address = path("<uuid:class_id>/personas", step, name="bookings_virtualclass_people")
        price = self.admin_site.admin_view(self.price_view)
        decide = path("<uuid:class_id>/precio", price, name="bookings_virtualclass_price")
        return [address, decide, *super().get_urls()]

    def price_view(self, request: HttpRequest, class_id: uuid.UUID) -> HttpResponse:
        """Decide about a class that the price list lacks."""
        virtual_class = self.get_object(request, str(class_id))
        if virtual_class is None:
            raise Http404
        if not self.has_change_permission(request, virtual_class):
            raise PermissionDenied
        return decide_price(self, request, virtual_class)

    def get_inlines(
        self, request: HttpRequest, obj: VirtualClass | None
    ) -> list[type[admin.options.InlineModelAdmin[Any, VirtualClass]]]:
        """Leave the waiting list out where nobody can wait."""
        inlines = super().get_inlines(request, obj)
        is_group = obj is not None and obj.class_type == ClassType.GROUP
        return [one for one in inlines if is_group or one is not WaitingInline]

    def take_people_step(self, request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
        """Mark who did not come, take somebody out of the line, or change the capacity."""
        virtual_class = self.get_object(request, str(class_id))
        if virtual_class is None or request.method != "POST":
            raise Http404
        if not self.has_change_permission(request, virtual_class):
            raise PermissionDenied
        form = PeopleForm(request.POST)
        if not form.is_valid():
            self.message_user(request, "Ese dato no es válido.", messages.ERROR)
        else:
            self._report(request, virtual_class, form.cleaned_data)
        return redirect("admin:bookings_virtualclass_change", virtual_class.pk)

    def _report(
        self, request: SignedInRequest, virtual_class: VirtualClass, chosen: dict[str, Any]
    ) -> None:
        """Take the chosen step, tell the teacher, and note it in the panel's own history."""
        try:
            done = take_step(class_id=virtual_class.pk, chosen=chosen, actor=request.user)
        except ClassNotFoundError:  # its own text is about access codes
            self.message_user(request, STEP_GONE, messages.ERROR)
        except BookingError as refusal:
            self.message_user(request, str(refusal.text), messages.ERROR)
        else:
            if done:
                self.log_change(request, virtual_class, done)
                self.message_user(request, done, messages.SUCCESS)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Classes are booked, never typed in."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: VirtualClass | None = None) -> bool:
        """Classes are cancelled, never deleted."""
        return False

    @admin.display(description="cuándo", ordering="start_time")
    def when(self, obj: VirtualClass) -> str:
        """Say day and hours in the service's zone."""
        return f"{short_day(obj.start_time)} · {clock(obj.start_time)} a {clock(obj.end_time)}"

    @admin.display(description="estado", ordering="status")
    def badge(self, obj: VirtualClass) -> str:
        """Show the status as a badge; unfinished work and a calendar that differs say so."""
        if obj.is_being_scheduled:
            return format_html('<span class="badge badge-preparing">{}</span>', "Sin terminar")
        badge = format_html(
            '<span class="badge badge-{}">{}</span>', obj.status, obj.get_status_display()
        )
        if not obj.calendar_drift or not obj.is_scheduled or obj.has_ended():
            return badge  # a class that is over, or off, needs nothing of its event any more
        return format_html('{} <span class="badge badge-preparing">{}</span>', badge, DIFFERS)

    @admin.display(description="lugares")
    def places(self, obj: VirtualClass) -> str:
        """Say how many places are taken, of how many."""
        return f"{obj.current_participants} de {obj.capacity}"

    @admin.display(description="precio", ordering="class_price")
    def price(self, obj: VirtualClass) -> str:
        """Write the price in pesos."""
        return pesos(obj.class_price)

    @admin.display(description="pagada", boolean=True, ordering="paid_at")
    def is_paid(self, obj: VirtualClass) -> bool:
        """Whether the payment was confirmed."""
        return obj.paid_at is not None

    @admin.display(description="enlace")
    def link(self, obj: VirtualClass) -> str:
        """Link to the video call."""
        if not obj.html_link:
            return "—"
        return format_html('<a href="{0}" rel="noopener">{0}</a>', obj.html_link)

    @admin.action(description="Marcar como pagadas y agendar", permissions=["change"])
    def mark_as_paid(self, request: SignedInRequest, queryset: QuerySet[VirtualClass]) -> None:
        """Vouch for the money and schedule."""
        self._for_each(
            request,
            queryset,
            lambda c: confirm_payment(class_id=c.pk, actor=request.user),
            "pagada y agendada",
        )

    @admin.action(description="Agendar en el calendario", permissions=["change"])
    def schedule(self, request: SignedInRequest, queryset: QuerySet[VirtualClass]) -> None:
        """Schedule, or finish a scheduling that was cut short."""
        self._for_each(
            request,
            queryset,
            lambda c: schedule_class(preference_id=c.preference_id, actor=request.user),
            "agendada",
        )

    @admin.action(description="Reparar el evento del calendario", permissions=["change"])
    def repair(self, request: SignedInRequest, queryset: QuerySet[VirtualClass]) -> None:
        """Have the calendar say what the class says."""
        self._for_each(
            request,
            queryset,
            lambda c: reconcile_class(class_id=c.pk, actor=request.user),
            "el calendario dice lo mismo",
        )

    @admin.action(description="Cancelar", permissions=["change"])
    def cancel(self, request: SignedInRequest, queryset: QuerySet[VirtualClass]) -> None:
        """Cancel, and take the event off the calendar."""
        self._for_each(
            request,
            queryset,
            lambda c: cancel_class(class_id=c.pk, actor=request.user),
            "cancelada",
        )

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Offer the steps that the class's status allows, and take the one that was chosen.

        There is nothing to save, so no POST reaches Django's own handling: it holds a transaction
        open, and the steps call the calendar.
        """
        virtual_class = self.get_object(request, object_id)
        if virtual_class is None:
            return super().change_view(request, object_id, form_url, extra_context)
        posted = request.POST if request.method == "POST" else None
        move_form = MoveForm(_if_pressed("_move", posted), virtual_class=virtual_class)
        cancel_form = CancelForm(_if_pressed("_cancel", posted))
        if posted is not None and self._take_step(request, virtual_class, move_form, cancel_form):
            return HttpResponseRedirect(request.path)
        may_change = self.has_change_permission(request, virtual_class)
        is_scheduled = may_change and virtual_class.is_scheduled
        is_pending = may_change and virtual_class.status == ClassStatus.PENDING
        extra = {
            **(extra_context or {}),
            "capacity": find_capacity(virtual_class) if may_change else None,
            "can_settle": is_pending and not is_undecided(virtual_class),
            "is_undecided": may_change and is_undecided(virtual_class),
            "drift": describe_drift(virtual_class)
            if is_scheduled and virtual_class.calendar_drift
            else "",
            "move_form": move_form if is_scheduled else None,
            "cancel_form": cancel_form if is_scheduled or is_pending else None,
            "timeline": build_timeline(virtual_class),
        }
        request.method = "GET"  # the form is shown again with its errors, and nothing is saved
        return super().change_view(request, object_id, form_url, extra)

    def _take_step(
        self,
        request: HttpRequest,
        virtual_class: VirtualClass,
        move_form: MoveForm,
        cancel_form: CancelForm,
    ) -> bool:
        """Take the step whose button was pressed; False for a form with errors."""
        user = request.user
        if not self.has_change_permission(request, virtual_class) or not isinstance(user, User):
            raise PermissionDenied
        chosen = VirtualClass.objects.filter(pk=virtual_class.pk)
        if "_move" in request.POST:
            return self._move(request, virtual_class, move_form, user)
        if "_cancel" in request.POST:
            return self._cancel(request, chosen, cancel_form, user)
        for name in ("mark_as_paid", "schedule", "repair"):
            if f"_{name}" in request.POST:
                getattr(self, name)(request, chosen)
        return True

    def _move(
        self, request: HttpRequest, virtual_class: VirtualClass, form: MoveForm, user: User
    ) -> bool:
        if not form.is_valid():
            return False
        try:
            moved = reschedule_class(
                class_id=virtual_class.pk,
                actor=user,
                start=form.start,
                reason=form.cleaned_data["reason"],
                displacing={one.pk for one in form.cleaned_data["displaces"]},
            )
        except BookingError as refusal:
            form.add_error(None, refusal.text)
            if isinstance(refusal, TimeAwaitedError):
                form.ask_about(refusal.classes)
            return False
        if moved.event_update_requested_at is not None:
            self.message_user(request, MOVE_PENDING, messages.WARNING)
        elif moved.calendar_drift:
            self.message_user(request, MOVE_REFUSED, messages.WARNING)
        else:
            self.message_user(
                request, "Listo: cambió el horario y avisamos a todos.", messages.SUCCESS
            )
        return True

    def _cancel(
        self,
        request: HttpRequest,
        chosen: QuerySet[VirtualClass],
        form: CancelForm,
        user: User,
    ) -> bool:
        if not form.is_valid():
            return False
        self._for_each(
            request,
            chosen,
            lambda c: cancel_class(class_id=c.pk, actor=user, reason=form.cleaned_data["reason"]),
            "cancelada",
        )
        return True

    def _for_each(
        self,
        request: HttpRequest,
        classes: QuerySet[VirtualClass],
        step: Callable[[VirtualClass], VirtualClass],
        done: str,
    ) -> None:
        """Take one step for each class and report on each: one refusal stops no other."""
        for virtual_class in classes.select_related("booked_by"):
            try:
                step(virtual_class)
            except BookingError as refusal:
                self.message_user(request, f"{virtual_class}: {refusal.text}", messages.ERROR)
            except CalendarNotConnectedError:
                self.message_user(request, f"{virtual_class}: {NOT_CONNECTED}", messages.ERROR)
            except CalendarRefusedError:
                self.message_user(request, f"{virtual_class}: {CALENDAR_REFUSED}", messages.ERROR)
            except CalendarError:
                self.message_user(request, f"{virtual_class}: {CALENDAR_DOWN}", messages.WARNING)
            else:
                self.message_user(request, f"{virtual_class}: {done}.", messages.SUCCESS)


def _if_pressed(button: str, posted: QueryDict | None) -> QueryDict | None:
    """Give what was posted to the form of a button, when that one was pressed."""
    return posted if posted is not None and button in posted else None
