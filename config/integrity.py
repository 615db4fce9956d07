"""The fingerprint beside each script of a page: a changed file does not run.

Set on the finished page, because Django's own panel writes most of its script tags itself.
"""

import base64
import hashlib
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse

# A tag whose file is one of ours, and that has no fingerprint yet.
SCRIPT = re.compile(
    rb"<script(?=[^>]*\ssrc=\"" + re.escape(settings.STATIC_URL.encode()) + rb"([^\"?#]+)\")"
    rb"(?![^>]*\sintegrity=)"
)


class IntegrityMiddleware:
    """Adds ``integrity`` to the scripts of each page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Rewrite a page that has scripts; leave everything else alone."""
        response = self.get_response(request)
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if is_page and not response.streaming and b"<script" in response.content:
            response.content = SCRIPT.sub(_with_fingerprint, response.content)
        return response


def _with_fingerprint(tag: re.Match[bytes]) -> bytes:
    path = _file_of(tag[1].decode())
    if path is None:
        return tag[0]
    return tag[0] + f' integrity="{_fingerprint(path, path.stat().st_mtime_ns)}"'.encode()


def _file_of(name: str) -> Path | None:
    """Find the file that is sent for an address; None for one that answers 404."""
    if settings.WHITENOISE_USE_FINDERS:
        found = finders.find(name)
        return Path(found) if isinstance(found, str) else None
    path = Path(settings.STATIC_ROOT) / name
    return path if path.is_file() else None


@lru_cache(maxsize=256)
def _fingerprint(path: Path, changed_at: int) -> str:
    """Give ``sha384-...`` of a file. changed_at: tells the file's versions apart."""
    digest = hashlib.sha384(path.read_bytes()).digest()
    return f"sha384-{base64.b64encode(digest).decode()}"
