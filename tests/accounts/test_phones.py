"""Phone numbers in the spellings of Argentina: their number, their chat, and how they are shown."""

import pytest
from django.core.exceptions import ValidationError

from accounts.phones import check_phone, normalize_phone, whatsapp_url

MOBILE = "+54 9 341 555-0199"
MAYBE_LANDLINE = "+54 341 555-0199"


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("0341 15 555-0199", MOBILE),
        ("tel: 0341 15 555-0199", MOBILE),
        ("011 15 5555-0199", "+54 9 11 5555-0199"),
        ("2302 15 412345", "+54 9 2302 41-2345"),
        ("+54 341 555 0199", MAYBE_LANDLINE),
        ("0341 555-0199 int. 3", MAYBE_LANDLINE),
        ("", ""),
    ],
)
def test_a_phone_gets_its_international_spelling(text, spelling):
    assert check_phone(text) == spelling


@pytest.mark.parametrize(
    "text",
    [
        "15 5555 0199",
        "no tengo",
        "1" * 30,
        "\x00",
        "+54",
        "+5493415550199999",
    ],
)
def test_what_nobody_can_call_is_refused(text):
    with pytest.raises(ValidationError) as refusal:
        check_phone(text)

    assert "código de área" in refusal.value.message
    assert (normalize_phone(text), whatsapp_url(text)) == ("", "")


def test_the_words_of_a_chat_travel_in_its_address():
    assert whatsapp_url(MOBILE, "¡Hola! ¿Venís a las 15:00?") == (
        "https://wa.me/5493415550199?text=%C2%A1Hola%21%20%C2%BFVen%C3%ADs%20a%20las%2015%3A00%3F"
    )


ROSARIO, BUENOS_AIRES = "+5493415550199", "+5491155550199"
VILLA_MARIA, REALICO = "+5493534123456", "+5492331412345"
SPELLINGS = {
    # An area code of three digits.
    "341 555 0199": ROSARIO,
    "(0341) 555-0199": ROSARIO,
    "0341 15 555-0199": ROSARIO,
    "9 341 555 0199": ROSARIO,
    "+54 341 555 0199": ROSARIO,
    "+54 (0341) 15 555-0199": ROSARIO,
    "5493415550199": ROSARIO,
    "0054 9 341 5550199": ROSARIO,
    "+54 9 341 15 555 0199": ROSARIO,
    "  341\u00a0555\u00a00199  ": ROSARIO,
    # Of two.
    "011 15-5555-0199": BUENOS_AIRES,
    "+54 9 11 5555-0199": BUENOS_AIRES,
    # Of four.
    "0353 15 4123456": VILLA_MARIA,
    "+54 9 2331 41-2345": REALICO,
    # Foreign.
    "+598 99 123 456": "+59899123456",
    "00 598 99 123 456": "+59899123456",
    "+1 (212) 555-0123": "+12125550123",
}


@pytest.mark.parametrize(("text", "number"), SPELLINGS.items())
def test_each_spelling_is_one_number_and_one_chat(text, number):
    stored = check_phone(text)

    assert normalize_phone(text) == normalize_phone(stored) == number
    assert whatsapp_url(text) == whatsapp_url(stored) == f"https://wa.me/{number[1:]}"
