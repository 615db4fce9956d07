"""The sheet of a class: everything that the teacher sees and can do."""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.phones import whatsapp_url
from bookings.domain.queries import (
    list_participants,
    list_returns_to_make,
    list_transfers_to_decide,
)
from bookings.models import (
    BankTransfer,
    ClassStatus,
    Purchase,
    UserActivity,
    VirtualClass,
    WaitingListEntry,
)
from bookings.money_state import with_class_money
from bookings.panel.classes.class_steps import CLASS_STEPS, RemoveFromLine
from bookings.panel.classes.class_timeline import build_timeline, describe_drift
from bookings.panel.classes.student_link import StudentLink, present_link
from bookings.panel.lists import day_and_time
from bookings.panel.money.ledger import PLACE_STEPS, RETURN_STEPS
from bookings.panel.money.payment_steps import PAYMENT_STEPS
from bookings.panel.pages import page_for, show_page
from bookings.panel.sales.open_class_pages import OpenClassSheet, load_sheet
from bookings.panel.sales.transfer_pages import TRANSFER_STEPS
from bookings.panel.steps import Step, list_links
from bookings.templatetags.class_times import clock, short_day

# With *Más*, and the one that keeps who came.
MOST_BUTTONS = 6
# Names of the steps that a class or its money waits for; of those that are often taken.
AWAITED = ("misma-persona", "deshacer", "aceptar", "quedarmelo", "probar", "en-efectivo")
PROBLEMS = ("pagada", "seguir", "reparar")
USUAL = ("mover", "devolver")
# Fields for whoever looks for a fault.
DETAILS = (
    *("access_code", "html_link", "summary", "provider_event_id", "preference_id", "created_at"),
    *("updated_at", "scheduling_requested_at", "scheduling_attempts", "next_scheduling_at"),
)


@dataclass(frozen=True, slots=True)
class Action:
    """A button, or a link behind *Más*. whose: the person, if the line does not name them."""

    label: str
    address: str
    look: str = "quiet"
    whose: str = ""


@dataclass(slots=True)
class Person:
    """A line of the table. actions: what waits for the teacher, the first beside the name."""

    user: User
    part: UserActivity | None = None
    purchase: Purchase | None = None
    entry: WaitingListEntry | None = None
    transfer: BankTransfer | None = None
    actions: list[Action] = field(default_factory=list)

    @property
    def whatsapp_url(self) -> str:
        return whatsapp_url(self.user.phone)

    @property
    def mail_address(self) -> str:
        may_be_mailed = self.user.is_active or self.user.contact_email
        return self.user.mail_address if may_be_mailed else ""


@page_for("bookings.view_virtualclass")
def show_class(request: HttpRequest, class_id: uuid.UUID) -> HttpResponse:
    about = "booked_by", "offer", "open_class", "link__claimed_by", "link__made_for"
    classes = with_class_money(VirtualClass.objects.select_related(*about))
    row = get_object_or_404(classes, pk=class_id)
    loaded = load_sheet(row)
    published, places = loaded or (None, [])
    people = _list_people(request, row, places)
    may_change = request.user.has_perm("bookings.change_virtualclass")
    # It lets its bearer take the class.
    link = present_link(row) if may_change else None
    buttons, more = _list_actions(request, row, people, published, link)
    return show_page(
        request,
        "admin/agenda/class.html",
        title=f"{short_day(row.start_time).capitalize()}, {clock(row.start_time)} a "
        f"{clock(row.end_time)}",
        row=row,
        purchase=row.purchase,
        published=published,
        payments=sum(one.paid_at is not None for one in places),
        people=people,
        buttons=buttons,
        more=more,
        may_mark=_has_begun(row) and may_change,
        timeline=build_timeline(row),
        drift=describe_drift(row) if row.is_scheduled and row.calendar_drift else "",
        student_link=link,
        details=_list_details(row),
    )


# --- The table of the people ----------------------------------------------------------------------


def _list_people(
    request: HttpRequest, row: VirtualClass, places: Sequence[Purchase]
) -> list[Person]:
    """List who takes part, pays, is owed money or waits; not the teacher in her open class."""
    people = {one.user_id: Person(one.user, part=one) for one in list_participants(row)}
    if row.purchase is None:
        people.pop(row.booked_by_id, None)
    else:  # not among them if it is not scheduled yet, or was cancelled before
        host = people.pop(row.booked_by_id, Person(row.booked_by))
        people = {row.booked_by_id: replace(host, purchase=row.purchase), **people}
    for purchase, rows, steps in _list_money(request, row, places):
        person = people.setdefault(purchase.person_id, Person(purchase.person))
        person.purchase = person.purchase or purchase
        person.transfer = rows if isinstance(rows, BankTransfer) else person.transfer
        person.actions += _list_steps(request, steps, rows)
    for entry in row.waiting_list.select_related("user"):
        if entry.is_open or entry.user_id not in people:
            person = people.setdefault(entry.user_id, Person(entry.user))
            person.entry = entry
            person.actions += _offer_removal(request, entry)
    return list(people.values())


def _list_money(
    request: HttpRequest, row: VirtualClass, places: Sequence[Purchase]
) -> Iterator[tuple[Purchase, Model, Sequence[Step[Any]]]]:
    if request.user.has_perm("bookings.view_banktransfer"):
        for transfer in list_transfers_to_decide().filter(purchase__virtual_class=row):
            yield transfer.purchase, transfer, TRANSFER_STEPS
    if request.user.has_perm("bookings.view_payment"):
        for refund in list_returns_to_make().filter(purchase__virtual_class=row):
            yield refund.purchase, refund, RETURN_STEPS
    for place in places:
        yield place, place, PLACE_STEPS


def _offer_removal(request: HttpRequest, entry: WaitingListEntry) -> list[Action]:
    if not entry.is_open or not request.user.has_perm("bookings.change_virtualclass"):
        return []
    names = [entry.virtual_class_id, RemoveFromLine.name]
    address = reverse("admin:bookings_virtualclass_step", args=names)
    return [Action("Quitar", f"{address}?entry={entry.pk}")]


# --- What can be done -----------------------------------------------------------------------------


def _list_actions(
    request: HttpRequest,
    row: VirtualClass,
    people: list[Person],
    published: OpenClassSheet | None,
    link: StudentLink | None,
) -> tuple[list[Action], list[Action]]:
    """Return the buttons, the main one first, and the links behind *Más*."""
    steps = _list_own_steps(request, row)
    send = [Action("Mandar por WhatsApp", link.whatsapp_url)] if link and link.address else []
    main, is_announced = _take(steps, AWAITED), False
    if published is None:  # the only person's money is what the class waits for
        main += people[0].actions
        people[0].actions = []
        is_announced = people[0].transfer is not None
    main += _take(steps, ["agendar"]) if row.is_paid else send
    main += [Action("Entrar", row.html_link)] if _is_open(row) else []
    # An announced transfer is confirmed, and the class not marked as paid.
    main += _take(steps, [one for one in PROBLEMS if not (one == "pagada" and is_announced)])
    usual = [*(send if row.is_paid else []), *_offer_sharing(published)]
    usual += [*_offer_writing(request, row, people), *_take(steps, USUAL)]
    buttons = [*(replace(one, look="sun") for one in main[:1]), *main[1:], *usual]
    rest = [replace(one, whose=str(each.user)) for each in people for one in each.actions[1:]]
    rest += [Action("Ver su página", published.page_url)] if published else []
    room = MOST_BUTTONS - 1 - _has_begun(row)
    return buttons[:room], [*buttons[room:], *rest, *steps.values()]


def _list_own_steps(request: HttpRequest, row: VirtualClass) -> dict[str, Action]:
    """List the steps of the class and its payment by their names, cancelling last."""
    links = list_links(request, CLASS_STEPS, row, back=request.path)
    payment = row.purchase.find_payment() if row.purchase else None
    if payment is not None and (payment.approved_at or payment.review):
        links = [*list_links(request, PAYMENT_STEPS, payment, back=request.path), *links]
    return {step.name: _present(step, address) for step, address in links}


def _list_steps(request: HttpRequest, steps: Sequence[Step[Any]], row: Model) -> list[Action]:
    links = list_links(request, steps, row, back=request.path)
    return [_present(step, address) for step, address in links]


def _present(step: Step[Any], address: str) -> Action:
    return Action(step.label, address, "remove" if step.is_final else "quiet")


def _take(steps: dict[str, Action], names: Iterable[str]) -> list[Action]:
    return [steps.pop(name) for name in names if name in steps]


def _offer_sharing(published: OpenClassSheet | None) -> list[Action]:
    if published is None or published.open_class.virtual_class.has_ended():
        return []
    return [Action("Compartir por WhatsApp", published.whatsapp_url)]


def _offer_writing(request: HttpRequest, row: VirtualClass, people: list[Person]) -> list[Action]:
    may_write = request.user.has_perm("bookings.change_virtualclass")
    # Not who only waits: in an open class neither of them has a purchase.
    people = [one for one in people if one.part or (row.purchase and one.purchase == row.purchase)]
    if not may_write or not any(one.mail_address for one in people):
        return []
    whom = "todos" if len(people) > 1 else people[0].user.first_name
    return [Action(f"Escribir a {whom}", f"{reverse('admin:write')}?clase={row.pk}")]


# --- What it is -----------------------------------------------------------------------------------


def _is_open(row: VirtualClass) -> bool:
    return row.is_scheduled and not row.has_ended()


def _has_begun(row: VirtualClass) -> bool:
    is_given = row.status in {ClassStatus.SCHEDULED, ClassStatus.COMPLETED}
    return is_given and row.start_time <= timezone.now()


def _list_details(row: VirtualClass) -> list[tuple[str, Any]]:
    fields = [one for one in VirtualClass._meta.fields if one.name in DETAILS]
    values = [(str(one.verbose_name), getattr(row, one.name)) for one in fields]
    return [
        (name, day_and_time(value) if isinstance(value, datetime) else value)
        for name, value in values
        if value not in (None, "")
    ]
