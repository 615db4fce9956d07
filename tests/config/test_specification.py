"""Each comment that refers to the specification names a section of docs/specification.md.

A reference is a heading. After commas follow headings inside it, numbers of its list or words that
it contains; semicolons separate references: ``Authentication, 1 and 2; Errors, class update step``.
"""

import re
from dataclasses import dataclass

import pytest

from tests.processes import ROOT

PACKAGES = ("accounts", "bookings", "calendar_sync", "config", "tests")
REFERENCE = re.compile(r"Spec:\s([^.\n]+)")
HEADING = re.compile(r"^(#{2,3}) (.+)$", re.MULTILINE)
NUMBERS = re.compile(r"(?:checks )?\d+(?:(?: and | to )\d+)*")


@dataclass(frozen=True)
class Section:
    level: int
    title: str
    text: str


def read_sections(text: str) -> list[Section]:
    """Return each section with the text of the sections inside it."""
    found = list(HEADING.finditer(text))
    sections = []
    for position, heading in enumerate(found):
        level = len(heading[1])
        ends = (later.start() for later in found[position + 1 :] if len(later[1]) <= level)
        sections.append(Section(level, heading[2], text[heading.end() : next(ends, len(text))]))
    return sections


CONTRACT, _, _ = (
    (ROOT / "docs" / "specification.md").read_text().partition("\n## Decisions and deviations")
)
SECTIONS = {section.title: section for section in read_sections(CONTRACT)}


def is_in(part: str, text: str) -> bool:
    if NUMBERS.fullmatch(part):
        return all(f"\n{number}. " in text for number in re.findall(r"\d+", part))
    return part.lower() in re.sub(r"\s+", " ", text).lower()


def names_a_section(reference: str) -> bool:
    title, *parts = reference.split(", ")
    if title not in SECTIONS:
        return False
    text = SECTIONS[title].text
    for part in parts:
        inside = {section.title: section.text for section in read_sections(text)}
        if part in inside:
            text = inside[part]
        elif not is_in(part, text):
            return False
    return True


def list_references() -> list[tuple[str, str]]:
    return [
        (str(file.relative_to(ROOT)), reference)
        for package in PACKAGES
        for file in sorted((ROOT / package).rglob("*.py"))
        for comment in REFERENCE.findall(file.read_text())
        for reference in re.split("; ", comment.removesuffix('"""'))
    ]


def test_every_reference_names_a_section():
    references = list_references()

    assert len(references) > 50
    assert [found for found in references if not names_a_section(found[1])] == []


@pytest.mark.parametrize(
    "reference",
    [
        "Payments",
        "Endpoints, POST /api/refund",
        "Endpoints, POST /api/access-code, checks 1 to 9",
        "Authentication, 12",
        "Limits, wrong codes",
    ],
)
def test_reference_to_nothing_is_found(reference):
    assert not names_a_section(reference)
