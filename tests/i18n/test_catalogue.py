"""Every text has its English, and the compiled catalogue is the one that can be read."""

import ast
import re
from pathlib import Path

import django
import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import read_mo

from tests import messages

PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[sd]|\{\w*\}|</?\w+[^>]*>")
# What is said elsewhere, or by a formal clerk; this service says vos. Orders begin a sentence.
NOT_VOSEO = re.compile(
    r"\b([Tt]ú|contigo|[Uu]sted|vosotros|vuestr[ao]|[Tt]ienes|[Pp]uedes|[Qq]uieres|[Ee]res|[Dd]ebes"
    r"|[Ss]abes|[Cc]rees|inténtalo|Elige|Reserva (tu|una|otra)|Confirma|Prueba|Vuelve|Revisa"
    r"|Escribe|Comparte|Únete|Haz|Ven|Mira|Entra|Invita|Ingresa|Agrega|Seleccione|Ingrese|Introduzca"
    r"|Asegúrese|Elija|Haga|Vuelva|Intente)\b"
)
# «A ella» is a person whom a text named before: the class goes back to her.
GENDERED = re.compile(
    r"\b([Ll]a|[Ee]l|[Uu]na?|del|al) (profe|docente)\b|\b[Pp]rofesora?\b|(?<!\ba )\b[Ee]lla\b"
    r"|\b([Ss]he|[Hh]ers?|[Hh]e|[Hh]is|[Hh]im)\b"
)

CATALOGUES = [messages.CATALOGUE, messages.DJANGO_S_SPANISH]


def pairs(path: Path = messages.CATALOGUE) -> list[tuple[str, str]]:
    """Give each text with its translation, plurals apart; by default Spanish with English."""
    found: list[tuple[str, str]] = []
    for message in messages.read_catalogue(path):
        if isinstance(message.id, str):
            found.append((message.id, message.string))
        else:
            found += zip(message.id, message.string, strict=True)
    return [(text, translation) for text, translation in found if text and translation]


def texts_of_django() -> set[str]:
    """Give the texts that Django's forms and admin have in Argentine Spanish, plurals apart."""
    found: set[str] = set()
    for room in ("conf", "contrib/admin"):
        path = Path(django.__file__).parent / room / "locale/es_AR/LC_MESSAGES/django.mo"
        with path.open("rb") as file:
            for message in read_mo(file):
                found |= {message.id} if isinstance(message.id, str) else set(message.id)
    return found


def name(path: Path) -> str:
    return path.parts[-3]


@pytest.fixture(scope="module")
def catalogue():
    """The English catalogue with the texts that code and templates have now."""
    catalogue = messages.read_catalogue()
    messages.update(catalogue, messages.collect())
    return catalogue


def test_every_text_has_english(catalogue):
    missing = [message.id for message in messages.list_missing(catalogue)]

    assert missing == [], "run `make messages` and write their English"


def test_the_catalogue_is_the_one_that_make_messages_writes(catalogue):
    """So a new text changes its own lines only, and a text that is gone leaves."""
    written = messages.format_catalogue(catalogue)

    assert written == messages.CATALOGUE.read_bytes(), "run `make messages`"


def test_a_changed_text_keeps_its_earlier_english_until_it_has_its_own():
    catalogue, found = Catalog(), Catalog()
    catalogue.add("Tu clase es el lunes", "Your class is on Monday")
    found.add("Tu clase va a ser el lunes")

    messages.update(catalogue, found)
    changed = catalogue["Tu clase va a ser el lunes"]
    hints = changed.user_comments
    changed.string = "Your class will be on Monday"
    messages.update(catalogue, found)

    assert hints == ["before: Your class is on Monday"]
    assert catalogue["Tu clase va a ser el lunes"].user_comments == []


def test_no_text_is_marked_inside_an_f_string():
    """Babel finds it there on Python 3.12 and later only, so the catalogue would depend on it."""
    marked = [
        f"{path.relative_to(messages.ROOT)}:{call.lineno}"
        for path in messages.sources()
        if path.suffix == ".py"
        for text in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(text, ast.JoinedStr)
        for call in ast.walk(text)
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in messages.FUNCTIONS
    ]

    assert marked == [], "translate it before the f-string"


@pytest.mark.parametrize("path", CATALOGUES, ids=name)
def test_the_compiled_catalogue_is_up_to_date(path):
    compiled = messages.compile_catalogue(messages.read_catalogue(path))

    assert compiled == path.with_suffix(".mo").read_bytes(), "run `make messages`"


@pytest.mark.parametrize("path", CATALOGUES, ids=name)
def test_translations_keep_every_placeholder(path):
    lost = [
        (text, translation)
        for text, translation in pairs(path)
        if sorted(PLACEHOLDER.findall(text)) != sorted(PLACEHOLDER.findall(translation))
    ]

    assert lost == []


def test_translations_end_as_their_text_does():
    """A sentence stays a sentence, a label a label, and no space is lost at an edge."""

    def edges(text: str) -> tuple[bool, ...]:
        return text[0].isspace(), text[-1].isspace(), text[-1] in ".!", text[-1] in ":,"

    assert [pair for pair in pairs() if edges(pair[0]) != edges(pair[1])] == []


def test_spanish_says_vos():
    own = [spanish for spanish, _ in pairs()]
    django_s = [spanish for _, spanish in pairs(messages.DJANGO_S_SPANISH)]

    assert [text for text in own + django_s if NOT_VOSEO.search(text)] == []


def test_no_text_gives_the_teacher_a_gender():
    gendered = [pair for pair in pairs() if GENDERED.search(" ".join(pair))]

    assert gendered == []


@pytest.mark.parametrize(
    "text",
    [
        *("Escribile: lo ordena ella.", "Te los devuelve ella.", "Ella ya lo sabe."),
        *("Tu profesora ya lo sabe.", "Escribile a la docente."),
    ],
)
def test_a_gender_is_found(text):
    assert GENDERED.search(text)


def test_django_still_has_the_texts_that_are_changed():
    changed = {text for text, _ in pairs(messages.DJANGO_S_SPANISH)}

    assert changed - texts_of_django() == set()
