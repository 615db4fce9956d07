"""A red button takes something away for good, a green one never."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from bookings.admin.classes.steps import CLASS_STEPS
from bookings.admin.money.payments import PaymentAdmin
from bookings.admin.people.person import PersonAdmin

ROOT = Path(settings.BASE_DIR) / "templates"
TEMPLATES = sorted(
    path for folder in ("accounts", "bookings") for path in (ROOT / folder).rglob("*.html")
)
BUTTON = re.compile(r'<(button|a)\b[^>]*?class="([^"]*\bbutton\b[^"]*)"[^>]*>(.*?)</\1>', re.DOTALL)
TEXT = re.compile(r'translate "([^"]+)"')
TAKES_AWAY = re.compile(
    r"^(Sí, )?(borrar|cancelar|dejar|quitar|devolver|desconectar)\b", re.IGNORECASE
)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_a_student_s_button_has_the_colour_of_what_it_does(template):
    wrong = []
    for tag, classes, inside in BUTTON.findall(template.read_text()):
        takes_away = any(TAKES_AWAY.match(text) for text in TEXT.findall(inside))
        is_red = "button-danger" in classes
        # A quiet one leads to the page that asks.
        if is_red is not takes_away and not (takes_away and "button-quiet" in classes):
            wrong.append(f"{tag} {classes}: {' '.join(inside.split())}")

    assert wrong == []


@pytest.mark.parametrize(
    "step", [*CLASS_STEPS, *PaymentAdmin.steps, *PersonAdmin.steps], ids=lambda step: step.name
)
def test_a_step_of_the_panel_has_the_colour_of_what_it_does(step):
    assert step.is_final is bool(TAKES_AWAY.match(step.yes))
