"""``python -m tests.check_handbook``: the teacher's handbook names what her screens show.

A label in bold is a text of the templates, of the code or of Django's admin, each picture is there,
and the two languages have the same pages, headings, pictures and labels.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import django

from tests.processes import ROOT

HANDBOOK = ROOT / "docs" / "handbook"
SHOWN = (
    *(ROOT / "templates").rglob("*.html"),
    *(path for app in ("accounts", "bookings", "config") for path in (ROOT / app).rglob("*.py")),
    *(ROOT / "config/locale/es_AR").rglob("*.po"),
    Path(django.__file__).parent / "contrib/admin/locale/es_AR/LC_MESSAGES/django.po",
)
LABEL = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
PICTURE = re.compile(r"!\[[^]]*\]\(([^)]+)\)")
HEADING = re.compile(r"^(#+) ", re.MULTILINE)
# What bold means, and two labels that Django puts together.
NOT_LABELS = {"en negrita", "agregar precio", "agregar cierre"}


def find_faults() -> Iterator[str]:
    shown = _normalize(" ".join(path.read_text() for path in SHOWN))
    for page in sorted(HANDBOOK.rglob("*.md")):
        name, text = page.relative_to(ROOT), page.read_text()
        labels = {_normalize(one).rstrip(":") for one in LABEL.findall(text)} - NOT_LABELS
        yield from (f"{name}: no page shows «{one}»" for one in sorted(labels) if one not in shown)
        lost = (one for one in PICTURE.findall(text) if not (page.parent / one).is_file())
        yield from (f"{name}: no file {one}" for one in lost)
    spanish, english = (_outline(folder) for folder in (HANDBOOK, HANDBOOK / "en"))
    for one in sorted(spanish.keys() | english.keys()):
        if spanish.get(one) != english.get(one):
            yield f"docs/handbook/{one}: other headings, pictures or labels in English"


def _outline(folder: Path) -> dict[str, tuple[list[str], list[str], set[str]]]:
    pages = {page.name: page.read_text() for page in folder.glob("*.md")}
    return {
        name: (
            HEADING.findall(text),
            [Path(one).name.replace("-en.webp", ".webp") for one in PICTURE.findall(text)],
            {_normalize(one) for one in LABEL.findall(text)} - NOT_LABELS,
        )
        for name, text in pages.items()
    }


def _normalize(text: str) -> str:
    """Ignore case and white space: styles and Django write some labels with capitals."""
    return " ".join(text.replace("{% provider_name %}", "Mercado Pago").split()).lower()


if __name__ == "__main__":
    faults = list(find_faults())
    print("\n".join(faults) or "The handbook is fine.")
    sys.exit(bool(faults))
