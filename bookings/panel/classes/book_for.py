"""Booking a class for a student."""

import uuid
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, NamedTuple, cast

from django import forms
from django.contrib import messages
from django.db.models import F, Max, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import format_lazy

from accounts.models import User, UserStatus
from accounts.services import strike_out, write_down
from bookings.domain.exceptions import BookingError, SlotTakenError
from bookings.domain.money.prices import find_used_offers, list_current_prices
from bookings.domain.people.students import find_same_people, list_students, matching
from bookings.domain.sales.her_bookings import book_for, find_obstacle
from bookings.domain.sales.holds import find_pay_deadline
from bookings.models import ClassType, Offer, Price, Purchase, VirtualClass, find_open_class
from bookings.panel.classes.class_forms import PersonForm, StartForm
from bookings.panel.inputs import YEARS, PesosField
from bookings.panel.lists import day_at
from bookings.panel.pages import log_to_panel, page_for, read_or_send, show_page
from bookings.payments.backend import PROVIDER_NAME, pays_online
from bookings.payments.gateway import PaymentError
from bookings.templatetags.class_times import clock, cost
from config.lib.wall_time import read_wall_time

# How many people the page lists without a search, so that a phone's first screen also shows the
# form for a new person; and how many it lists for a search.
PEOPLE_AT_FIRST, PEOPLE_FOUND = 4, 20
OTHER = "otra"
PAID, LATER = "pagada", "despues"
PROVIDER_DOWN = format_lazy(
    "{provider} no respondió, y no se reservó nada. Volvé a intentar en unos minutos.",
    provider=PROVIDER_NAME,
)
CALENDAR_LATER = (
    "Quedó reservada y pagada. El calendario no respondió: la agendamos apenas responda."
)
PAID_ALREADY = "Ya me la pagó: se agenda ahora"
GETS_CONFIRMATION = " y le llega la confirmación"


class Chosen(NamedTuple):
    """price: centavos. offer: None for a class of no offer."""

    class_type: ClassType
    minutes: int
    students: int
    price: int
    offer: Offer | None = None


class KindSelect(forms.RadioSelect):
    free: Collection[str] = ()

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *args, **kwargs)
        if str(value) in self.free:
            option["attrs"]["data-free"] = True
        return option


class BookForm(StartForm):
    """A class of the price list or of an offer, perhaps at another price; or any other class."""

    kind = forms.ChoiceField(label="Qué clase", widget=KindSelect)
    minutes = forms.IntegerField(label="Minutos", min_value=10, max_value=480, required=False)
    students = forms.IntegerField(label="Personas", min_value=1, max_value=100, required=False)
    price = PesosField(
        label="Otro precio en pesos",
        required=False,
        help_text="Vacío: el de tu lista o el de la oferta.",
    )
    text = forms.CharField(label="Qué quiere practicar", max_length=2000, required=False)
    payment = forms.ChoiceField(label="El pago", widget=forms.RadioSelect)
    # Once the form is valid.
    chosen: Chosen
    # Names of the once-per-person offers that the student has used.
    used: list[str]

    def __init__(self, data: Any, *, start: datetime | None, student: User) -> None:
        super().__init__(data)
        self.prices = self._list_prices(student)
        kinds = [*((key, _name_price(one)) for key, one in self.prices.items()), (OTHER, "Otra")]
        self._set_choices("kind", kinds)
        free = {key for key, one in self.prices.items() if one.amount == 0}
        cast(KindSelect, self.fields["kind"].widget).free = free
        paid = PAID_ALREADY + (GETS_CONFIRMATION if student.mail_address else "")
        self._set_choices("payment", [(LATER, _explain_later(start, student)), (PAID, paid)])
        kind = self._find_usual(student) or kinds[0][0]
        self.initial = {"kind": kind, "payment": LATER, "minutes": 60, "students": 1}
        if start:
            self.initial |= {"day": start.date(), "clock": start.time()}

    def clean(self) -> None:
        super().clean()
        kind, amount = self.cleaned_data.get("kind", ""), self.cleaned_data.get("price")
        if price := self.prices.get(kind):
            amount = price.amount if amount is None else amount
            class_type = ClassType(price.class_type)
            self.chosen = Chosen(
                class_type, price.minutes, price.students_up_to, amount, price.offer
            )
        elif kind == OTHER:
            self._choose_other(amount)

    def _list_prices(self, student: User) -> dict[str, Price]:
        """Return the prices that the student can pay, unlisted offers' too, by their keys."""
        prices = list_current_prices()
        used = find_used_offers(student, prices)
        offers = {one.offer for one in prices if one.offer and one.offer.pk in used}
        self.used = sorted(offer.name for offer in offers)
        return {str(one.pk): one for one in prices if one.offer not in offers}

    def _find_usual(self, student: User) -> str:
        last = student.booked_classes.order_by("-start_time", "-id").first()
        if last is None:
            return ""
        usual = (key for key, price in self.prices.items() if _is_for(price, last))
        return next(usual, "")

    def _set_choices(self, name: str, choices: list[tuple[str, str]]) -> None:
        cast(forms.ChoiceField, self.fields[name]).choices = choices

    def _choose_other(self, amount: int | None) -> None:
        minutes, students = (self.cleaned_data.get(name) for name in ("minutes", "students"))
        if not minutes or not students:
            self.add_error("kind", "Decí cuántos minutos dura y para cuántas personas es.")
        elif amount is None:
            self.add_error("price", "Esa clase no está en tu lista: poné su precio.")
        else:
            class_type = ClassType.GROUP if students > 1 else ClassType.INDIVIDUAL
            self.chosen = Chosen(class_type, minutes, students, amount)


@page_for(["bookings.change_virtualclass", "accounts.view_user"], read_or_send)
def book_for_student(request: HttpRequest) -> HttpResponse:
    """Book for the student of ``?estudiante=``, or for a new person.

    ``?inicio=`` proposes a time.
    """
    start = read_start(request.GET.get("inicio", ""))
    student, newcomer = _find_student(request.GET.get("estudiante", "")), None
    if student is None:
        newcomer = PersonForm(request.POST if request.method == "POST" else None)
        known = _find_known(newcomer, request) if newcomer.is_valid() else []
        if not newcomer.is_valid() or known:
            return _ask_for_student(request, start, newcomer, known)
        student = User(status=UserStatus.PLACEHOLDER, **_describe(newcomer))
    # The first form leads to the second one, which has an hour.
    data = request.POST if "clock" in request.POST else None
    form = BookForm(data, start=start, student=student)
    if data is not None and form.is_valid():
        virtual_class = _book(request, form, student, is_new=newcomer is not None)
        if virtual_class is not None:
            return HttpResponseRedirect(reverse("admin:class_sheet", args=[virtual_class.pk]))
    return show_page(
        request,
        "admin/agenda/book_for.html",
        title=f"Reservar para {student}",
        student=student,
        newcomer=newcomer,
        is_another="is_another" in request.POST,
        start=start,
        form=form,
    )


def _find_known(newcomer: PersonForm, request: HttpRequest) -> list[User]:
    """Several people may share a phone, but not an address."""
    given = newcomer.cleaned_data
    phone = "" if "is_another" in request.POST else given["phone"]
    return find_same_people(phone=phone, email=given["email"])


def _describe(newcomer: PersonForm) -> dict[str, str]:
    given = newcomer.cleaned_data
    return {"name": given["who"], "phone": given["phone"], "contact_email": given["email"]}


def _ask_for_student(
    request: HttpRequest, start: datetime | None, newcomer: PersonForm, known: list[User]
) -> HttpResponse:
    words = request.GET.get("q", "").strip()
    is_asked = newcomer.is_bound  # the person is new, or one of these
    email = newcomer.cleaned_data["email"] if known else ""
    shown = PEOPLE_FOUND if words else PEOPLE_AT_FIRST
    return show_page(
        request,
        "admin/agenda/book_for_whom.html",
        title="¿Es esta persona?" if known else "¿Para quién es la clase?",
        start=start,
        q=words,
        people=known or ([] if is_asked else _list_people(words)[:shown]),
        newcomer=newcomer,
        known=known,
        has_address=any(email and email in {one.email, one.contact_email} for one in known),
    )


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
            is_paid=form.cleaned_data["payment"] == PAID,
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
        told = ", y le avisamos" if who.mail_address else ". Mandale el enlace"
        messages.success(request, f"Listo: la clase de {who} está agendada{told}.")
    elif virtual_class.is_paid:
        messages.warning(request, CALENDAR_LATER)
    else:
        kept_until = cast(Purchase, virtual_class.purchase).kept_until
        until = f"le guardamos la hora hasta el {day_at(cast(datetime, kept_until))}."
        told = (
            f"le avisamos a {who}, y {until}" if who.mail_address else f"{until} Mandale el enlace."
        )
        messages.success(request, f"Listo: {told}")


def explain_taken(start: datetime, end: datetime, student: User) -> str:
    taken = find_obstacle(start, end, student)
    if taken is None:
        return ""
    hours = f"{clock(taken.start_time)} a {clock(taken.end_time)}"
    if isinstance(taken, VirtualClass):
        if open_class := find_open_class(taken):
            return f"A esa hora das «{open_class.title}» ({hours})."
        return f"A esa hora está la clase de {taken.booked_by} ({hours})."
    doing = "eligiendo" if taken.purchase_id is None else "pagando"
    kept = f" Se la guardamos hasta el {day_at(taken.ends_at)}." if taken.ends_at else ""
    return f"{taken.user} está {doing} una clase a esa hora ({hours}).{kept}"


def _explain_later(start: datetime | None, student: User) -> str:
    mail = "con el enlace para pagar" if pays_online() else "para que te pague"
    told = f"le llega un correo {mail}" if student.mail_address else "le mandás vos el enlace"
    kept = "por dos días, o hasta que empiece"
    if start:
        kept = f"hasta el {day_at(find_pay_deadline(start, timezone.now()))}"
    return f"La paga después: {told}, y le guardamos la hora {kept}"


def _is_for(price: Price, one: VirtualClass) -> bool:
    is_alike = (price.class_type, price.minutes) == (one.class_type, one.minutes)
    return is_alike and price.offer_id == one.offer_id and price.students_up_to >= one.capacity


def _name_price(price: Price) -> SafeString:
    minutes = f"{price.minutes} min"
    people = f"hasta {price.students_up_to} personas" if price.students_up_to > 1 else ""
    hidden = "solo con enlace" if price.offer and not price.offer.is_listed else ""
    if price.offer:
        name, more = price.offer.name, [minutes, people, hidden]
    else:
        name, more = f"{price.get_class_type_display()}, {minutes}", [people]
    parts = name, " · ".join(filter(None, more)), cost(price.amount)
    return format_html("{} <small>{}</small> <b>{}</b>", *parts)


def _find_student(key: str) -> User | None:
    try:
        return _list_students().filter(pk=uuid.UUID(key)).first()
    except ValueError:
        return None


def _list_students() -> QuerySet[User]:
    return list_students().filter(status__in=[UserStatus.ACTIVE, UserStatus.PLACEHOLDER])


def _list_people(words: str) -> QuerySet[User]:
    found = _list_students().filter(matching(words))
    found = found.annotate(latest=Max("booked_classes__start_time"))
    return found.order_by(F("latest").desc(nulls_last=True), "name", "pk")


def read_start(text: str) -> datetime | None:
    try:
        start = datetime.fromisoformat(text)
        if start.year not in YEARS:
            return None
        return timezone.localtime(start if start.tzinfo else read_wall_time(start))
    except ValueError:
        return None
