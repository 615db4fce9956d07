"""Forms of a class's steps."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, cast

from django import forms
from django.utils.text import format_lazy

from accounts.phones import check_phone
from accounts.validators import MAX_NAME, MAX_PHONE, read_name
from bookings.models import VirtualClass, find_open_class
from bookings.models.availability import SENSIBLE_DATES
from bookings.panel.inputs import CLOCK_INPUT, DAY_INPUT, read_start
from bookings.panel.lists import day_at
from bookings.panel.steps import StepForm
from bookings.payments.backend import PROVIDER_NAME
from bookings.templatetags.class_times import clock
from config.lib.wall_time import UnclearTimeError, read_wall_time

TYPED = "escrita"  # instead of a free hour


class StartForm(forms.Form):
    """Asks for a day and an hour on the teacher's clock."""

    day = forms.DateField(label="Día", widget=DAY_INPUT, validators=SENSIBLE_DATES)
    clock = forms.TimeField(label="Hora", widget=CLOCK_INPUT)
    # The chosen instant, once the form is valid.
    start: datetime

    def clean(self) -> None:
        day, clock = self.cleaned_data.get("day"), self.cleaned_data.get("clock")
        if day is None or clock is None:
            return  # the fields' own errors say so
        try:
            self.start = read_wall_time(datetime.combine(day, clock))
        except UnclearTimeError:
            self.add_error("clock", "Ese día los relojes cambian a esa hora: elegí otra.")


class HourForm(StartForm):
    """A free hour, or the day and the hour that she types."""

    slot = forms.CharField(label="Hora", required=False)

    def __init__(self, data: Any, *args: Any, **options: Any) -> None:
        super().__init__(data, *args, **options)
        self.fields["day"].required = self.fields["clock"].required = False

    def clean(self) -> None:
        given = self.cleaned_data
        if chosen := read_start(given.get("slot", "")):
            self.start = chosen
        elif given.get("clock") and given.get("day"):
            super().clean()
        elif given.get("clock"):
            self.add_error("day", self.fields["day"].error_messages["required"])
        elif not self.errors:
            self.add_error("slot", "Elegí una hora.")

    @property
    def proposed(self) -> datetime | None:
        return read_start(str(self["slot"].value() or ""))


class DisplacedField(forms.ModelMultipleChoiceField[VirtualClass]):
    """Boxes for the paid classes that lose their time."""

    widget = forms.CheckboxSelectMultiple

    def label_from_instance(self, obj: VirtualClass) -> str:
        when = f"{day_at(obj.start_time)} a {clock(obj.end_time)}"
        open_class = find_open_class(obj)
        which = f"«{open_class}»" if open_class else f"de {obj.booked_by}"
        return f"La clase {which} ({when}) pierde su horario"


class ReasonForm(StepForm):
    reason = forms.CharField(label="Por qué (queda en la historia)", max_length=500, required=False)


class MoveForm(ReasonForm, HourForm):
    # Any class may be named: a class that no longer awaits the time loses nothing.
    displaces = DisplacedField(
        VirtualClass.objects.all(),
        label="Mover de todos modos",
        required=False,
        help_text=format_lazy(
            "No se va a poder agendar. Si se pagó por {provider}, se cancela, avisamos por correo "
            "y el dinero vuelve solo; si la marcaste vos como pagada, arreglalo con esa persona.",
            provider=PROVIDER_NAME,
        ),
    )
    # True if there is something to confirm: the boxes that ``ask_about`` added.
    asks = False

    def __init__(self, data: Any, row: VirtualClass) -> None:
        super().__init__(data, row)
        self.initial = {"slot": TYPED}  # so that typing an hour costs no tap

    def ask_about(self, classes: Iterable[VirtualClass]) -> None:
        displaced = [one.pk for one in classes]
        field = cast(DisplacedField, self.fields["displaces"])
        field.queryset = VirtualClass.objects.select_related("booked_by", "open_class").filter(
            pk__in=displaced
        )
        self.asks = True


class CapacityForm(StepForm):
    """own_places: the teacher's own, 1 in an open class."""

    places = forms.IntegerField(label="Para cuántas personas", min_value=1)

    def __init__(self, data: Any, row: VirtualClass) -> None:
        super().__init__(data, row)
        self.own_places = 1 if find_open_class(row) else 0
        self.initial = {"places": row.capacity - self.own_places}

    @property
    def capacity(self) -> int:
        places: int = self.cleaned_data["places"]
        return places + self.own_places


class PersonForm(forms.Form):
    """A person without an account."""

    who = forms.CharField(label="Nombre", max_length=MAX_NAME)
    phone = forms.CharField(
        label="Teléfono",
        max_length=MAX_PHONE,
        required=False,
        help_text="Con código de área.",
        widget=forms.TextInput({"type": "tel", "autocomplete": "off"}),
    )
    email = forms.EmailField(
        label="O su correo",
        max_length=254,
        required=False,
        help_text="Le llegan los avisos.",
    )

    def clean_who(self) -> str:
        return read_name(self.cleaned_data["who"])

    def clean_phone(self) -> str:
        return check_phone(self.cleaned_data["phone"])

    def clean_email(self) -> str:
        address: str = self.cleaned_data["email"].lower()
        if address.endswith(".invalid"):
            raise forms.ValidationError("Ese correo no existe.")
        return address

    def clean(self) -> None:
        given = self.cleaned_data
        asks_none = {"phone", "email"}.isdisjoint(self.errors)
        if asks_none and not (given.get("phone") or given.get("email")):
            self.add_error("phone", "Poné su teléfono o su correo, para mandarle el enlace.")


class LineForm(StepForm):
    entry = forms.UUIDField(widget=forms.HiddenInput)
