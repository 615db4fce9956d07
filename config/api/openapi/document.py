import hashlib
import json
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, cast

from django.conf import settings
from django.utils import translation
from drf_spectacular.generators import SchemaGenerator


@dataclass(frozen=True)
class Document:
    """Its content must not be changed."""

    content: dict[str, Any]

    @cached_property
    def body(self) -> bytes:
        return json.dumps(self.content, ensure_ascii=False).encode()

    @cached_property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.body).hexdigest()[:32]}"'


@cache
def get_document() -> Document:
    return Document(generate())


def generate() -> dict[str, Any]:
    with translation.override(settings.LANGUAGE_CODE):
        return cast(dict[str, Any], SchemaGenerator().get_schema(request=None, public=True))
