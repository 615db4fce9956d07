"""Thirty spellings of phone numbers, each with its E.164 number and its WhatsApp chat."""

import pytest
from django.core.exceptions import ValidationError

from accounts.phones import check_phone, normalize_phone, whatsapp_url

ROSARIO, BUENOS_AIRES = "+5493415550199", "+5491155550199"
VILLA_MARIA, REALICO = "+5493534123456", "+5492331412345"
SPELLINGS = {
    # An area code of three digits.
    "341 555 0199": ROSARIO,
    "3415550199": ROSARIO,
    "0341 555-0199": ROSARIO,
    "(0341) 555-0199": ROSARIO,
    "(341) 5550199": ROSARIO,
    "0341 15 555-0199": ROSARIO,
    "0341-15-5550199": ROSARIO,
    "(0341) 15.555.0199": ROSARIO,
    "341 15 5550199": ROSARIO,
    "9 341 555 0199": ROSARIO,
    "+54 341 555 0199": ROSARIO,
    "+54 9 341 555-0199": ROSARIO,
    "+54 (0341) 15 555-0199": ROSARIO,
    "+54.9.341.555.0199": ROSARIO,
    "+5493415550199": ROSARIO,
    "5493415550199": ROSARIO,
    "54 341 555 0199": ROSARIO,
    "0054 9 341 5550199": ROSARIO,
    "+54 9 341 15 555 0199": ROSARIO,
    "  341\u00a0555\u00a00199  ": ROSARIO,
    # Of two.
    "11 5555 0199": BUENOS_AIRES,
    "011 15-5555-0199": BUENOS_AIRES,
    "(011) 5555.0199": BUENOS_AIRES,
    "+54 9 11 5555-0199": BUENOS_AIRES,
    # Of four.
    "0353 15 4123456": VILLA_MARIA,
    "353 412-3456": VILLA_MARIA,
    "02331 15 412345": REALICO,
    "+54 9 2331 41-2345": REALICO,
    # Foreign.
    "+598 99 123 456": "+59899123456",
    "00 598 99 123 456": "+59899123456",
    "+55 11 91234-5678": "+5511912345678",
    "+1 (212) 555-0123": "+12125550123",
}


@pytest.mark.parametrize(("text", "number"), SPELLINGS.items())
def test_each_spelling_is_one_number_and_one_chat(text, number):
    stored = check_phone(text)

    assert normalize_phone(text) == normalize_phone(stored) == number
    assert whatsapp_url(text) == whatsapp_url(stored) == f"https://wa.me/{number[1:]}"


def test_there_are_thirty_of_them():
    assert len(SPELLINGS) >= 30


@pytest.mark.parametrize("text", ["15 555 0199", "555-0199", "+54", "+5493415550199999"])
def test_what_is_no_number_has_neither(text):
    with pytest.raises(ValidationError):
        check_phone(text)
    assert (normalize_phone(text), whatsapp_url(text)) == ("", "")
