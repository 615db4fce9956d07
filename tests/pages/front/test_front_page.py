"""``/``: the teacher's page, and what search engines and messengers are told."""

import re
from io import BytesIO

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.urls import reverse
from PIL import Image

from bookings.models import BookingRules, TeacherPage
from bookings.pages.front.public_files import PUBLIC_PAGES
from tests.factories import QuestionFactory, QuoteFactory, TeacherPageFactory

pytestmark = pytest.mark.usefixtures("agenda")


def text_of(response) -> str:
    return " ".join(response.content.decode().split())


@pytest.fixture
def front(client):
    """Open the front page."""
    return lambda: text_of(client.get("/"))


def test_everything_she_wrote_is_there(front):
    teacher = TeacherPageFactory()
    quote, question = QuoteFactory(), QuestionFactory()

    text = front()

    assert f"<title> {teacher.name}: {teacher.subject} por videollamada" in text
    for words in (
        teacher.tagline,
        teacher.about,
        *teacher.credential_lines,
        *teacher.level_lines,
        teacher.class_description,
        teacher.video_url,
        quote.text,
        quote.author,
        question.question,
        question.answer,
    ):
        assert words in text


@pytest.mark.parametrize("name", ["", "Ana Suárez"])
def test_nothing_stands_for_what_she_left_out(front, name):
    TeacherPage.objects.create(name=name)

    text = front()

    for heading in ("Sobre mí", "Lo que cuentan", "Preguntas frecuentes", "Cómo es una clase"):
        assert heading not in text
    assert "Ver los horarios libres" in text
    assert "Cómo funciona" in text


def test_an_english_page_has_her_english_words_and_no_spanish_ones(client):
    teacher = TeacherPageFactory(subject_en="English", about_en="I teach since 2014.")
    client.cookies["language"] = "en"

    text = text_of(client.get("/"))

    assert f"<title> {teacher.name}: English by video call" in text
    assert "I teach since 2014." in text
    assert not [own for own in (teacher.subject, teacher.tagline, teacher.about) if own in text]


def test_an_english_page_has_the_questions_that_she_wrote_in_english(client):
    QuestionFactory(question="¿Hay tarea?", question_en="Any homework?", answer_en="A little.")
    QuestionFactory(question="¿Y exámenes?")
    client.cookies["language"] = "en"

    text = text_of(client.get("/"))

    assert "<summary>Any homework?</summary>" in text
    assert "A little." in text
    assert not [own for own in ("¿Hay tarea?", "¿Y exámenes?") if own in text]


def test_a_group_says_what_all_pay_and_what_each_pays(front):
    text = front()

    assert '<strong class="price">$ 24.000</strong> en total' in text
    assert "de 2 a 3 personas" in text
    assert "$ 8.000 por persona si son 3" in text
    assert "de 4 a 5 personas" in text
    assert "$ 7.200 por persona si son 5" in text


def test_the_strip_says_what_the_policy_decides(front):
    BookingRules(change_cutoff_minutes=2_880).save()

    text = front()

    assert "Cambiás el horario hasta 48 horas antes" in text
    assert "Si cancelás hasta 48 horas antes, te devolvemos todo" in text
    assert "Si cancela tu profe, te devolvemos todo" in text


@pytest.mark.usefixtures("kept_seller")
def test_the_first_visitor_costs_six_queries(client, django_assert_num_queries):
    TeacherPageFactory()

    # Page, prices, rules, quotes, questions, open classes.
    with django_assert_num_queries(6):
        client.get("/")


def test_her_words_are_text_and_no_markup(front):
    TeacherPageFactory(
        name="</script><b>Ana</b>", about="<img src=x>", tagline="a & b </script><script>"
    )
    QuoteFactory(text="<b>bien</b>")

    text = front()

    assert "<b>" not in text
    assert "<img src=x>" not in text
    assert text.count("</script>") == 2  # the structured data, and the script of the offline page


# --- Search engines and messengers ----------------------------------------------------------------


CANONICAL = re.compile(r'<link rel="canonical" href="([^"]+)">')
PICTURE = re.compile(r'<meta property="og:image"\s+content="([^"]+)">')


def jpeg(side: int, color: str = "#804020") -> bytes:
    written = BytesIO()
    Image.new("RGB", (side, side), color).save(written, "JPEG")
    return written.getvalue()


@pytest.fixture
def photo() -> TeacherPage:
    """A page with a photo, as it is stored."""
    name = default_storage.save("3f9c27d1-640", ContentFile(jpeg(640)))
    return TeacherPage.objects.create(name="Ana Suárez", photo=name)


def test_the_sitemap_names_every_page_for_everybody_and_nothing_else(client, settings):
    answer = client.get("/sitemap.xml")

    places = re.findall("<loc>(.*?)</loc>", answer.content.decode())
    assert places == [f"{settings.BASE_URL}{reverse(name)}" for name in PUBLIC_PAGES]
    for place in places:
        html = client.get(place.removeprefix(settings.BASE_URL)).content.decode()
        assert CANONICAL.findall(html) == [place]
        assert 'name="robots"' not in html


def test_robots_txt_names_the_sitemap(client, settings):
    answer = client.get("/robots.txt")

    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert f"Sitemap: {settings.BASE_URL}/sitemap.xml" in answer.content.decode()


def test_a_query_does_not_make_another_page(client, settings):
    html = client.get("/?error=AccessDenied").content.decode()

    assert CANONICAL.findall(html) == [f"{settings.BASE_URL}/"]


def test_messengers_show_her_photo(client, photo, settings):
    address = PICTURE.search(client.get("/").content.decode())[1]

    answer = client.get(address.removeprefix(settings.BASE_URL))

    picture = Image.open(BytesIO(answer.content))
    assert (picture.format, picture.size) == ("JPEG", (1200, 630))
    red, green, blue = picture.getpixel((900, 300))
    assert abs(red - 0x80) + abs(green - 0x40) + abs(blue - 0x20) < 12
    assert answer["Cache-Control"].startswith("public")
    assert "Cookie" not in answer.get("Vary", "")


def test_an_earlier_photo_is_shown_no_more(client, photo):
    assert client.get("/foto/compartir/0000.jpg").status_code == 404


def test_without_a_photo_messengers_show_the_usual_picture(client, settings):
    address = PICTURE.search(client.get("/").content.decode())[1]

    assert address == f"{settings.BASE_URL}/static/img/preview.png"
