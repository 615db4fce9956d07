"""The teacher's page."""

from collections.abc import Mapping, Sequence

from django.db import transaction

from bookings.models import Question, Quote, TeacherPage


def load_teacher_page() -> TeacherPage:
    """Return an empty, unsaved page if there is none."""
    return TeacherPage.objects.filter(pk=TeacherPage.SINGLETON).first() or TeacherPage()


def lock_teacher_page() -> TeacherPage:
    """Create the page if there is none."""
    return TeacherPage.objects.select_for_update().get_or_create(pk=TeacherPage.SINGLETON)[0]


def list_quotes() -> list[Quote]:
    return list(Quote.objects.all())


def list_questions() -> list[Question]:
    return list(Question.objects.all())


@transaction.atomic
def write_teacher_page(
    *, texts: Mapping[str, str], quotes: Sequence[Quote], questions: Sequence[Question]
) -> None:
    """Replace the given texts, all quotes and all questions."""
    TeacherPage.objects.update_or_create(pk=TeacherPage.SINGLETON, defaults=texts)
    for position, quote in enumerate(quotes):
        quote.position = position
    for position, question in enumerate(questions):
        question.position = position
    Quote.objects.all().delete()
    Quote.objects.bulk_create(quotes)
    Question.objects.all().delete()
    Question.objects.bulk_create(questions)
