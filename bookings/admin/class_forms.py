"""What the teacher fills in to move or cancel a class."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.conf import settings
from django.utils import timezone

from bookings.admin.inputs import ClockInput, DayInput
from bookings.models import VirtualClass
from bookings.models.availability import SENSIBLE_DATES


class StepForm(forms.Form):
    """A step of the class's page. Its fields belong to a form of their own, beside the page's.

    In the page's form Enter would press the first button there is.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs["form"] = f"{self.prefix}-form"


class MoveForm(StepForm):
    """Another time for a class; it stays as long as it is."""

    prefix = "move"

    day = forms.DateField(label="Día", widget=DayInput, validators=SENSIBLE_DATES)
    clock = forms.TimeField(label="Hora", widget=ClockInput)
    reason = forms.CharField(label="Por qué (queda en la historia)", max_length=500, required=False)

    def __init__(self, data: Any, *, virtual_class: VirtualClass) -> None:
        start = timezone.localtime(virtual_class.start_time)
        super().__init__(data, initial={"day": start.date(), "clock": start.time()})

    @property
    def start(self) -> datetime:
        """The chosen time, on the service's clock."""
        day, clock = self.cleaned_data["day"], self.cleaned_data["clock"]
        return datetime.combine(day, clock, tzinfo=ZoneInfo(settings.TIME_ZONE))


class CancelForm(StepForm):
    """Why a class is cancelled."""

    prefix = "cancel"

    reason = forms.CharField(label="Por qué (queda en la historia)", max_length=500, required=False)
