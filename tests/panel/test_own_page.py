"""The teacher edits her page, looks at it before it is stored, and begins with seven answers."""

import io
import re
from datetime import time

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from PIL import Image

from bookings.domain.desk.hours import set_weekly_hours
from bookings.domain.desk.own_page import list_questions, list_quotes, load_teacher_page
from bookings.models import (
    ClassType,
    Price,
    Quote,
    StoredFile,
    TeacherPage,
    Weekday,
    WeeklyHours,
)
from bookings.panel.page_forms import FirstStepsForm
from tests.factories import QuestionFactory, QuoteFactory, TeacherPageFactory

pytestmark = pytest.mark.django_db

PAGE, PREVIEW = reverse("admin:teacher_page"), reverse("admin:teacher_page_preview")
START, STARTED = reverse("admin:start"), reverse("admin:started")
WITH_ENGLISH = {
    "question-0-question": "¿Hay tarea?",
    "question-0-answer": "Poca.",
    "question-0-question_en": "Any homework?",
    "question-0-answer_en": "A little.",
}
TEXTS = {
    "name": "Ana",
    "subject": "Guitarra",
    "tagline": "Tocás desde el primer día.",
    "contact": "both",
    "colour": "",
}
ANSWERS = {
    "name": "Ana Suárez",
    "subject": "Guitarra",
    "days": ["0", "2"],
    "start": "09:00",
    "end": "13:00",
    "minutes": "45",
    "amount": "15.000",
}


def photo(size=(300, 300), kind="JPEG"):
    file = io.BytesIO()
    Image.new("RGB", size, "red").save(file, kind)
    return SimpleUploadedFile("foto.jpg", file.getvalue(), "image/jpeg")


def texts_of(rows):
    return [str(row) for row in rows]


# --- The editor -----------------------------------------------------------------------------


def test_the_editor_shows_what_is_stored(panel):
    TeacherPageFactory(name="Ana Suárez")
    QuoteFactory(text="Aprendí mucho.")
    QuestionFactory(question="¿Hay tarea?")

    page = panel.get(PAGE).content.decode()

    assert 'value="Ana Suárez"' in page
    assert "Aprendí mucho." in page
    assert 'value="¿Hay tarea?"' in page


def test_saving_replaces_texts_quotes_and_questions(panel):
    TeacherPageFactory(about="Antes.")
    QuoteFactory(text="Una vieja.")
    QuestionFactory()

    response = panel.post(
        PAGE,
        TEXTS
        | {"quote-0-text": "", "quote-1-text": "Segunda.", "quote-2-text": "Tercera."}
        | {"question-1-question": "¿Hay tarea?", "question-1-answer": "Poca."}
        | {"question-1-question_en": "Any homework?", "question-1-answer_en": "A little."}
        | {"hours_en": "9 to 18"},
        follow=True,
    )

    assert "guardamos tu página" in response.content.decode()
    page = load_teacher_page()
    assert (page.name, page.about, page.video_url) == ("Ana", "", "")
    assert texts_of(list_quotes()) == ["Segunda.", "Tercera."]
    assert texts_of(list_questions()) == ["¿Hay tarea?"]
    assert texts_of([one.in_language("en") for one in list_questions()]) == ["Any homework?"]
    assert page.hours_en == "9 to 18"


def test_a_row_goes_up_and_down_with_what_was_typed(panel):
    rows = {
        f"quote-{number}-{field}": value
        for number, text in enumerate(["uno", "dos", "tres"])
        for field, value in (("text", text), ("author", text.upper()))
    }

    response = panel.post(PAGE, TEXTS | rows | {"swap": "quote-2 quote-1"})

    assert response.url == f"{PAGE}#quote"
    stored = Quote.objects.values_list("text", "author")
    assert list(stored) == [("uno", "UNO"), ("tres", "TRES"), ("dos", "DOS")]
    page = panel.get(PAGE).content.decode()
    assert re.findall(r'name="swap"\s+value="([^"]+)"', page) == [
        "quote-0 quote-1",
        "quote-1 quote-0",
        "quote-1 quote-2",
        "quote-2 quote-1",
    ]


def test_a_mistake_is_named_and_nothing_is_stored(panel):
    for sent, message in (
        ({"name": "x" * 81}, "80"),
        ({"video_url": "javascript:alert(1)"}, "Copiá la dirección"),
        ({"video_url": "http://example.com/video"}, "Copiá la dirección"),
        ({"quote-0-author": "Julia"}, "Escribí qué dijo"),
        ({"question-0-question": "¿Y?"}, "Completá la pregunta y la respuesta"),
        ({"question-0-answer": "Sí."}, "Completá la pregunta y la respuesta"),
        ({"quote-0-author": "Julia", "quote-0-text": " "}, "Escribí qué dijo"),
        (
            {"question-0-question": "¿Y?", "question-0-answer": " "},
            "Completá la pregunta y la respuesta",
        ),
        (WITH_ENGLISH | {"question-0-answer_en": " "}, "Completá la pregunta y la respuesta"),
        (WITH_ENGLISH | {"question-0-question": ""}, "Completá la pregunta y la respuesta"),
        ({"about": "a\0b"}, "nulos"),
    ):
        page = panel.post(PAGE, TEXTS | sent).content.decode()
        assert "todavía no guardamos nada" in page
        assert message in page

    assert not TeacherPage.objects.exists()


def test_an_address_without_https_gets_it(panel):
    panel.post(PAGE, TEXTS | {"video_url": "youtu.be/abc"})

    assert load_teacher_page().video_url == "https://youtu.be/abc"


def test_a_photo_is_stored_with_the_texts_and_removed_by_its_box(panel):
    panel.post(PAGE, TEXTS | {"photo": photo()})
    assert (load_teacher_page().name, load_teacher_page().has_photo) == ("Ana", True)

    panel.post(PAGE, TEXTS | {"removes_photo": "on"})
    assert (load_teacher_page().name, load_teacher_page().has_photo) == ("Ana", False)


def test_an_unusable_photo_stores_nothing_and_asks_for_another(panel):
    page = panel.post(PAGE, TEXTS | {"photo": photo(kind="GIF")}).content.decode()

    assert "Subí un archivo JPG, PNG o WebP." in page
    assert "Volvé a elegir la foto" in page
    assert not TeacherPage.objects.exists()


@pytest.mark.parametrize("address", [PAGE, START])
def test_a_photo_that_is_too_large_says_so(panel, settings, address):
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 500

    page = panel.post(address, TEXTS | ANSWERS | {"photo": photo()}).content.decode()

    assert "La foto pesa más de" in page
    assert not TeacherPage.objects.exists()


# --- The live view --------------------------------------------------------------------------


def test_the_view_shows_the_form_and_stores_nothing(panel):
    TeacherPageFactory(name="Antes")
    QuoteFactory()

    page = panel.post(
        PREVIEW, TEXTS | {"quote-0-text": "Se aprende <b>mucho</b>.", "quote-1-author": "Sin texto"}
    ).content.decode()

    assert "Tocás desde el primer día." in page
    assert "Se aprende &lt;b&gt;mucho&lt;/b&gt;." in page
    assert "Sin texto" not in page
    assert (load_teacher_page().name, Quote.objects.count()) == ("Antes", 1)


def test_only_the_panel_frames_the_view(panel):
    editor, view = panel.get(PAGE), panel.get(PREVIEW)

    assert "frame-src 'self'" in editor["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in editor["Content-Security-Policy"]
    assert editor["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'self'" in view["Content-Security-Policy"]
    assert view["X-Frame-Options"] == "SAMEORIGIN"


# --- Uploads and rights ---------------------------------------------------------------------


def test_every_address_that_takes_a_photo_may_have_uploads():
    assert PAGE == settings.UPLOAD_ADDRESSES
    assert START.startswith(PAGE)


def test_a_student_uploads_nothing(host, sign_in):
    assert sign_in(host).post(PAGE, {"photo": photo()}).status_code == 302
    assert not StoredFile.objects.exists()


# --- The first steps ------------------------------------------------------------------------


def test_seven_answers_make_the_page_the_hours_and_the_price(panel, noon):
    assert "Para empezar" in panel.get(START).content.decode()

    response = panel.post(START, ANSWERS)

    assert response["Location"] == STARTED
    page = load_teacher_page()
    assert (page.name, page.subject) == ("Ana Suárez", "Guitarra")
    assert texts_of(WeeklyHours.objects.all()) == [
        "Lunes de 09:00 a 13:00",
        "Miércoles de 09:00 a 13:00",
    ]
    price = Price.objects.get()
    assert (price.class_type, price.minutes, price.amount, price.valid_from.isoformat()) == (
        ClassType.INDIVIDUAL,
        45,
        1_500_000,
        "2026-11-16",
    )


def test_group_and_photo_are_optional_answers(panel):
    panel.post(START, ANSWERS | {"group_amount": "24.000", "group_size": "4", "photo": photo()})

    group = Price.objects.get(class_type=ClassType.GROUP)
    assert (group.minutes, group.students_up_to, group.amount) == (45, 4, 2_400_000)
    assert load_teacher_page().has_photo


@pytest.mark.parametrize(
    ("changed", "field", "said"),
    [
        ({"name": ""}, "name", ""),
        ({"days": []}, "days", ""),
        ({"days": ["7"]}, "days", ""),
        ({"end": "09:30"}, "end", "no entra ninguna clase"),
        ({"end": "08:00"}, "end", "no entra ninguna clase"),
        ({"minutes": "5"}, "minutes", ""),
        ({"group_amount": "24.000", "group_size": ""}, "group_size", "hasta cuántas personas"),
    ],
)
def test_a_wrong_answer_is_refused(changed, field, said):
    errors = FirstStepsForm(ANSWERS | changed).errors

    assert list(errors) == [field]
    assert said in errors[field][0]


def test_a_class_may_end_at_midnight(panel):
    panel.post(START, ANSWERS | {"start": "22:00", "end": "00:00"})

    assert texts_of(WeeklyHours.objects.filter(weekday=0)) == ["Lunes de 22:00 a 00:00"]


def test_beginning_twice_changes_nothing(panel):
    panel.post(START, ANSWERS)

    again = panel.post(START, ANSWERS | {"name": "Otra"})

    assert again["Location"] == PAGE
    assert load_teacher_page().name == "Ana Suárez"
    assert Price.objects.count() == 1


def test_hours_that_exist_are_not_overwritten(panel):
    set_weekly_hours({Weekday.SUNDAY: [(time(8), time(9))]})

    assert panel.post(START, ANSWERS)["Location"] == PAGE
    assert texts_of(WeeklyHours.objects.all()) == ["Domingo de 08:00 a 09:00"]


def test_the_end_shows_the_page_and_the_link_to_share(panel):
    panel.post(START, ANSWERS)

    page = panel.get(STARTED).content.decode()

    assert f'href="{settings.BASE_URL}/"' in page
    assert "https://wa.me/?text=" in page
    assert "Ana Suárez" in panel.get(PREVIEW).content.decode()
