"""Booking a class for a student: whom, which class and when on one page, and then WhatsApp."""

import uuid
from datetime import datetime, timedelta
from typing import cast

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.text import format_lazy

from accounts.models import User, UserStatus
from accounts.phones import whatsapp_url
from accounts.services import strike_out, write_down
from bookings.domain.exceptions import BookingError, SlotTakenError
from bookings.domain.people.students import find_same_people, list_bookable
from bookings.domain.sales.her_bookings import book_for
from bookings.models import Purchase, VirtualClass
from bookings.pages.front.timetable import with_policy
from bookings.panel.classes.book_forms import BookForm
from bookings.panel.classes.class_forms import PersonForm
from bookings.panel.classes.free_hours import explain_taken, present_hours
from bookings.panel.classes.student_link import present_link
from bookings.panel.lists import day_at
from bookings.panel.pages import log_to_panel, page_for, read_or_send, show_page
from bookings.payments.backend import PROVIDER_NAME
from bookings.payments.gateway import PaymentError

# How many people the page lists without a search, so that a phone's first screen also shows the
# fields of a new person; and how many it lists for a search.
PEOPLE_AT_FIRST, PEOPLE_FOUND = 4, 20
# What the links of the page keep.
KEPT = ("estudiante", "kind", "minutes")
# Browsers apply form-action to the redirects that follow a form; WhatsApp's address redirects too.
WHATSAPP = ["https://wa.me", "https://api.whatsapp.com"]
PROVIDER_DOWN = format_lazy(
    "{provider} no respondió, y no se reservó nada. Volvé a intentar en unos minutos.",
    provider=PROVIDER_NAME,
)
CALENDAR_LATER = (
    "Quedó reservada y pagada. El calendario no respondió: la agendamos apenas responda."
)


@page_for(["bookings.change_virtualclass", "accounts.view_user"], read_or_send)
def book_for_student(request: HttpRequest) -> HttpResponse:
    """Book for the student of ``?estudiante=``, or for a new person.

    ``?inicio=`` proposes a time.
    """
    data = request.POST if request.method == "POST" else None
    student, newcomer, known = _find_student(request.GET.get("estudiante", "")), None, []
    if student is None:
        newcomer = PersonForm(data)
        student = User(status=UserStatus.PLACEHOLDER)
        if newcomer.is_valid():
            known = _find_known(newcomer, request)
            student = User(status=UserStatus.PLACEHOLDER, **_describe(newcomer))
    form = BookForm(data, asked=request.GET, student=student)
    if form.is_valid() and not known and (newcomer is None or newcomer.is_valid()):
        virtual_class = _book(request, form, student, is_new=newcomer is not None)
        if virtual_class is not None:
            return HttpResponseRedirect(_find_way_on(virtual_class))
    return _show(request, form, student, newcomer, known)


def _find_way_on(virtual_class: VirtualClass) -> str:
    """Return the address of the student's chat, with the text; without a phone, of the sheet."""
    link = present_link(virtual_class)
    can_be_sent = virtual_class.is_scheduled or not virtual_class.is_paid
    if link and can_be_sent and whatsapp_url(link.student.phone):
        return link.whatsapp_url
    return reverse("admin:class_sheet", args=[virtual_class.pk])


def _show(
    request: HttpRequest,
    form: BookForm,
    student: User,
    newcomer: PersonForm | None,
    known: list[User],
) -> HttpResponse:
    words = request.GET.get("q", "").strip()
    kept = {name: request.GET[name] for name in KEPT if name in request.GET}
    people: list[User] = []
    if newcomer and not newcomer.is_bound:
        people = list(list_bookable(words)[: PEOPLE_FOUND if words else PEOPLE_AT_FIRST])
    email = newcomer.cleaned_data["email"] if newcomer and known else ""
    page = show_page(
        request,
        "admin/agenda/book_for.html",
        title="Reservar para alguien" if newcomer else f"Reservar para {student}",
        student=student,
        newcomer=newcomer,
        q=words,
        people=people,
        known=known,
        has_address=any(email and email in {one.email, one.contact_email} for one in known),
        hours=present_hours(
            form, request.GET, kept=kept, length=form.length, user=None if newcomer else student
        ),
        form=form,
    )
    allowed = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]["form-action"]
    return with_policy(page, {"form-action": [*allowed, *WHATSAPP]})


def _find_known(newcomer: PersonForm, request: HttpRequest) -> list[User]:
    """Several people may share a phone, but not an address."""
    given = newcomer.cleaned_data
    phone = "" if "is_another" in request.POST else given["phone"]
    return find_same_people(phone=phone, email=given["email"])


def _describe(newcomer: PersonForm) -> dict[str, str]:
    given = newcomer.cleaned_data
    return {"name": given["who"], "phone": given["phone"], "contact_email": given["email"]}


def _book(
    request: HttpRequest, form: BookForm, student: User, *, is_new: bool
) -> VirtualClass | None:
    """is_new: the student is not stored yet; a refused booking stores no person."""
    virtual_class = None
    if is_new:
        student = write_down(name=student.name, phone=student.phone, email=student.contact_email)
    try:
        virtual_class = book_for(
            student=student,
            start=form.start,
            **form.chosen._asdict(),
            is_paid=form.cleaned_data["is_paid"],
            by=cast(User, request.user),
            text=form.cleaned_data["text"],
        )
    except SlotTakenError as refusal:
        end = form.start + timedelta(minutes=form.chosen.minutes)
        form.add_error(None, explain_taken(form.start, end, student) or str(refusal.text))
        return None
    except BookingError as refusal:
        form.add_error(None, str(refusal.text))
        return None
    except PaymentError:
        form.add_error(None, PROVIDER_DOWN)
        return None
    finally:
        if is_new and virtual_class is None:
            strike_out(person=student)
    log_to_panel(request, VirtualClass, f"Reservar para {student}", virtual_class)
    _report(request, virtual_class)
    return virtual_class


def _report(request: HttpRequest, virtual_class: VirtualClass) -> None:
    who = virtual_class.booked_by
    if virtual_class.is_scheduled:
        told = ", y le avisamos" if who.mail_address else ""
        messages.success(request, f"Listo: la clase de {who} está agendada{told}.")
    elif virtual_class.is_paid:
        messages.warning(request, CALENDAR_LATER)
    else:
        kept_until = cast(Purchase, virtual_class.purchase).kept_until
        told = f"le avisamos a {who}, y " if who.mail_address else ""
        until = day_at(cast(datetime, kept_until))
        messages.success(request, f"Listo: {told}le guardamos la hora hasta el {until}.")


def _find_student(key: str) -> User | None:
    try:
        return list_bookable().filter(pk=uuid.UUID(key)).first()
    except ValueError:
        return None
