"""``make messages``: collect the texts from the code into the English catalogue, and compile it.

Texts are Spanish where they stand; the catalogue holds their English. A text that is new arrives
there without one, and a text that is gone leaves. If a text was changed, its earlier English is a
comment above it until it has its own. Needs no gettext program.

A second catalogue, kept by hand, changes some of Django's own Spanish.
"""

import io
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parents[1]
CATALOGUE = ROOT / "config/locale/en/LC_MESSAGES/django.po"
DJANGO_S_SPANISH = ROOT / "config/locale/es_AR/LC_MESSAGES/django.po"
SOURCES = ("accounts/**/*.py", "bookings/**/*.py", "config/**/*.py", "templates/**/*.*")
HINT = "before: "
# The teacher's panel speaks Spanish only, the page about the API English.
ONE_LANGUAGE = {"admin", "openapi"}
PLURAL, CONTEXT, CONTEXT_AND_PLURAL = (1, 2), ((1, "c"), 2), ((1, "c"), 2, 3)
FUNCTIONS = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": PLURAL,
    "ngettext_lazy": PLURAL,
    "pgettext": CONTEXT,
    "pgettext_lazy": CONTEXT,
    "npgettext": CONTEXT_AND_PLURAL,
    "npgettext_lazy": CONTEXT_AND_PLURAL,
}


def main() -> int:
    """Bring catalogue and compiled file up to date; 1 while a text has no English."""
    catalogue = read_catalogue()
    update(catalogue, collect())
    CATALOGUE.write_bytes(format_catalogue(catalogue))
    for path in (CATALOGUE, DJANGO_S_SPANISH):
        path.with_suffix(".mo").write_bytes(compile_catalogue(read_catalogue(path)))
    missing = list_missing(catalogue)
    for message in missing:
        where = ", ".join(dict.fromkeys(file for file, _ in message.locations))
        print(f"{where}: no English for {message.id!r}")
    print(f"{len(catalogue)} texts, {len(missing)} without English")
    return 1 if missing else 0


def read_catalogue(path: Path = CATALOGUE) -> Catalog:
    """Read a catalogue as it is stored, by default the English one."""
    with path.open("rb") as file:
        return read_po(file)


def collect() -> Catalog:
    """Find every text that code or template marks for translation."""
    found = Catalog()
    for path in sources():
        name = path.relative_to(ROOT).as_posix()
        for line, text, comments, context in _extract(path):
            found.add(
                text,
                locations=[(name, line)],
                auto_comments=comments,
                context=context,
            )
    return found


def update(catalogue: Catalog, found: Catalog) -> None:
    """Add the texts that are new and drop those that are gone; a translation is never guessed."""
    catalogue.update(found, no_fuzzy_matching=True, update_creation_date=False)
    gone = {_first(one.id): _first(one.string) for one in catalogue.obsolete.values()}
    catalogue.obsolete.clear()
    for message in catalogue:
        if message.user_comments[:1] and message.user_comments[0].startswith(HINT):
            if _is_full(message):
                message.user_comments = []
        elif message.id and not _is_full(message):
            close = get_close_matches(_first(message.id), gone, n=1)
            message.user_comments = [HINT + gone[one] for one in close]


def _first(text: str | tuple[str, ...] | list[str]) -> str:
    """Return the only form of a text, or its singular."""
    return text if isinstance(text, str) else text[0]


def format_catalogue(catalogue: Catalog) -> bytes:
    """Give the file that people read; the same texts give the same bytes."""
    formatted = io.BytesIO()
    write_po(formatted, catalogue, width=100, include_lineno=False, sort_by_file=True)
    return formatted.getvalue()


def compile_catalogue(catalogue: Catalog) -> bytes:
    """Give the file that Django reads; the same catalogue gives the same bytes."""
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    return compiled.getvalue()


def list_missing(catalogue: Catalog) -> list[Message]:
    """List the texts that have no English, not all of it, or only a guess."""
    return [
        message for message in catalogue if message.id and (message.fuzzy or not _is_full(message))
    ]


def _is_full(message: Message) -> bool:
    translations = message.string if message.pluralizable else [message.string]
    return len(translations) == (2 if message.pluralizable else 1) and all(translations)


def sources() -> Iterator[Path]:
    """Yield the files whose texts are translated."""
    for pattern in SOURCES:
        for path in sorted(ROOT.glob(pattern)):
            if not ONE_LANGUAGE & set(path.relative_to(ROOT).parts):
                yield path


def _extract(path: Path) -> Iterator[tuple[int, str | tuple[str, ...], list[str], str | None]]:
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        # Becomes Python whose indentation means nothing.
        source = "\n".join(line.lstrip() for line in templatize(source).split("\n"))
    file = io.BytesIO(source.encode())
    return extract("python", file, FUNCTIONS, ["Translators"], {"encoding": "utf-8"})


if __name__ == "__main__":
    sys.exit(main())
