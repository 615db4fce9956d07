"""docs/configuration.md and .env.example have each setting that config/env reads, and no other."""

import re
from collections.abc import Iterator, Mapping

import pytest

from config.env.environment import parse_env
from tests.config.environments import PRODUCTION
from tests.processes import ROOT

CONFIGURATION = (ROOT / "docs" / "configuration.md").read_text()
EXAMPLE = (ROOT / ".env.example").read_text()


class Recorder(Mapping[str, str]):
    """The variables of a production, which notes every name that is asked for."""

    def __init__(self) -> None:
        self.asked: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.asked.add(name)
        return PRODUCTION[name]

    def __iter__(self) -> Iterator[str]:
        return iter(PRODUCTION)

    def __len__(self) -> int:
        return len(PRODUCTION)


@pytest.fixture
def settings_read() -> set[str]:
    """The names that the service reads from its environment."""
    recorder = Recorder()
    parse_env(recorder)
    return {name for name in recorder.asked if not name.endswith("_FILE")}


def test_page_explains_each_setting(settings_read):
    rows = re.findall(r"^\| (`[^|]*) \|", CONFIGURATION, re.MULTILINE)
    explained = {name for row in rows for name in re.findall(r"`([A-Z_]+)`", row)}

    # ENV_FILE names the file, so it is read before the others.
    assert explained == settings_read | {"ENV_FILE"}


def test_example_has_each_setting(settings_read):
    assert set(re.findall(r"^#?([A-Z_]+)=", EXAMPLE, re.MULTILINE)) == settings_read
