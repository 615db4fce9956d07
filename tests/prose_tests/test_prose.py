"""The checks of the prose find what they are for."""

from pathlib import Path

import pytest

from tests.processes import ROOT
from tests.prose import handbook, sentences
from tests.prose.pages import read_blocks, read_marked, read_sentences
from tests.prose.spelling import is_word, list_texts


@pytest.fixture
def page(tmp_path):
    """Return a function that writes a page."""

    def write(text: str) -> Path:
        path = tmp_path / "page.md"
        path.write_text(text)
        return path

    return write


def test_long_sentence_is_found(page, monkeypatch):
    path = page(f"Short one. Word {'word ' * 30}end.\n\nAnother one.")
    monkeypatch.setattr(sentences, "list_pages", lambda: [path])
    monkeypatch.setattr(sentences, "ALLOWED", {})
    monkeypatch.setattr("tests.prose.pages.ROOT", path.parent)

    (found,) = sentences.find_long_sentences()

    assert found.startswith("page.md:1: 32 words: Word word")


def test_reason_without_its_sentence_is_found(page, monkeypatch):
    monkeypatch.setattr(sentences, "list_pages", lambda: [page("Short one.")])
    monkeypatch.setattr(sentences, "ALLOWED", {"A sentence of before": "it was a list"})

    assert "A sentence of before" in sentences.find_long_sentences()[0]


def test_code_is_one_word_and_blocks_of_code_are_no_prose(page):
    path = page("Run `make test ARGS=x` at once.\n\n```\nnot read\n```\n")

    assert [block.text for block in read_blocks(path)] == ["Run Code at once."]


def test_sentences_end_before_a_file_s_name_and_cells_at_semicolons(page):
    path = page("It is so. docs/api.md says it.\n\n| A |\n|---|\n| one; two |\n")

    found = [sentence for _, sentence in read_sentences(path)]

    assert found == ["It is so.", "docs/api.md says it.", "A", "one", "two"]


@pytest.mark.parametrize(
    "label",
    [
        "Guardar la semana",  # a button of a template
        "Cambiar el horario",  # a step of the panel
        "pago a revisar",  # one of two forms
        "Agregar precio",  # Django's words with ours
        "Avisame si se libera un lugar",  # a text of the students' pages
        "sigue agendada. Si no la vas a dar, cancelala.",  # a sentence with a name before it
    ],
)
def test_label_of_a_page_is_known(label):
    assert handbook.normalize(label) in handbook.list_labels()


@pytest.mark.parametrize("label", ["Guardar el mes", "La semana entera", "Mover la clase"])
def test_label_of_no_page_is_found(page, monkeypatch, label):
    handbook.list_labels()  # kept from here on: below the root is another one
    path = page(f"Tocá **{label}**.")
    monkeypatch.setattr(handbook, "HANDBOOK", path.parent)
    monkeypatch.setattr(handbook, "ENGLISH", path.parent)
    monkeypatch.setattr(handbook, "ROOT", path.parent)

    assert handbook.find_faults() == [f"page.md:1: no page shows «{label}»"]


def test_labels_are_what_is_bold(page):
    assert list(read_marked(page("Un **botón** y *otra* cosa."), "strong")) == [(1, "botón")]


@pytest.mark.parametrize("word", ["reservá", "cancelás", "videollamada", "Google", "Elegilo"])
def test_word_is_known(word):
    assert is_word(word)


@pytest.mark.parametrize("word", ["resevá", "calendarrio", "telefono", "dias"])
def test_misspelled_word_is_found(word):
    assert not is_word(word)


def test_catalogue_panel_and_handbook_are_spelled():
    places = {place.partition(":")[0] for place, _ in list_texts()}

    assert {
        "templates/bookings/choose.html",
        "templates/admin/step.html",
        "bookings/panel/classes/class_steps.py",
        "bookings/domain/exceptions.py",
        "docs/handbook/money.md",
        "docs/handbook/en/money.md",
    } <= places


def test_pictures_of_the_docs_are_taken_by_the_command():
    from tests.pictures.shots import SHOTS

    taken = {shot.file_name(screen) for shot in SHOTS for screen in shot.screens}

    assert {path.name for path in (ROOT / "docs/images").glob("*.webp")} == {*taken, "inicio.webp"}
