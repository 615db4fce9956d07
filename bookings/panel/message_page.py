"""Write to all people of a class or a week."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.models import User
from accounts.phones import whatsapp_url
from accounts.validators import validate_one_line
from bookings.availability.weeks import monday_of
from bookings.domain.desk.messages import (
    Receiver,
    list_classes_of_week,
    list_receivers,
    send_message,
)
from bookings.domain.exceptions import BookingError
from bookings.models import Message, VirtualClass
from bookings.panel.classes.class_steps import describe
from bookings.panel.inputs import read_day
from bookings.panel.lists import day_at
from bookings.panel.pages import log_to_panel, page_for, read_or_send, show_page
from bookings.templatetags.class_times import long_day


@dataclass(frozen=True, slots=True)
class Audience:
    """The people of ``classes``. back: the page before."""

    name: str
    classes: QuerySet[VirtualClass]
    back: str


class MessageForm(forms.ModelForm[Message]):
    people = forms.MultipleChoiceField(
        label="Para quiénes",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Elegí al menos a una persona."},
    )

    class Meta:
        model = Message
        fields = ["subject", "text"]
        widgets = {"text": forms.Textarea({"rows": 8})}

    def __init__(self, data: Any, receivers: Sequence[Receiver]) -> None:
        is_one_class = len({one.pk for each in receivers for one in each.classes}) == 1
        choices = [
            (str(one.person.pk), str(one.person) if is_one_class else _name(one))
            for one in receivers
        ]
        super().__init__(data, initial={"people": [key for key, _ in choices]})
        self.fields["subject"].validators.append(validate_one_line)
        cast(forms.MultipleChoiceField, self.fields["people"]).choices = choices

    def clean_text(self) -> str:
        """Write line breaks as one sign: the form sends two, the page shows one."""
        return str(self.cleaned_data["text"]).replace("\r\n", "\n")

    @property
    def digest(self) -> str:
        given = self.cleaned_data
        seen = [given["subject"], given["text"], sorted(given["people"])]
        return salted_hmac("bookings.panel.writing", repr(seen)).hexdigest()


@page_for("bookings.change_virtualclass", read_or_send)
def write_message(request: HttpRequest) -> HttpResponse:
    """Write to the people of ``?clase=`` or ``?semana=``; show the mail before it leaves.

    With scripts it is shown while it is written.
    """
    audience = _find_audience(request)
    receivers = list_receivers(audience.classes)
    form = MessageForm(request.POST or None, receivers)
    is_shown = form.is_valid()
    if is_shown and constant_time_compare(request.POST.get("seen", ""), form.digest):
        if _send(request, audience, form):
            return HttpResponseRedirect(audience.back)
        is_shown = False
    return show_page(
        request,
        "admin/people/write.html",
        title=f"Escribir a {_name_all(receivers)}",
        audience=audience,
        form=form,
        is_shown=is_shown,
        is_part="HX-Request" in request.headers,
        receivers=receivers,
        chats=_list_chats(form, receivers) if is_shown else [],
    )


def _list_chats(form: MessageForm, receivers: Sequence[Receiver]) -> list[tuple[User, str]]:
    """List the chosen people who have a phone, each with a chat that has the text."""
    given = form.cleaned_data
    people = [one.person for one in receivers if str(one.person.pk) in given["people"]]
    chats = [(person, whatsapp_url(person.phone, given["text"])) for person in people]
    return [(person, chat) for person, chat in chats if chat]


def _send(request: HttpRequest, audience: Audience, form: MessageForm) -> bool:
    given = form.cleaned_data
    people = {uuid.UUID(key) for key in given["people"]}
    try:
        send_message(
            classes=audience.classes,
            people=people,
            subject=given["subject"],
            text=given["text"],
            by=cast(User, request.user),
        )
    except BookingError as refusal:
        form.add_error(None, str(refusal.text))
        return False
    log_to_panel(request, VirtualClass, f"Escribió a {audience.name}: {given['subject']}")
    count = len(people)
    mails = "Sale un correo." if count == 1 else f"Salen {count} correos, uno a cada persona."
    messages.success(request, mails)
    return True


def _find_audience(request: HttpRequest) -> Audience:
    """Raises Http404."""
    try:
        if "clase" in request.GET:
            return _audience_of_class(uuid.UUID(request.GET["clase"]))
    except ValueError as error:
        raise Http404 from error
    day = read_day(request.GET.get("semana", ""))
    if day is None:
        raise Http404
    monday = monday_of(day)
    return Audience(
        f"Semana del {long_day(monday)}",
        list_classes_of_week(monday),
        f"{reverse('admin:week')}?semana={monday}",
    )


def _audience_of_class(class_id: uuid.UUID) -> Audience:
    classes = VirtualClass.objects.filter(pk=class_id).select_related("booked_by")
    virtual_class = classes.first()
    if virtual_class is None:
        raise Http404
    back = reverse("admin:class_sheet", args=[class_id])
    return Audience(describe(virtual_class), classes, back)


def _name_all(receivers: Sequence[Receiver]) -> str:
    return receivers[0].person.first_name if len(receivers) == 1 else "todos"


def _name(receiver: Receiver) -> str:
    times = " y ".join(day_at(one.start_time) for one in receiver.classes)
    return f"{receiver.person} · {times}"
