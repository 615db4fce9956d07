"""No text stands in templates, Python or scripts without being marked for translation.

The catalogue's test sees only what is marked; this one sees the rest, also in states of a page
that no test reaches.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.template.base import Lexer, TokenType

from tests.i18n.reading import is_prose, read, telling_words, untranslated, words_of
from tests.messages import ONE_LANGUAGE, ROOT

# The same in every language.
NAMES = {"google", "calendar", "outlook", "whatsapp", "qr", "abcd"}
ARGUMENT = re.compile(r"\b\w+=(\"[^\"]*\"|'[^']*')")
# Rooms whose texts reach students; a model's names and the panel are the teacher's.
ROOMS = (
    "accounts/**/*.py",
    "bookings/domain/**/*.py",
    "bookings/notices/**/*.py",
    "bookings/pages/**/*.py",
    "bookings/templatetags/*.py",
)
# Answers of the API and its description, which are fixed, and what other services show.
OTHER_READERS = {
    "accounts/api/profile.py",
    "accounts/models.py",
    "bookings/notices/delivery.py",
    "bookings/notices/mail.py",
    "bookings/notices/skip_rules.py",
    "bookings/templatetags/page_parts.py",
}
# How texts begin that only the teacher reads, or a provider shows.
OF_THE_TEACHER = (
    "El banco ya lo",
    "El mínimo va de",
    "El pago volvió",
    "Falta poco para la clase",
    "Esa cuenta no",
    "Esa persona acaba",
    "Esta clase no tiene un enlace",
    "La clase no está agendada",
    "La foto",
    "Los precios pueden",
    "Lugar en «",
    "Nadie tomó",
    "No pudimos leer esa foto",
    "No sabemos su correo",
    "Tus notas: ",
    "Un estudiante ya tomó",
    "Ya hubo reservas",
    ": tiene que terminar",
    " se superponen",
)
GETTEXT = {
    "_",
    "gettext",
    "gettext_lazy",
    "gettext_noop",
    "ngettext",
    "ngettext_lazy",
    "pgettext",
    "pgettext_lazy",
    "npgettext",
}


def files(*patterns: str) -> list[Path]:
    found = (path for pattern in patterns for path in sorted(ROOT.glob(pattern)))
    elsewhere = {*ONE_LANGUAGE, "migrations"}
    return [path for path in found if not elsewhere & set(path.relative_to(ROOT).parts)]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# --- Templates ------------------------------------------------------------------------------------


def test_templates_mark_every_text():
    paths = files("templates/**/*.html", "templates/**/*.txt")
    found = [(name(path), list(unmarked_in_template(path.read_text()))) for path in paths]

    assert [(file, texts) for file, texts in found if texts] == []


def unmarked_in_template(source: str) -> Iterator[str]:
    """Give what a template says by itself, outside its tags for translation."""
    html = ""
    is_marked = False
    for token in Lexer(source).tokenize():
        if token.token_type == TokenType.TEXT and not is_marked:
            html += token.contents
        elif token.token_type == TokenType.BLOCK:
            tag = token.split_contents()[0]
            is_marked = tag.startswith("blocktrans") or (
                is_marked and not tag.startswith("endblocktrans")
            )
            if tag == "include":
                values = (value[1:-1] for value in ARGUMENT.findall(token.contents))
                yield from filter(is_prose, values)
    yield from (
        piece.text
        for piece in read(html)
        if piece.language != "en" and words_of(piece.text) - NAMES
    )


# --- Python ---------------------------------------------------------------------------------------


def test_modules_mark_every_text():
    paths = [path for path in files(*ROOMS) if name(path) not in OTHER_READERS]
    found = [(name(path), list(unmarked_in_module(path.read_text()))) for path in paths]

    assert [(file, texts) for file, texts in found if texts] == []


def unmarked_in_module(source: str) -> Iterator[str]:
    """Give the literals with Spanish in them that no call of gettext takes."""
    tree = ast.parse(source)
    marked = {
        id(literal)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name | ast.Attribute)
        and getattr(call.func, "id", getattr(call.func, "attr", "")) in GETTEXT
        for literal in ast.walk(call)
    }
    documentation = {
        id(statement.value) for statement in ast.walk(tree) if isinstance(statement, ast.Expr)
    }
    for literal in ast.walk(tree):
        if (
            isinstance(literal, ast.Constant)
            and isinstance(literal.value, str)
            and id(literal) not in marked | documentation
            and is_spanish(literal.value)
        ):
            yield literal.value


def is_spanish(text: str) -> bool:
    """Whether a literal is Spanish prose: several words, one of them telling, no date's pattern."""
    return (
        " " in text.strip()
        and not text.startswith(OF_THE_TEACHER)
        and "EEEE" not in text
        and not words_of(text).isdisjoint(telling_words()["en"])
    )


# --- Scripts --------------------------------------------------------------------------------------


def test_scripts_say_nothing_themselves():
    """Scripts take their words from the page, which knows its language."""
    paths = files("static/js/**/*.js")
    said = [(name(path), text) for path in paths for text in spanish_in_script(path.read_text())]

    assert said == []


def spanish_in_script(source: str) -> list[str]:
    code = re.sub(r"//.*|/\*.*?\*/", "", source)
    literals = re.findall(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`", code)
    return [text for text in literals if words_of(text) & telling_words()["en"]]


# --- The readers themselves -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "<p>Hola</p>",
        '{% include "_tab.html" with label="Inicio" only %}',
        "{% blocktranslate %}Hola{% endblocktranslate %} chau",
    ],
)
def test_an_unmarked_text_of_a_template_is_found(source):
    assert list(unmarked_in_template(source))


@pytest.mark.parametrize(
    "source",
    [
        '{% translate "Hola" %} · {{ name }}',
        '<p lang="en">Hello</p>',
        '<p translate="no">ABCD2345</p><input type="hidden" value="Hola">',
        '{% include "_field.html" with field=form.text process="login" only %}',
        "{# Takes: nothing. #}<style>p { color: red }</style>",
    ],
)
def test_a_template_may_say_this(source):
    assert list(unmarked_in_template(source)) == []


def test_an_unmarked_text_of_a_module_is_found():
    source = (
        'def f(e):\n    """Ya estás."""\n    return _("La clase"), "La clase ya terminó.", "la"'
    )

    assert list(unmarked_in_module(source)) == ["La clase ya terminó."]


# --- The reader of pages finds what it is there to find -------------------------------------------


@pytest.mark.parametrize(
    "leftover",
    [
        "<p>Ver las clases</p>",
        '<nav aria-label="Pasos de la reserva"></nav>',
        '<input type="submit" value="Guardar">',
        '<span data-copied="¡Copiado!"></span>',
        '<a href="https://wa.me/?text=Sumate%20a%20mi%20clase">x</a>',
        '<p lang="es-ar">Sign in</p>',
    ],
)
def test_a_text_in_another_language_is_found(leftover):
    assert untranslated(f'<html lang="en">{leftover}</html>')


@pytest.mark.parametrize(
    "page",
    [
        "<p>See available times</p>",
        '<p lang="es-ar">Ver los horarios</p>',
        '<button lang="es-ar">Español</button>',
        '<p translate="no">Clase</p><p>Class</p>',
        '<button data-copy="SU5593JW">Copy</button>',
        '<input type="hidden" value="/inicio/clases"><a href="/inicio/clases?tipo=grupal">Home</a>',
        "<script>const clase = 1;</script><img alt=''><p>Done</p>",
    ],
)
def test_the_rest_is_left_alone(page):
    assert untranslated(f'<html lang="en">{page}</html>') == []


def test_each_text_has_the_language_around_it():
    said = read('<html lang="es-ar"><p>a <i lang="en">b<br>c</i> d</p></html>')

    assert [(piece.language, piece.text) for piece in said] == [
        ("es", "a"),
        ("en", "b"),
        ("en", "c"),
        ("es", "d"),
    ]
