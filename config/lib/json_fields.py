"""Serializer fields that take JSON's own types: DRF's also read ``"5"``, ``true`` and ``"yes"``."""

from typing import Any

from rest_framework import serializers


class JSONBooleanField(serializers.BooleanField):
    default_error_messages = {"invalid": "Tiene que ser true o false."}

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid")
        return data


class JSONIntegerField(serializers.IntegerField):
    """``1000.0`` is an integer."""

    default_error_messages = {
        "invalid": "Tiene que ser un número entero.",
        "min_value": "Tiene que ser {min_value} o más.",
        "max_value": "No puede ser más de {max_value}.",
    }

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int | float) or data % 1:
            self.fail("invalid")
        return int(data)


class JSONCharField(serializers.CharField):
    """Surrounding spaces stay."""

    default_error_messages = {
        "invalid": "Tiene que ser un texto.",
        "max_length": "No puede tener más de {max_length} caracteres.",
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(trim_whitespace=False, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)
