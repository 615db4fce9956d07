"""An open class from the teacher's phone to a paid place on a student's."""

import re
import uuid
from datetime import date, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.demo.people import TEACHER
from tests.journeys.steps import sign_in, sign_in_as_newcomer
from tests.journeys.ways import on_a

pytestmark = [pytest.mark.browser, on_a("phone")]


class Answers:
    """Fills in a form and counts."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.count = 0

    def give(self, label: str, text: str) -> None:
        self.count += 1
        self.page.get_by_label(label, exact=True).fill(text)


def publish(page: Page, title: str, *, days: int = 16) -> Answers:
    page.goto("/admin/abiertas/nueva/")
    answers = Answers(page)
    answers.give("Título", title)
    answers.give("Día", f"{date.today() + timedelta(days=days)}")  # noqa: DTZ011 - the demo's own
    answers.give("Hora", "21:30")
    answers.give("Lugares", "6")
    answers.give("Mínimo para darla", "3")
    answers.give("Precio por lugar", "8000")
    page.get_by_role("button", name="Publicar").click()
    return answers


def test_six_answers_publish_a_class_that_a_student_pays(new_page):
    teacher, student = new_page(), new_page()
    title = f"Charla {uuid.uuid4().hex[:8]}"
    sign_in(teacher, TEACHER)

    answers = publish(teacher, title)
    expect(teacher.get_by_role("heading", name=title)).to_be_visible()
    assert answers.count == 6
    shared = teacher.get_by_role("link", name="Compartir por WhatsApp").get_attribute("href") or ""
    assert shared.startswith("https://wa.me/?text=")

    student.goto("/clases-abiertas")
    student.get_by_role("link", name=re.compile(title)).click()
    student.get_by_role("button", name="Reservar mi lugar").click()
    expect(student.get_by_role("button", name=re.compile("Google"))).to_be_visible()
    here = student.url
    sign_in_as_newcomer(student, f"{uuid.uuid4().hex}@example.com")
    assert "callbackUrl" in here

    student.goto("/clases-abiertas")
    student.get_by_role("link", name=re.compile(title)).click()
    student.get_by_role("button", name="Reservar mi lugar").click()
    student.get_by_role("button", name="Aprobar").click()

    expect(student.get_by_text("Tu lugar está pago")).to_be_visible(timeout=30_000)
    student.goto("/inicio/clases")
    expect(student.get_by_role("link", name=re.compile(title))).to_be_visible()
    teacher.reload()
    expect(teacher.get_by_text("1 de 6", exact=True)).to_be_visible()
    expect(teacher.get_by_role("link", name=re.compile("Pagó"))).to_be_visible()
