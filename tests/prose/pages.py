"""The Markdown pages, and the prose in them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.processes import ROOT

HANDBOOK = ROOT / "docs" / "handbook"
MARKDOWN = MarkdownIt("commonmark").enable("table")
# A space follows, and a capital or a file's name: a full stop inside "e.g." ends nothing.
SENTENCE_END = re.compile(r"(?<=[.!?])[)\"»”*]*\s+(?=[^a-záéíóúñ]|[\w/-]+[._]\w)")
# In a table's cell a semicolon parts the items of a list.
CELL_END = re.compile(f"{SENTENCE_END.pattern}|;\\s")
PLACEHOLDER = "Code"


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list item, heading or table cell. Code in it is one word, ``PLACEHOLDER``."""

    path: Path
    line: int
    text: str
    is_cell: bool = False

    @property
    def place(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}"


def list_pages() -> list[Path]:
    docs = [page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts]
    return sorted([*ROOT.glob("*.md"), *docs])


@cache
def read_tokens(path: Path) -> tuple[Token, ...]:
    return tuple(MARKDOWN.parse(path.read_text()))


def read_blocks(path: Path) -> Iterator[Block]:
    line, is_cell = 1, False
    for token in read_tokens(path):
        line = token.map[0] + 1 if token.map else line
        is_cell = token.type == "td_open" or (is_cell and token.type != "td_close")
        if token.type == "inline":
            yield Block(path, line, "".join(map(_read, token.children or [])), is_cell)


def read_sentences(path: Path) -> Iterator[tuple[Block, str]]:
    for block in read_blocks(path):
        for sentence in (CELL_END if block.is_cell else SENTENCE_END).split(block.text):
            yield block, " ".join(sentence.split())


def read_marked(path: Path, kind: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of what is ``strong`` or ``em``."""
    for token in read_tokens(path):
        opened, text = False, ""
        for child in token.children or []:
            if child.type == f"{kind}_open":
                opened, text = True, ""
            elif child.type == f"{kind}_close":
                opened = False
                yield (token.map or [0])[0] + 1, text
            elif opened:
                text += _read(child)


def list_headings(path: Path) -> list[tuple[str, str]]:
    """List the level (``h2``) and text of each heading."""
    tokens = read_tokens(path)
    return [
        (token.tag, tokens[position + 1].content)
        for position, token in enumerate(tokens)
        if token.type == "heading_open"
    ]


def list_pictures(path: Path) -> list[str]:
    """List the addresses of the pictures, as the page gives them."""
    children = [child for token in read_tokens(path) for child in token.children or []]
    return [str(child.attrs["src"]) for child in children if child.type == "image"]


def _read(token: Token) -> str:
    if token.type == "code_inline":
        return PLACEHOLDER
    if token.type in {"softbreak", "hardbreak"}:
        return " "
    return token.content if token.type in {"text", "image"} else ""
