"""The strict content policy holds only while no template asks for more."""

import re
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR) / "templates"
# Mail programs know no content policy, and load no style sheet.
TEMPLATES = sorted(set(ROOT.rglob("*.html")) - set((ROOT / "notices").rglob("*.html")))
INLINE = re.compile(r"<style|\sstyle=|\son[a-z]+=|javascript:|<script(?![^>]*\ssrc=)", re.I)
FOREIGN = re.compile(r"<(?:link|script|img|iframe)[^>]*(?:href|src)=\"(?:https?:)?//", re.I)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_a_template_brings_nothing_inline_or_foreign(template):
    text = template.read_text()

    assert (INLINE.findall(text), FOREIGN.findall(text)) == ([], [])
