"""The tools of the views of ``/api``: refusals, descriptions, texts and fields."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from django.utils.functional import Promise
from drf_spectacular.utils import extend_schema
from rest_framework import serializers

E = TypeVar("E", bound=Exception)
Handler = TypeVar("Handler", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Refusal:
    """The answer to a domain error, in a view's ``refusals``.

    text: by default the error's own. has_code: also answer the error's ``code``. retry_after:
    seconds, by default the error's ``wait_seconds``. warning: logged with the error.
    """

    status: int
    text: str | Promise = ""
    has_code: bool = False
    retry_after: int | None = None
    warning: str = ""


def with_subclasses(refusals: Mapping[type[E], Refusal]) -> dict[type[E], Refusal]:
    """Return the refusal of every error that a view answers, so that the document lacks none."""
    answered, kinds = dict(refusals), [*refusals]
    for kind in kinds:
        for child in kind.__subclasses__():
            answered.setdefault(child, answered[kind])
            kinds.append(child)
    return answered


def find_refusal(
    refusals: Mapping[type[Exception], Refusal], kind: type[Exception]
) -> Refusal | None:
    return next((refusals[base] for base in kind.__mro__ if base in refusals), None)


def operation(
    name: str,
    *,
    errors: Iterable[type[Exception]] = (),
    texts: Mapping[int, Iterable[str | Promise]] | None = None,
    **shapes: Any,
) -> Callable[[Handler], Handler]:
    """Describe a handler; the rest is in the ``openapi.yaml`` beside its module.

    name: the operation's id, which may name a ``{view.attribute}``. errors: of the view's
    ``refusals`` those that it answers, by default all. texts: further ``{"error": text}`` by
    status. shapes: as for ``extend_schema``.
    """

    def describe(handler: Handler) -> Handler:
        marked: Any = handler
        marked.api_errors, marked.api_texts = tuple(errors), texts or {}
        return extend_schema(operation_id=name, **shapes)(handler)

    return describe


SIGN_IN_FIRST = "Ingresá para continuar."
FOREIGN_ORIGIN = "El pedido viene de otro sitio."
NOT_FOUND = "No encontrado."
BODY_TOO_LARGE = "El cuerpo es demasiado grande."
WRONG_TYPE = "Enviá el cuerpo como JSON en UTF-8."
COMPRESSED = "Enviá el cuerpo sin comprimir."
NO_JSON = "El cuerpo no es JSON válido."
# DRF's text for one of the methods, as an example.
WRONG_METHOD = 'Método "PUT" no permitido.'

PROFILE_RECEIVED = "Recibimos tus datos."
PROFILE_FAILED = "No pudimos procesar tus datos."
TOO_MANY_STARTS = "Demasiados intentos. Probá de nuevo en un minuto."


# Fields of JSON's own types. DRF's also read ``"5"``, ``"yes"``, and 5 as a text: a program that
# sends the price as a text has a bug, and the specification says number.


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
