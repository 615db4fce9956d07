"""Which format ``/api`` reads and answers: always JSON."""

from collections.abc import Iterable

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class JSONOnly(BaseContentNegotiation):
    """Takes the one parser and the one renderer that are configured, without a look.

    The framework's own answers 406 to an ``Accept`` it does not like, 404 to ``?format=xml`` and
    500 to a query that Django refuses to read; nobody is helped by any of them.
    """

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser:
        """Give the first."""
        return next(iter(parsers))

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        """Give the first, with its media type."""
        renderer = next(iter(renderers))
        return renderer, renderer.media_type
