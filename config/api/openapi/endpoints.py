"""Which addresses are described: everything below ``/api``, and what else describes itself."""

from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any, cast

from django.http import HttpResponseBase
from django.urls import URLPattern
from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator
from rest_framework.permissions import AllowAny
from rest_framework.views import APIView

# Importing it gives the views their descriptions.
from config.api.openapi import described  # noqa: F401

View = Callable[..., HttpResponseBase]
Endpoint = tuple[str, str, str, View]


class Endpoints(EndpointEnumerator):
    """Finds plain Django views too, where the framework's finds its own alone."""

    def should_include_endpoint(self, path: str, callback: View) -> bool:
        """Take whatever is below /api: what has no description yet is to be noticed."""
        return path.startswith("/api/") or _describes_itself(callback)

    def _get_api_endpoints(self, patterns: Any, prefix: str) -> list[Endpoint]:
        """Name by its argument what stands in a path literally: one path for all providers."""
        patterns = patterns or self.patterns or []
        found = super()._get_api_endpoints(patterns, prefix)  # type: ignore[no-untyped-call] # no types there
        arguments = {
            entry.callback: entry.default_args
            for entry in patterns
            if isinstance(entry, URLPattern)
        }
        return [
            (_with_arguments(path, arguments.get(callback, {})), regex, method, callback)
            for path, regex, method, callback in found
        ]

    def get_allowed_methods(self, callback: View) -> list[str]:
        """List the methods that the view answers."""
        methods = super().get_allowed_methods(as_api_view(callback))  # type: ignore[no-untyped-call] # no types there
        return cast(list[str], methods)


class Generator(SchemaGenerator):
    """Generates the document from every address found above."""

    endpoint_inspector_cls = Endpoints

    def create_view(self, callback: View, method: str, request: Any = None) -> APIView:
        """Make the view that one operation is read off."""
        view = super().create_view(as_api_view(callback), method, request)  # type: ignore[no-untyped-call] # no types there
        return cast(APIView, view)


@cache
def as_api_view(callback: View) -> Any:
    """Lend a plain view what the generator asks of the framework's; it is never called so.

    ``extend_schema`` describes the methods of a class, or the function, as everywhere else.
    """
    if hasattr(callback, "cls"):
        return callback
    members: dict[str, Any] = {"authentication_classes": [], "permission_classes": [AllowAny]}
    bases: tuple[type, ...] = (APIView,)
    if view_class := getattr(callback, "view_class", None):
        bases = (view_class, APIView)
    else:
        members["get"] = staticmethod(callback)
    return SimpleNamespace(cls=type(callback.__name__, bases, members), initkwargs={})


def _with_arguments(path: str, arguments: dict[str, str]) -> str:
    """Turn ``/signin/google`` into ``/signin/{provider_id}``."""
    names = {value: f"{{{name}}}" for name, value in arguments.items()}
    return "/".join(names.get(part, part) for part in path.split("/"))


def _describes_itself(callback: View) -> bool:
    return "schema" in getattr(callback, "kwargs", {})
