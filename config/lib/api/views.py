"""Bases of the views of ``/api``."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from django.http import HttpResponseNotAllowed
from django.views import View
from django_stubs_ext import StrOrPromise
from rest_framework.views import APIView

E = TypeVar("E", bound=Exception)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The answer to a domain error, in a view's ``refusals``.

    text: by default the error's own. has_code: also answer the error's ``code``. retry_after:
    seconds, by default the error's ``wait_seconds``. warning: logged with the error.
    """

    status: int
    text: StrOrPromise = ""
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


class PlainAPIView(APIView):
    """Answer Django's requests with Django's responses; errors reach ``config.web.errors``."""

    authentication_classes = []
    parser_classes = []
    permission_classes = []
    http_method_names = ["get", "head"]

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Skip DRF's steps, all switched off here: a tenth of the smallest answer's CPU."""
        return View.dispatch(self, request, *args, **kwargs)

    def http_method_not_allowed(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        return HttpResponseNotAllowed(self.allowed_methods)
