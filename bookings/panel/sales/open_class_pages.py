"""*Clases abiertas*: groups that the teacher publishes."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from accounts.models import Level, User
from accounts.phones import whatsapp_share_url
from bookings.domain.exceptions import BookingError, SlotTakenError
from bookings.domain.sales.open_classes import (
    CountedClass,
    OpenClassDraft,
    publish_open_class,
    with_counts,
)
from bookings.models import (
    ClassStatus,
    MinimumDecision,
    OpenClass,
    Purchase,
    PurchaseState,
    VirtualClass,
)
from bookings.notices.facts import site_address
from bookings.panel.classes.class_forms import StartForm
from bookings.panel.classes.free_hours import explain_taken
from bookings.panel.inputs import PesosField, read_start
from bookings.panel.lists import place_cost
from bookings.panel.money.prices import warn_of_cut_off
from bookings.panel.pages import log_to_panel, page_for, read_or_send, show_page
from bookings.templatetags.class_times import clock, long_day

PAST_SHOWN = 10
LATER = "Quedó publicada. El calendario no respondió: se puede reservar apenas responda."
ORDER = [PurchaseState.PAID, PurchaseState.KEPT, PurchaseState.LOST, PurchaseState.ENDED]
# What the next class has too, unless she changes it.
PROPOSED = ("title", "places", "place_price", "minimum", "level", "text", "title_en", "text_en")
# Hours before the class at which its minimum is decided.
DEADLINES = [
    (24, "Un día antes"),
    (48, "Dos días antes"),
    (72, "Tres días antes"),
    (6, "Seis horas antes"),
    (2, "Dos horas antes"),
]


class PublishForm(StartForm):
    title = forms.CharField(label="Título", max_length=80)
    places = forms.IntegerField(label="Lugares", min_value=1)
    place_price = PesosField(label="Precio por lugar", help_text="En pesos. 0 es gratis.")
    minimum = forms.IntegerField(
        label="Mínimo para darla", min_value=1, help_text="Personas, sin contarte."
    )
    hours_before = forms.TypedChoiceField(
        label="Se decide", choices=DEADLINES, coerce=int, initial=24
    )
    minutes = forms.IntegerField(label="Minutos", min_value=10, max_value=480, initial=60)
    level = forms.ChoiceField(
        label="Nivel", choices=[("", "Cualquiera"), *Level.choices], required=False
    )
    text = forms.CharField(
        label="De qué se trata",
        max_length=1000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    title_en = forms.CharField(label="Título, en inglés", max_length=80, required=False)
    text_en = forms.CharField(
        label="De qué se trata, en inglés",
        max_length=1000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    is_listed = forms.BooleanField(label="A la vista de todos", required=False, initial=True)

    def draft(self) -> OpenClassDraft:
        given = self.cleaned_data
        return OpenClassDraft(
            **{name: given[name] for name in (*PROPOSED, "minutes")},
            start=self.start,
            decides_at=self.start - timedelta(hours=given["hours_before"]),
            is_listed=given["is_listed"],
        )


@page_for("bookings.view_openclass")
def show_open_classes(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    every = with_counts(now)
    ahead = every.filter(virtual_class__end_time__gt=now)
    past = every.filter(virtual_class__end_time__lte=now)
    return show_page(
        request,
        "admin/sales/open_classes.html",
        title="Clases abiertas",
        ahead=list(map(present, ahead.order_by("virtual_class__start_time", "pk"))),
        past=list(map(present, past.order_by("-virtual_class__start_time")[:PAST_SHOWN])),
    )


@page_for("bookings.change_virtualclass", read_or_send)
def publish(request: HttpRequest) -> HttpResponse:
    """``?inicio=`` proposes a time."""
    start = read_start(request.GET.get("inicio", ""))
    form = PublishForm(request.POST or None, initial=_propose(start))
    if request.method == "POST" and form.is_valid():
        open_class = _publish(request, form)
        if open_class is not None:
            return redirect("admin:class_sheet", class_id=open_class.pk)
    return show_page(
        request,
        "admin/sales/publish.html",
        title="Publicar una clase abierta",
        form=form,
    )


@dataclass(frozen=True, slots=True)
class OpenClassSheet:
    open_class: CountedClass
    state: str
    badge: str
    page_url: str
    whatsapp_url: str


def present(open_class: CountedClass) -> OpenClassSheet:
    state, badge = _describe_state(open_class)
    address = site_address("bookings:open_class", open_class.pk)
    return OpenClassSheet(
        open_class=open_class,
        state=state,
        badge=badge,
        page_url=address,
        whatsapp_url=whatsapp_share_url(_write_invitation(open_class, address)),
    )


def load_sheet(row: VirtualClass) -> tuple[OpenClassSheet, list[Purchase]] | None:
    """Return the places that people pay or paid, paid ones first; None for another class.

    Prefetch ``with_class_money``.
    """
    open_class = with_counts(timezone.now()).filter(pk=row.pk).first()
    if open_class is None:
        return None
    places = [one for one in row.purchases.all() if one.is_place and one.state in ORDER]
    places.sort(key=lambda one: (ORDER.index(PurchaseState(one.state)), one.created_at))
    return present(open_class), places


def _publish(request: HttpRequest, form: PublishForm) -> OpenClass | None:
    draft, by = form.draft(), cast(User, request.user)
    try:
        open_class = publish_open_class(draft=draft, by=by)
    except SlotTakenError as refusal:
        form.add_error(None, explain_taken(draft.start, draft.end, by) or str(refusal.text))
        return None
    except BookingError as refusal:
        form.add_error(None, str(refusal.text))
        return None
    log_to_panel(request, OpenClass, f"Publicar «{open_class}»", open_class)
    if open_class.virtual_class.is_scheduled:
        messages.success(request, f"Listo: «{open_class}» está publicada. Compartila.")
    else:
        messages.warning(request, LATER)
    warn_of_cut_off(request, [(draft.minutes, draft.places + 1)])
    return open_class


def _propose(start: datetime | None) -> dict[str, Any]:
    last = OpenClass.objects.select_related("virtual_class").order_by("-created_at").first()
    proposed: dict[str, Any] = {}
    if last is not None:
        proposed = {name: getattr(last, name) for name in PROPOSED}
        proposed["minutes"] = last.virtual_class.minutes
    if start:
        proposed |= {"day": start.date(), "clock": start.time()}
    return proposed


def _describe_state(open_class: OpenClass) -> tuple[str, str]:
    virtual_class = open_class.virtual_class
    if virtual_class.status == ClassStatus.CANCELLED:
        called_off = open_class.decision == MinimumDecision.CALLED_OFF
        return ("No llegó al mínimo" if called_off else "Cancelada"), "cancelled"
    if virtual_class.has_ended():
        return "Terminada", "completed"
    if not virtual_class.is_scheduled:
        return "Espera al calendario", "preparing"
    if open_class.decision == MinimumDecision.GOES_ON:
        return "Se da", "scheduled"
    missing = open_class.people_missing
    if not missing:
        return "Llegó al mínimo", "scheduled"
    return (f"Faltan {missing}" if missing > 1 else "Falta 1"), "pending"


def _write_invitation(open_class: OpenClass, address: str) -> str:
    start = timezone.localtime(open_class.virtual_class.start_time)
    when = f"{long_day(start).capitalize()}, {clock(start)} h"
    return f"{open_class.title}. {when}, {place_cost(open_class)}. Reservá el tuyo acá: {address}"
