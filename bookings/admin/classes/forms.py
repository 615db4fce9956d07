"""The forms of a class's steps."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, cast

from django import forms
from django.utils import timezone

from bookings.admin.inputs import ClockInput, DayInput
from bookings.models import VirtualClass
from bookings.models.availability import SENSIBLE_DATES
from bookings.templatetags.class_times import clock, short_day
from config.lib.wall_time import UnclearTimeError, read_wall_time


class DisplacedField(forms.ModelMultipleChoiceField[VirtualClass]):
    """The paid classes that lose their time, each with a box to tick."""

    widget = forms.CheckboxSelectMultiple

    def label_from_instance(self, obj: VirtualClass) -> str:
        """Say whose class it is, and when."""
        when = f"{short_day(obj.start_time)}, {clock(obj.start_time)} a {clock(obj.end_time)}"
        return f"La clase de {obj.booked_by} ({when}) pierde su horario"


class MoveForm(forms.Form):
    """Another time for a class; it stays as long as it is."""

    day = forms.DateField(label="Día", widget=DayInput, validators=SENSIBLE_DATES)
    clock = forms.TimeField(label="Hora", widget=ClockInput)
    reason = forms.CharField(label="Por qué (queda en la historia)", max_length=500, required=False)
    # Any class may be named: one that does not await the time any more loses nothing.
    displaces = DisplacedField(
        VirtualClass.objects.all(),
        label="Mover de todos modos",
        required=False,
        help_text="No se va a poder agendar. Si se pagó por Mercado Pago, se cancela, avisamos por "
        "correo y el dinero vuelve solo; si la marcaste vos como pagada, arreglalo con esa "
        "persona.",
    )
    # Whether there is something to confirm: only then there are boxes, of what ``ask_about`` got.
    asks = False
    # The chosen instant, once the form is valid.
    start: datetime

    def __init__(self, data: Any, *, virtual_class: VirtualClass) -> None:
        start = timezone.localtime(virtual_class.start_time)
        super().__init__(data, initial={"day": start.date(), "clock": start.time()})

    def clean(self) -> None:
        """Read the chosen time on the teacher's clock; refuse an hour that it skips or repeats."""
        day, clock = self.cleaned_data.get("day"), self.cleaned_data.get("clock")
        if day is None or clock is None:
            return  # the fields' own errors say so
        try:
            self.start = read_wall_time(datetime.combine(day, clock))
        except UnclearTimeError:
            self.add_error("clock", "Ese día los relojes cambian a esa hora: elegí otra.")

    def ask_about(self, classes: Iterable[VirtualClass]) -> None:
        """Show the classes that would lose their time, for the teacher to confirm.

        Those she ticked before stay ticked.
        """
        displaced = [one.pk for one in classes]
        field = cast(DisplacedField, self.fields["displaces"])
        field.queryset = VirtualClass.objects.select_related("booked_by").filter(pk__in=displaced)
        self.asks = True


class CapacityForm(forms.Form):
    """For how many people a group is."""

    capacity = forms.IntegerField(label="Para cuántas personas", min_value=1)

    def __init__(self, data: Any, *, virtual_class: VirtualClass) -> None:
        super().__init__(data, initial={"capacity": virtual_class.capacity})


class LineForm(forms.Form):
    """Whose turn is meant: an entry of the waiting list."""

    entry = forms.UUIDField(widget=forms.HiddenInput)
