"""Parse one configuration value, from its variable or the file of ``NAME_FILE``."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from django.core.exceptions import ImproperlyConfigured

TRUE, FALSE = ("true", "1", "yes"), ("false", "0", "no")
MAX_DIGITS = 9


class Values:
    """Parse variables; an empty one counts as not set, and no error quotes a value.

    django-environ would take a secret that begins with ``$`` for a variable's name.
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    @property
    def is_local(self) -> bool:
        return self.boolean("DEBUG", default=False) or self.boolean("DEMO", default=False)

    def text(self, name: str, default: str = "") -> str:
        value = self._values.get(name, "").strip()
        file = self._values.get(f"{name}_FILE", "").strip()
        if value and file:
            raise ImproperlyConfigured(f"{name} and {name}_FILE are both set; one is enough.")
        return (_read_value(f"{name}_FILE", file) if file else value) or default

    def words(self, name: str) -> list[str]:
        parts = (part.strip() for part in self.text(name).split(","))
        return [part for part in parts if part]

    def boolean(self, name: str, *, default: bool) -> bool:
        value = self.text(name, default=str(default)).lower()
        if value not in TRUE + FALSE:
            raise ImproperlyConfigured(f"{name} must be true or false.")
        return value in TRUE

    def whole_number(self, name: str, *, default: int) -> int:
        value = self.text(name, default=str(default))
        if not (value.isascii() and value.isdigit() and len(value) <= MAX_DIGITS):
            raise ImproperlyConfigured(f"{name} must be a whole number.")
        return int(value)

    def one_of(self, name: str, *known: str, default: str = "") -> str:
        """By default, the first of the known words."""
        value = self.text(name, default=default or known[0])
        if value not in known:
            raise ImproperlyConfigured(f"{name} must be one of {', '.join(known)}.")
        return value

    def address(self, name: str, default: str = "") -> str:
        """Return a base address without a final slash.

        http only if ``is_local``: allauth trusts the token endpoint by TLS alone.
        """
        value = self.text(name, default=default)
        if not value:
            return ""
        parts = split_address(value)
        if parts is None:
            raise ImproperlyConfigured(f"{name} must be an http(s) address.")
        if parts.scheme == "http" and not self.is_local:
            raise ImproperlyConfigured(
                f"{name} must start with https:// unless DEBUG or DEMO is true."
            )
        return value.rstrip("/")


def split_address(value: str) -> SplitResult | None:
    """Return None unless it is only scheme, host, port and path."""
    try:
        parts = urlsplit(value)
        is_usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:  # a port that is no number, half an IPv6 address
        return None
    has_more = parts.username is not None or parts.query or parts.fragment or " " in value
    return parts if is_usable and not has_more else None


def _read_value(name: str, file: str) -> str:
    try:
        value = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        value = ""
    if not value:
        # Without the cause, which quotes the value.
        raise ImproperlyConfigured(f"{name} must name a file with a value in it.") from None
    return value
