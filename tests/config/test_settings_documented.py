"""docs/configuration.md and .env.example have each setting that config/env reads, and no other."""

import re

import pytest

from config.env.values import Values
from tests.config.environments import production
from tests.processes import ROOT

CONFIGURATION = (ROOT / "docs" / "configuration.md").read_text()
EXAMPLE = (ROOT / ".env.example").read_text()


@pytest.fixture
def settings_read(monkeypatch) -> set[str]:
    """The names that the service reads from its environment."""
    asked = set()
    text = Values.text

    def note(self: Values, name: str, default: str = "") -> str:
        asked.add(name)
        return text(self, name, default)

    monkeypatch.setattr(Values, "text", note)
    production()
    return asked


def test_page_explains_each_setting(settings_read):
    rows = re.findall(r"^\| (`[^|]*) \|", CONFIGURATION, re.MULTILINE)
    explained = {name for row in rows for name in re.findall(r"`([A-Z_]+)`", row)}

    # ENV_FILE names the file, so it is read before the others.
    assert explained == settings_read | {"ENV_FILE"}


def test_example_has_each_setting(settings_read):
    assert set(re.findall(r"^#?([A-Z_]+)=", EXAMPLE, re.MULTILINE)) == settings_read
