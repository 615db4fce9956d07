"""The reader finds what it is there to find."""

import pytest

from tests.i18n.reading import read, untranslated


@pytest.mark.parametrize(
    "leftover",
    [
        "<p>Ver las clases</p>",
        "<p>Tu <b>perfil</b></p>",
        '<nav aria-label="Pasos de la reserva"></nav>',
        '<input placeholder="Código de acceso">',
        '<input type="submit" value="Guardar">',
        '<meta name="description" content="Clases de inglés">',
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
