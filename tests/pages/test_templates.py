"""What every template keeps to: no inline code, and the colour of what a button does."""

import re
from pathlib import Path

from django.conf import settings

from bookings.panel.classes.class_steps import CLASS_STEPS
from bookings.panel.money.payments import PaymentAdmin
from bookings.panel.people.students import PersonAdmin

ROOT = Path(settings.BASE_DIR) / "templates"
TEMPLATES = sorted(
    path for folder in ("accounts", "bookings") for path in (ROOT / folder).rglob("*.html")
)
BUTTON = re.compile(r'<(button|a)\b[^>]*?class="([^"]*\bbutton\b[^"]*)"[^>]*>(.*?)</\1>', re.DOTALL)
TEXT = re.compile(r'translate "([^"]+)"')
TAKES_AWAY = re.compile(
    r"^(Sí, )?(borrar|cancelar|dejar|quitar|devolver|desconectar)\b", re.IGNORECASE
)


def test_students_buttons_have_the_colour_of_what_they_do():
    wrong = []
    for template in TEMPLATES:
        for tag, classes, inside in BUTTON.findall(template.read_text()):
            takes_away = any(TAKES_AWAY.match(text) for text in TEXT.findall(inside))
            is_red = "button-danger" in classes
            # A quiet one leads to the page that asks.
            if is_red is not takes_away and not (takes_away and "button-quiet" in classes):
                wrong.append(f"{template.name}: {tag} {classes}: {' '.join(inside.split())}")

    assert wrong == []


def test_the_panels_steps_have_the_colour_of_what_they_do():
    steps = [*CLASS_STEPS, *PaymentAdmin.steps, *PersonAdmin.steps]

    takes_away = {step.name for step in steps if TAKES_AWAY.match(str(step.yes))}

    assert {step.name for step in steps if step.is_final} == takes_away


# Mail programs know no content policy, and load no style sheet.
ALL_TEMPLATES = sorted(set(ROOT.rglob("*.html")) - set((ROOT / "notices").rglob("*.html")))
INLINE = re.compile(r"<style|\sstyle=|\son[a-z]+=|javascript:|<script(?![^>]*\ssrc=)", re.I)
FOREIGN = re.compile(r"<(?:link|script|img|iframe)[^>]*(?:href|src)=\"(?:https?:)?//", re.I)


def test_templates_bring_nothing_inline_or_foreign():
    found = [
        (path.name, text)
        for path in ALL_TEMPLATES
        for pattern in (INLINE, FOREIGN)
        for text in pattern.findall(path.read_text())
    ]

    assert found == []
