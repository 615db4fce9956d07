"""The teacher's page, as other pages read it."""

import pytest
from django.db import IntegrityError
from django.template import engines
from django.test import RequestFactory

from bookings.domain.desk.own_page import load_teacher_page
from bookings.models import TeacherPage
from tests.factories import TeacherPageFactory

pytestmark = pytest.mark.django_db


def render(text):
    return engines["django"].from_string(text).render({}, RequestFactory().get("/"))


def test_an_unwritten_page_is_empty_and_unsaved():
    page = load_teacher_page()

    assert (page.name, page.has_photo, page.photo_url(96)) == ("", False, "")
    assert page.level_lines == page.credential_lines == []
    assert not TeacherPage.objects.exists()


def test_lists_are_one_a_line_without_empty_lines():
    page = TeacherPageFactory(levels=" Inicial\r\n\r\n Avanzado ")

    assert load_teacher_page() == page
    assert page.level_lines == ["Inicial", "Avanzado"]


def test_there_is_one_page():
    with pytest.raises(IntegrityError):
        TeacherPageFactory(pk=2)


def test_templates_know_the_teacher_and_ask_once(django_assert_num_queries):
    TeacherPageFactory()

    with django_assert_num_queries(0):
        render("{{ site_name }}")
    with django_assert_num_queries(1):
        text = render("{% if teacher.name %}{{ teacher.name }}, {{ teacher.subject }}{% endif %}")
    assert text == "Ana Suárez, Guitarra"
