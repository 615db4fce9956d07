"""domain/places/joining.py: eight characters that people can read to each other."""

import re

import pytest

from bookings.domain.places.joining import generate_access_code, normalize_access_code


def test_generate_access_code_draws_what_nobody_mistakes():
    codes = {generate_access_code() for _ in range(500)}

    assert len(codes) == 500
    assert all(re.fullmatch(r"[2-9A-HJ-NP-Z]{8}", code) for code in codes)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("ABCD2345", "ABCD2345"),
        (" abcd-2345\n", "ABCD2345"),
        ("0O1IABCD", "0O1IABCD"),
        ("ABCD234", None),
        ("ABCD 2345 6", None),
        ("ÁBCD2345", None),
        ("", None),
    ],
)
def test_normalize_access_code_reads_what_people_type(typed, code):
    assert normalize_access_code(typed) == code
