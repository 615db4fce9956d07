"""One configuration value as text: from its variable, or from the file that ``NAME_FILE`` names."""

from collections.abc import Mapping
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


class Values:
    """The variables as text. One that is empty counts as not set, as in a copied ``.env.example``.

    django-environ's own reader would take a secret that begins with ``$`` for another's name.
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    def text(self, name: str, default: str = "") -> str:
        """Give a value, or what stands in the file that is named, without the space around it.

        Raises ImproperlyConfigured for both at once, and for a file that cannot be read.
        """
        value = self._values.get(name, "").strip()
        file = self._values.get(f"{name}_FILE", "").strip()
        if value and file:
            raise ImproperlyConfigured(f"{name} and {name}_FILE are both set; one is enough.")
        return (_read_value(f"{name}_FILE", file) if file else value) or default

    def words(self, name: str) -> list[str]:
        """Give the parts of a value with commas between them."""
        parts = (part.strip() for part in self.text(name).split(","))
        return [part for part in parts if part]


def _read_value(name: str, file: str) -> str:
    """Give what the file holds. Raises ImproperlyConfigured, also for an empty one: a secret that
    was mounted badly must not count as one that was never set.
    """
    try:
        value = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        value = ""
    if not value:
        # Without the original, which repeats what cannot be decoded.
        raise ImproperlyConfigured(f"{name} must name a file with a value in it.") from None
    return value
