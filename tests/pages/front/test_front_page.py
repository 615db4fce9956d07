"""``/``: the teacher's page, whole, in part and empty."""

import pytest

from bookings.models import BookingRules, Price, RefundCase, TeacherPage
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


def test_a_group_says_what_all_pay_and_what_each_pays(front):
    text = front()

    assert '<strong class="price">$ 24.000</strong> en total' in text
    assert "de 2 a 3 personas" in text
    assert "$ 8.000 por persona si son 3" in text
    assert "de 4 a 5 personas" in text
    assert "$ 7.200 por persona si son 5" in text


def test_a_price_for_one_is_none_of_a_group_which_begins_with_two(front):
    Price.objects.create(
        class_type="grupal", minutes=60, students_up_to=1, amount=100, valid_from="2026-01-01"
    )

    assert "$ 1<" not in front()


def test_the_strip_says_what_the_policy_decides(front, monkeypatch):
    BookingRules(change_cutoff_minutes=2_880).save()
    assert "Cambiás el horario hasta 48 horas antes" in front()
    assert "Si cancelás hasta 48 horas antes, te devolvemos todo" in front()

    monkeypatch.setattr(RefundCase.STUDENT_CANCELS, "percent", 50)
    assert "Si cancelás hasta 48 horas antes, te devolvemos el 50 %" in front()
    assert "Si cancela la profe, te devolvemos todo" in front()


@pytest.mark.usefixtures("kept_seller")
def test_a_stranger_costs_six_queries(client, django_assert_num_queries):
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
