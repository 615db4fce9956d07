"""Phone numbers in the spellings of Argentina."""

import pytest
from django.core.exceptions import ValidationError

from accounts.phones import check_phone, whatsapp_url

MOBILE = "+54 9 341 555-0199"
MAYBE_LANDLINE = "+54 341 555-0199"


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("0341 15 555-0199", MOBILE),
        ("(0341) 155550199", MOBILE),
        ("341 15 5550199", MOBILE),
        ("+54 (0341) 15 555 0199", MOBILE),
        ("+54 9 341 555 0199", MOBILE),
        ("0054 9 341 555-0199", MOBILE),
        ("5493415550199", MOBILE),
        ("9 341 555 0199", MOBILE),
        ("+54 9 341 15 555 0199", MOBILE),
        ("549341155550199", MOBILE),
        ("tel: 0341 15 555-0199", MOBILE),
        ("011 15 5555-0199", "+54 9 11 5555-0199"),
        ("2302 15 412345", "+54 9 2302 41-2345"),
        ("341 555 0199", MAYBE_LANDLINE),
        ("+54 341 555 0199", MAYBE_LANDLINE),
        ("0341 555-0199 int. 3", MAYBE_LANDLINE),
        ("+598 99 123 456", "+598 99 123 456"),
        ("", ""),
        ("  ", ""),
    ],
)
def test_a_phone_gets_its_international_spelling(text, spelling):
    assert check_phone(text) == spelling


@pytest.mark.parametrize(
    "text",
    [
        "15 5555 0199",
        "4555-0199",
        "341 555",
        "no tengo",
        "1" * 30,
        "<img src=x onerror=y>",
        "+999 123",
        "\x00",
    ],
)
def test_what_nobody_can_call_is_refused(text):
    with pytest.raises(ValidationError) as refusal:
        check_phone(text)

    assert "código de área" in refusal.value.message
    assert whatsapp_url(text) == ""


@pytest.mark.parametrize("text", ["0341 15 555-0199", "341 555 0199", "+54 341 5550199", MOBILE])
def test_whatsapp_needs_the_mark_of_mobiles(text):
    assert whatsapp_url(text) == "https://wa.me/5493415550199"


@pytest.mark.parametrize(
    ("text", "digits"),
    [("+598 99 123 456", "59899123456"), ("0800 222 1234", "548002221234")],
)
def test_whatsapp_takes_other_numbers_as_they_are(text, digits):
    assert whatsapp_url(text) == f"https://wa.me/{digits}"


def test_the_words_of_a_chat_travel_in_its_address():
    assert whatsapp_url(MOBILE, "¡Hola! ¿Venís a las 15:00?") == (
        "https://wa.me/5493415550199?text=%C2%A1Hola%21%20%C2%BFVen%C3%ADs%20a%20las%2015%3A00%3F"
    )
