"""The strict content policy holds only while no template asks for more."""

import re
from pathlib import Path

from django.conf import settings

ROOT = Path(settings.BASE_DIR) / "templates"
# Mail programs know no content policy, and load no style sheet.
TEMPLATES = sorted(set(ROOT.rglob("*.html")) - set((ROOT / "notices").rglob("*.html")))
INLINE = re.compile(r"<style|\sstyle=|\son[a-z]+=|javascript:|<script(?![^>]*\ssrc=)", re.I)
FOREIGN = re.compile(r"<(?:link|script|img|iframe)[^>]*(?:href|src)=\"(?:https?:)?//", re.I)


def test_templates_bring_nothing_inline_or_foreign():
    found = [
        (path.name, text)
        for path in TEMPLATES
        for pattern in (INLINE, FOREIGN)
        for text in pattern.findall(path.read_text())
    ]

    assert found == []
