"""The teacher's page: what other pages read, and how she changes it."""

from collections.abc import Mapping, Sequence

from django.db import transaction

from bookings.models import Question, Quote, TeacherPage


def load_teacher_page() -> TeacherPage:
    """Return the page; an empty, unsaved one if the teacher has not written it."""
    return TeacherPage.objects.filter(pk=TeacherPage.SINGLETON).first() or TeacherPage()


def list_quotes() -> list[Quote]:
    return list(Quote.objects.all())


def list_questions() -> list[Question]:
    return list(Question.objects.all())


@transaction.atomic
def write_teacher_page(
    *, texts: Mapping[str, str], quotes: Sequence[Quote], questions: Sequence[Question]
) -> None:
    """Replace the given texts by field, all quotes and all questions. The photo stays.

    quotes, questions: unsaved, in their order.
    """
    TeacherPage.objects.update_or_create(pk=TeacherPage.SINGLETON, defaults=texts)
    for position, quote in enumerate(quotes):
        quote.position = position
    for position, question in enumerate(questions):
        question.position = position
    Quote.objects.all().delete()
    Quote.objects.bulk_create(quotes)
    Question.objects.all().delete()
    Question.objects.bulk_create(questions)
