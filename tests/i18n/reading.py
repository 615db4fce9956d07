"""What a person reads of a page, and whether it is in the language it says it is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urlsplit

from accounts.models import Language
from bookings.payments.backend import PROVIDERS
from tests import messages

READ_ATTRIBUTES = {"aria-label", "aria-description", "title", "alt", "placeholder", "label"}
META = {"description", "og:title", "og:description", "og:site_name", "og:image:alt"}
VOID = {"br", "hr", "img", "input", "link", "meta", "source", "wbr"}
SILENT = {"script", "style"}
ADDRESS = re.compile(r"https?://\S+|\S+@\S+")
# Not the letters of an access code: "SU5593JW" has no Spanish "su".
WORD = re.compile(r"\b[^\W\d_]{2,}\b")
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w*\}|<[^>]+>")


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of a page. language: ``es`` or ``en``, as the page declares it."""

    language: str
    text: str

    @property
    def is_foreign(self) -> bool:
        """Whether some of it is in the other language; a language is called by its own name."""
        words = words_of(ADDRESS.sub(" ", self.text))
        return self.text not in Language.labels and words & telling_words()[self.language] != set()


def read(html: str) -> list[Text]:
    """List what a page says: its text, what a screen reader adds, what it offers to send."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.texts


def untranslated(html: str) -> list[str]:
    """List the texts of a page that are in another language than the one it declares."""
    return [piece.text for piece in read(html) if piece.is_foreign]


@cache
def telling_words() -> dict[str, set[str]]:
    """Give the words that do not belong on a Spanish and on an English page.

    Each is a word of the other side of the catalogue, and of that side only: the list grows with
    the product, and a text that nobody marked seldom does without any of its words.
    """
    spanish: set[str] = set()
    english: set[str] = set()
    for message in messages.read_catalogue():
        for texts, words in ((message.id, spanish), (message.string, english)):
            for text in [texts] if isinstance(texts, str) else texts:
                words |= words_of(PLACEHOLDER.sub(" ", text))
    names = words_of(" ".join(one.label for one in PROVIDERS.values()))
    return {"es": english - spanish, "en": spanish - english - names}


def words_of(text: str) -> set[str]:
    """Give the words of a text, in lower case."""
    return set(WORD.findall(text.lower()))


def is_prose(value: str) -> bool:
    """Whether an attribute's or argument's value is made for people: not a name, path or number."""
    return " " in value or value[:1].isupper() or not value.isascii()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[Text] = []
        # Of each open element: its name, the language inside, whether nobody reads it.
        self._open: list[tuple[str, str, bool]] = [("", "es", False)]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        _, language, is_silent = self._open[-1]
        language = values.get("lang", language).lower().partition("-")[0]
        is_silent = is_silent or tag in SILENT or values.get("translate") == "no"
        if not is_silent:
            for text in _texts_of(tag, values):
                self._add(language, text)
        if tag not in VOID:
            self._open.append((tag, language, is_silent))

    def handle_endtag(self, tag: str) -> None:
        while len(self._open) > 1 and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        _, language, is_silent = self._open[-1]
        if not is_silent:
            self._add(language, data)

    def _add(self, language: str, text: str) -> None:
        if text := " ".join(text.split()):
            self.texts.append(Text(language, text))


def _texts_of(tag: str, values: dict[str, str]) -> Iterator[str]:
    """Give what an element's attributes say."""
    yield from (values[name] for name in sorted(READ_ATTRIBUTES & values.keys()))
    yield from (
        value
        for name, value in values.items()
        if name.startswith("data-") and is_prose(value) and not value.startswith(("/", "http"))
    )
    if tag == "meta" and META & {values.get("name"), values.get("property")}:
        yield values.get("content", "")
    if tag == "input" and values.get("type") in {"submit", "button"}:
        yield values.get("value", "")
    if tag == "a":
        # What it offers to send: a message to friends, an entry for a calendar.
        for _, value in parse_qsl(urlsplit(values.get("href", "")).query):
            if " " in value:
                yield value
