"""The teacher's page, as every other page reads it."""

from bookings.models import Question, Quote, TeacherPage


def load_teacher_page() -> TeacherPage:
    """Return the page; an empty, unsaved one if the teacher has not written it."""
    return TeacherPage.objects.filter(pk=TeacherPage.SINGLETON).first() or TeacherPage()


def list_quotes() -> list[Quote]:
    return list(Quote.objects.all())


def list_questions() -> list[Question]:
    return list(Question.objects.all())
