"""The sheet of a class: everything that the teacher sees and can do."""

import uuid
from datetime import datetime
from typing import Any

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
from bookings.models import BankTransfer, ClassStatus, UserActivity, VirtualClass, WaitingListEntry
from bookings.money_state import with_class_money
from bookings.panel.classes.class_forms import MoveForm
from bookings.panel.classes.class_steps import CLASS_STEPS, MoveClass, RemoveFromLine
from bookings.panel.classes.class_timeline import build_timeline, describe_drift
from bookings.panel.classes.student_link import present_link
from bookings.panel.lists import day_and_time
from bookings.panel.money.ledger import PLACE_STEPS, ReturnRow, present_return
from bookings.panel.money.payment_steps import PAYMENT_STEPS
from bookings.panel.pages import page_for, show_page
from bookings.panel.sales.open_class_pages import load_sheet
from bookings.panel.sales.transfer_pages import TRANSFER_STEPS
from bookings.panel.steps import Step, list_links
from bookings.templatetags.class_times import clock, short_day

Link = tuple[Step[Any], str]  # a step with its address
# It begins on the sheet, so that moving a class takes one tap less.
MOVE = next(one for one in CLASS_STEPS if isinstance(one, MoveClass))
OTHER_STEPS = [one for one in CLASS_STEPS if one is not MOVE]
# Fields for whoever looks for a fault.
DETAILS = (
    *("access_code", "html_link", "summary", "provider_event_id", "preference_id", "created_at"),
    *("updated_at", "scheduling_requested_at", "scheduling_attempts", "next_scheduling_at"),
)


@page_for("bookings.view_virtualclass")
def show_class(request: HttpRequest, class_id: uuid.UUID) -> HttpResponse:
    about = "booked_by", "offer", "link__claimed_by", "link__made_for"
    classes = with_class_money(VirtualClass.objects.select_related(*about))
    row = get_object_or_404(classes, pk=class_id)
    now = timezone.now()
    hours = f"{clock(row.start_time)} a {clock(row.end_time)}"
    people = _list_people(row)
    may_change = request.user.has_perm("bookings.change_virtualclass")
    open_class = _load_open_class(request, row)
    # The teacher, who is an open class's host, does not write to herself.
    hers = row.booked_by if open_class["published"] else None
    others = [person for person, _, _ in people if person != hers]
    return show_page(
        request,
        "admin/agenda/class.html",
        title=f"{short_day(row.start_time).capitalize()}, {hours}",
        row=row,
        purchase=row.purchase,
        people=people,
        **open_class,
        waiting=_list_line(row, may_change=may_change),
        returns=_list_returns(request, row),
        move=_find_move(request, row),
        steps=[*list_links(request, OTHER_STEPS, row), *_list_refunds(request, row)],
        transfers=_list_transfers(request, row),
        is_open=row.is_scheduled and not row.has_ended(now),
        may_mark=_has_begun(row) and may_change,
        timeline=build_timeline(row),
        drift=describe_drift(row) if row.is_scheduled and row.calendar_drift else "",
        # It lets its bearer take the class.
        student_link=present_link(row) if may_change else None,
        may_write=any(person.mail_address for person in others),
        details=_list_details(row),
    )


def _load_open_class(request: HttpRequest, row: VirtualClass) -> dict[str, Any]:
    loaded = load_sheet(row)
    if loaded is None:
        return {"published": None}
    published, places = loaded
    shown = [(one, list_links(request, PLACE_STEPS, one)) for one in places]
    return {"published": published, "places": shown}


def _list_people(row: VirtualClass) -> list[tuple[User, UserActivity | None, str]]:
    parts = list(list_participants(row))
    people: list[tuple[User, UserActivity | None]] = [(one.user, one) for one in parts]
    if not any(row.is_hosted_by(person) for person, _ in people):
        people.insert(0, (row.booked_by, None))  # not scheduled yet, or cancelled before
    return [(person, part, whatsapp_url(person.phone)) for person, part in people]


def _list_line(row: VirtualClass, *, may_change: bool) -> list[tuple[WaitingListEntry, str]]:
    """List who waits or waited, each with the address that takes the person out of the line."""
    remove = reverse("admin:bookings_virtualclass_step", args=[row.pk, RemoveFromLine.name])
    return [
        (entry, f"{remove}?entry={entry.pk}" if may_change and entry.is_open else "")
        for entry in row.waiting_list.select_related("user")
    ]


def _list_details(row: VirtualClass) -> list[tuple[str, Any]]:
    fields = [one for one in VirtualClass._meta.fields if one.name in DETAILS]
    values = [(str(one.verbose_name), getattr(row, one.name)) for one in fields]
    return [
        (name, day_and_time(value) if isinstance(value, datetime) else value)
        for name, value in values
        if value not in (None, "")
    ]


def _find_move(request: HttpRequest, row: VirtualClass) -> tuple[str, str, MoveForm] | None:
    for step, address in list_links(request, [MOVE], row):
        return step.label, address, MoveForm(None, row)
    return None


def _list_refunds(request: HttpRequest, row: VirtualClass) -> list[Link]:
    payment = row.purchase.find_payment() if row.purchase else None
    if payment is None or not (payment.approved_at or payment.review):
        return []
    return list_links(request, PAYMENT_STEPS, payment)


def _list_transfers(
    request: HttpRequest, row: VirtualClass
) -> list[tuple[BankTransfer, list[Link]]]:
    if not request.user.has_perm("bookings.view_banktransfer"):
        return []
    transfers = list_transfers_to_decide().filter(purchase__virtual_class=row)
    return [(one, list_links(request, TRANSFER_STEPS, one)) for one in transfers]


def _list_returns(request: HttpRequest, row: VirtualClass) -> list[ReturnRow]:
    if not request.user.has_perm("bookings.view_payment"):
        return []
    refunds = list_returns_to_make().filter(purchase__virtual_class=row)
    return [present_return(request, one) for one in refunds]


def _has_begun(row: VirtualClass) -> bool:
    is_given = row.status in {ClassStatus.SCHEDULED, ClassStatus.COMPLETED}
    return is_given and row.start_time <= timezone.now()
