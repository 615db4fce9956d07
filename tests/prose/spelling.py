"""The Spanish of catalogue, panel, templates, mails and handbook, by the dictionary es_AR."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from hunspell import Hunspell

from tests import messages
from tests.processes import ROOT
from tests.prose.handbook import ENGLISH, HANDBOOK, TAG
from tests.prose.pages import PLACEHOLDER, read_blocks, read_marked

DICTIONARY = ROOT / "tests" / "vendor" / "es_AR-2.8"
OWN_WORDS = Path(__file__).parent / "words.txt"
WORD = re.compile(r"[^\W\d_]+")
NOISE = re.compile(r"<[^>]*>|%\(\w+\)\w|%\w|{[^}]*}|https?://\S+|\S+@\S+|&\w+;|\S*[_/.]\w\S*")
# Letters and signs that Spanish has and names in code have not.
SPANISH = re.compile(r"[áéíóúñü¿¡«»]| (?:el|la|los|las|un|una|de|que|se|con|por|para) ")


def find_misspellings() -> list[str]:
    return [
        f"{place}: «{word}» in «{_shorten(text)}»"
        for place, text in list_texts()
        for word in WORD.findall(NOISE.sub(" ", text))
        if not is_word(word)
    ]


@cache
def is_word(word: str) -> bool:
    own = _own_words()
    return word in own or word.lower() in own or _dictionary().spell(word)


@cache
def _dictionary() -> Hunspell:
    return Hunspell("es_AR", hunspell_data_dir=str(DICTIONARY))


@cache
def _own_words() -> frozenset[str]:
    lines = OWN_WORDS.read_text().splitlines()
    return frozenset(word for line in lines for word in line.partition("#")[0].split())


def list_texts() -> Iterator[tuple[str, str]]:
    """Yield each Spanish text with its place."""
    for message in messages.read_catalogue():
        texts = message.id if isinstance(message.id, tuple) else (message.id,)
        file = message.locations[0][0] if message.locations else "catalogue"
        yield from ((file, text) for text in texts if text)
    for message in messages.read_catalogue(messages.DJANGO_S_SPANISH):
        texts = message.string if isinstance(message.string, tuple) else (message.string,)
        yield from (("config/locale/es_AR", text) for text in texts if text and message.id)
    yield from _read_panel()
    yield from _read_handbook()


def _read_panel() -> Iterator[tuple[str, str]]:
    """Yield the texts that the catalogue lacks, because the panel is in Spanish only."""
    for path in sorted((ROOT / "templates" / "admin").rglob("*.html")):
        place = str(path.relative_to(ROOT))
        yield from ((place, text) for text in TAG.split(path.read_text()) if text.strip())
    for app in ("accounts", "bookings"):
        for path in sorted((ROOT / app).rglob("*.py")):
            if "migrations" in path.parts or "openapi" in path.parts:
                continue
            for node in _list_constants(ast.parse(path.read_text())):
                if SPANISH.search(f" {node.value} "):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", node.value


def _list_constants(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield the strings that are no docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node not in docstrings
        ):
            yield node


def _read_handbook() -> Iterator[tuple[str, str]]:
    for path in sorted(HANDBOOK.glob("*.md")):
        english = {text for _, text in read_marked(path, "em")}
        for block in read_blocks(path):
            text = block.text.replace(PLACEHOLDER, "")
            for other in english:
                text = text.replace(other, "")
            yield block.place, text
    for path in sorted(ENGLISH.glob("*.md")):
        for line, label in read_marked(path, "strong"):
            yield f"{path.relative_to(ROOT)}:{line}", label


def _shorten(text: str) -> str:
    return " ".join(text.split())[:80]
