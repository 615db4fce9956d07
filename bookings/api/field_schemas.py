"""What the strict fields take, in the words of JSON Schema. Registered by being imported."""

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction

from bookings.api.fields import INSTANT, PRINTABLE


class StrictBooleanSchema(OpenApiSerializerFieldExtension):
    """true and false."""

    target_class = "bookings.api.fields.StrictBooleanField"

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        """Describe it."""
        return {"type": "boolean"}


class StrictIntegerSchema(OpenApiSerializerFieldExtension):
    """Whole numbers between two bounds."""

    target_class = "bookings.api.fields.StrictIntegerField"

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        """Describe it."""
        field = self.target
        return {"type": "integer", "minimum": field.min_value, "maximum": field.max_value}


class StrictStringSchema(OpenApiSerializerFieldExtension):
    """Texts up to a length; those that have to be printable hold at least one visible character."""

    target_class = "bookings.api.fields.StrictStringField"

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        """Describe it."""
        schema: dict[str, Any] = {"type": "string", "maxLength": self.target.max_length}
        return schema | ({"minLength": 1, "pattern": PRINTABLE} if self.target.printable else {})


class InstantSchema(OpenApiSerializerFieldExtension):
    """Date-times: strictly read, and given with the offset of the service's zone."""

    target_class = "bookings.api.fields.InstantField"

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        """Describe it. Without an offset it would be no ``date-time`` of JSON Schema."""
        if direction == "request":
            return {"type": "string", "title": "ISO 8601 date-time", "pattern": INSTANT}
        return {"type": "string", "format": "date-time"}
