"""The document itself: generated once in a process, whose code does not change."""

import hashlib
import json
from dataclasses import dataclass
from functools import cache, cached_property
from threading import Lock
from typing import Any, cast

from django.conf import settings
from django.utils import translation
from drf_spectacular.settings import spectacular_settings


@dataclass(frozen=True)
class Document:
    """The description of the API. content: a JSON value, not to be changed."""

    content: dict[str, Any]

    @cached_property
    def body(self) -> bytes:
        """Give it as it is sent."""
        return json.dumps(self.content, ensure_ascii=False).encode()

    @cached_property
    def etag(self) -> str:
        """Name this very content, for HTTP."""
        return etag_of(self.body)


def etag_of(body: bytes) -> str:
    """Give a strong validator, the same in every process."""
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'


_one_at_a_time = Lock()


def get_document() -> Document:
    """Give the document. Generating it takes some tenths of a second, so one thread does it."""
    with _one_at_a_time:
        return _made_once()


@cache
def _made_once() -> Document:
    return Document(generate())


def generate() -> dict[str, Any]:
    """Read the description off the code. Its examples quote the API, whose texts are Spanish."""
    generator = spectacular_settings.DEFAULT_GENERATOR_CLASS()
    with translation.override(settings.LANGUAGE_CODE):
        return cast(dict[str, Any], generator.get_schema(request=None, public=True))
