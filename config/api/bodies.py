"""Bodies of ``/api``: JSON, whatever a client calls it."""

import json
from collections.abc import Iterable, Mapping
from typing import IO, Any

from django.utils.http import parse_header_parameters
from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser, JSONParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.utils.json import strict_constant

from config.lib.api import COMPRESSED, NO_JSON, WRONG_TYPE

FORM_TYPES = {
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/xml",
    "text/xml",
}
UTF8_NAMES = {"", "utf-8", "utf8", "us-ascii"}


class AnyTypeJSONParser(JSONParser):
    """The specification's clients send a bare string as ``text/plain``.

    DRF's own parser has no limit of size, and fails with 500 on deep nesting. Raises ParseError
    (400), RequestDataTooBig (413) or UnsupportedMediaType (415).
    """

    media_type = "*/*"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        request: Request = (parser_context or {})["request"]
        kind, parameters = parse_header_parameters(media_type or "")
        if kind in FORM_TYPES or parameters.get("charset", "").lower() not in UTF8_NAMES:
            raise UnsupportedMediaType(kind, detail=WRONG_TYPE)
        if request.headers.get("Content-Encoding", "identity") != "identity":
            raise UnsupportedMediaType(kind, detail=COMPRESSED)
        try:
            return json.loads(request.body.decode(), parse_constant=strict_constant)
        except (ValueError, RecursionError) as error:
            raise ParseError(NO_JSON) from error


class JSONOnly(BaseContentNegotiation):
    """Browsers' and old clients' ``Accept`` may lack JSON, for which DRF answers 406."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser:
        return next(iter(parsers))

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type
