"""The teacher's handbook: its labels are those of the screen, and its two languages are twins."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import django
from babel.messages.mofile import read_mo

from tests import messages
from tests.processes import ROOT
from tests.prose.pages import HANDBOOK, list_headings, list_pictures, read_marked

ENGLISH = HANDBOOK / "en"
APPS = ("accounts", "bookings", "config")
TAG = re.compile(r"{%.*?%}|{{.*?}}|{#.*?#}|<[^>]*>", re.DOTALL)
QUOTED = re.compile(r"""["']([^"'<>{}]+)["']""")
# In bold in the English twin, to say what bold means.
NOT_LABELS = {"en negrita"}


def find_faults() -> list[str]:
    pages = sorted(HANDBOOK.rglob("*.md"))
    return [
        *(fault for page in pages for fault in _find_unknown_labels(page)),
        *(fault for page in pages for fault in _find_lost_pictures(page)),
        *_compare_languages(),
    ]


def _find_unknown_labels(page: Path) -> Iterator[str]:
    for line, label in read_marked(page, "strong"):
        if label not in NOT_LABELS and normalize(label) not in list_labels():
            yield f"{page.relative_to(ROOT)}:{line}: no page shows «{label}»"


def _find_lost_pictures(page: Path) -> Iterator[str]:
    for picture in list_pictures(page):
        if not (page.parent / picture).is_file():
            yield f"{page.relative_to(ROOT)}: no file {picture}"


def _compare_languages() -> Iterator[str]:
    names = {page.name for page in HANDBOOK.glob("*.md")}
    for name in sorted(names ^ {page.name for page in ENGLISH.glob("*.md")}):
        yield f"docs/handbook: {name} is in one language only"
    for name in sorted(names):
        spanish, english = HANDBOOK / name, ENGLISH / name
        if not english.is_file():
            continue
        for what, of in (("headings", _outline), ("pictures", _pictures), ("labels", _labels)):
            if of(spanish) != of(english):
                yield f"docs/handbook/{name}: other {what} in English: {of(spanish)}, {of(english)}"


def _outline(page: Path) -> list[str]:
    return [level for level, _ in list_headings(page)]


def _pictures(page: Path) -> list[str]:
    return [Path(one).name.replace("-en.webp", ".webp") for one in list_pictures(page)]


def _labels(page: Path) -> set[str]:
    return {label for _, label in read_marked(page, "strong")} - NOT_LABELS


def normalize(label: str) -> str:
    """Ignore case and white space: styles show some labels in capitals, and Django capitalizes."""
    return " ".join(label.split()).rstrip(":").lower()


@cache
def list_labels() -> frozenset[str]:
    """List what pages may show: texts of templates and code, and of Django's own panel."""
    texts = [*_read_templates(), *_read_code(), *_read_django()]
    return frozenset(map(normalize, texts))


def _read_templates() -> Iterator[str]:
    for path in (ROOT / "templates").rglob("*.html"):
        text = path.read_text().replace("{% provider_name %}", "Mercado Pago")
        yield from TAG.split(text)
        for quoted in QUOTED.findall(text):
            yield from (quoted, *quoted.split(","))


def _read_code() -> Iterator[str]:
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield from TAG.split(node.value)
                    yield node.value.removeprefix(": ")


def _read_django() -> Iterator[str]:
    nouns = ("precio", "cierre")
    path = Path(django.__file__).parent / "contrib/admin/locale/es_AR/LC_MESSAGES/django.mo"
    with path.open("rb") as file:
        own = [str(message.string) for message in read_mo(file)]
    changed = [str(one.string) for one in messages.read_catalogue(messages.DJANGO_S_SPANISH)]
    for text in own + changed:
        yield text
        yield from (text.replace("%(name)s", noun) for noun in nouns)
