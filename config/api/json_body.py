"""Read any body as JSON, because clients send bare strings as ``text/plain``.

Refuses forms, compression, repeated keys, NaN, broken text, NUL and deep nesting.
"""

import json
import re
from collections.abc import Mapping
from math import isinf
from typing import IO, Any, NoReturn

from django.conf import settings
from django.utils.http import parse_header_parameters
from rest_framework import status
from rest_framework.exceptions import APIException, ParseError, UnsupportedMediaType
from rest_framework.parsers import BaseParser

from config.lib.api_texts import BODY_TOO_LARGE, COMPRESSED, NO_JSON, WRONG_TYPE

MAX_DEPTH = 20
# Parsing an integer costs the square of its digits.
MAX_NUMBER_LENGTH = 400
FORM_TYPES = (
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/xml",
    "text/xml",
)
# NUL and lone surrogates, which PostgreSQL cannot store.
BROKEN_TEXT = re.compile("[\0\ud800-\udfff]")
TOO_DEEP = "El cuerpo JSON está anidado en exceso."
UTF8_NAMES = frozenset({"", "utf-8", "utf8", "us-ascii"})


class BodyTooLargeError(APIException):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = BODY_TOO_LARGE
    default_code = "body_too_large"


class StrictJSONParser(BaseParser):
    """Raise ParseError (400), BodyTooLargeError (413) or UnsupportedMediaType (415)."""

    media_type = "*/*"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        _refuse_other_types(media_type or "")
        request = (parser_context or {}).get("request")
        if (
            request is not None
            and request.headers.get("Content-Encoding", "identity") != "identity"
        ):
            raise UnsupportedMediaType(media_type or "", detail=COMPRESSED)
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        body = stream.read(limit + 1)
        if len(body) > limit:
            raise BodyTooLargeError
        return decode(body)


def decode(body: bytes) -> Any:
    """Raise ParseError with a text that repeats nothing of the body."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ParseError("El cuerpo no es texto UTF-8.") from error
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique_keys,
            parse_constant=_refuse_constant,
            parse_int=_short_int,
            parse_float=_finite_float,
        )
    except ValueError as error:
        raise ParseError(NO_JSON) from error
    except RecursionError as error:
        raise ParseError(TOO_DEEP) from error
    _check(value)
    return value


def _refuse_other_types(content_type: str) -> None:
    kind, parameters = parse_header_parameters(content_type)
    if kind in FORM_TYPES or parameters.get("charset", "").lower() not in UTF8_NAMES:
        raise UnsupportedMediaType(kind, detail=WRONG_TYPE)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a repeated key")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError("not a JSON number")


def _short_int(digits: str) -> int:
    if len(digits) > MAX_NUMBER_LENGTH:
        raise ValueError("the number is too long")
    return int(digits)


def _finite_float(digits: str) -> float:
    number = float(digits)
    if isinf(number):
        raise ValueError("the number is too large")
    return number


def _check(value: Any, depth: int = 1) -> None:
    if isinstance(value, str):
        if BROKEN_TEXT.search(value):
            raise ParseError("El texto contiene caracteres no válidos.")
    elif isinstance(value, dict | list):
        if depth > MAX_DEPTH:
            raise ParseError(TOO_DEEP)
        for member in [*value, *value.values()] if isinstance(value, dict) else value:
            _check(member, depth + 1)
