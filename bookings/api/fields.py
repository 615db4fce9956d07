"""Days, times and visible text."""

import re
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.validators import RegexValidator
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction
from rest_framework import serializers

from config.lib.wall_time import UnclearTimeError, read_wall_time

# The OpenAPI document shows both patterns, so they use only syntax that ECMAScript shares.

# At least one visible character, and none of these: control characters, spaces other than U+0020,
# invisible marks and marks that turn the direction of the text.
_INVISIBLE = (
    r"\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f"
    r"\u3000\ufeff\ufff9-\ufffb"
)
PRINTABLE = rf"^[^{_INVISIBLE}]*[^ {_INVISIBLE}][^{_INVISIBLE}]*$"

# Every date-time that ``datetime.fromisoformat`` of Python 3.11 reads, from 2000 to 2100, except
# week dates and other separators than T. The days of a month are not checked.
_MONTH, _DAY = r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12][0-9]|3[01])"
_DATE = rf"(?:20[0-9]{{2}}|2100)(?:-{_MONTH}-{_DAY}|{_MONTH}{_DAY})"
_HOUR, _SIXTY, _FRACTION = r"(?:[01][0-9]|2[0-3])", r"[0-5][0-9]", r"(?:[.,][0-9]+)?"
_CLOCK = rf"{_HOUR}(?::{_SIXTY}(?::{_SIXTY}{_FRACTION})?|{_SIXTY}(?:{_SIXTY}{_FRACTION})?)?"
INSTANT = rf"^{_DATE}[Tt]{_CLOCK}(?:[Zz]|[+-]{_CLOCK})?$"

_instant = re.compile(INSTANT)
is_printable = RegexValidator(
    PRINTABLE, "Tiene que tener caracteres visibles, sin saltos de línea."
)


class DayField(serializers.DateField):
    """An ISO date with dashes, from 2000 to 2099 so that days can be added."""

    default_error_messages = {"invalid": "Tiene que ser un día, como 2030-01-05."}

    def to_internal_value(self, value: Any) -> date:
        day = super().to_internal_value(value)
        if day.isoformat() != value or day.year // 100 != 20:
            self.fail("invalid")
        return day


class InstantField(serializers.Field[datetime, Any, str, Any]):
    """An ISO 8601 date-time; without an offset it is in the service's zone.

    Dates alone, week dates and a space for the ``T`` are refused as likely mistakes.
    """

    default_error_messages = {
        "invalid": "Tiene que ser una fecha y hora ISO 8601, como 2030-01-05T15:00:00-03:00.",
        "unclear": (
            "Ese día los relojes cambian a esa hora. Agregá la diferencia con UTC, como -03:00."
        ),
    }

    def to_internal_value(self, data: Any) -> datetime:
        """Return UTC: PostgreSQL takes no offset of 16 hours or more."""
        if not isinstance(data, str) or not _instant.fullmatch(data):
            self.fail("invalid")
        try:
            value = datetime.fromisoformat(data.upper())
        except ValueError:
            self.fail("invalid")
        if value.tzinfo:
            return value.astimezone(UTC)
        try:
            return read_wall_time(value)
        except UnclearTimeError:
            self.fail("unclear")

    def to_representation(self, value: datetime) -> str:
        return value.astimezone(ZoneInfo(settings.TIME_ZONE)).isoformat()


class InstantSchema(OpenApiSerializerFieldExtension):
    target_class = InstantField

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        if direction == "request":
            return {"type": "string", "title": "ISO 8601 date-time", "pattern": INSTANT}
        return {"type": "string", "format": "date-time"}
