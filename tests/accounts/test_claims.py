"""What a provider says, reduced to what may be stored."""

import pytest

from accounts.sign_in import claims


@pytest.mark.parametrize(("value", "kept"), [("abc-1", "abc-1"), (12345, "12345")])
def test_subject_keeps_plain_words_and_numbers(value, kept):
    assert claims.subject(value) == kept


@pytest.mark.parametrize("value", ["", None, True, 1.5, [], "a\x00", "ñ", "a\nb", "x" * 192])
def test_subject_refuses_the_rest(value):
    with pytest.raises(ValueError, match="profile"):
        claims.subject(value)


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("Ana", "Ana"),
        ("  Ana \r\n\t López  ", "Ana López"),
        ("a\x00b\x1bc\x9bd", "abcd"),
        ("half \ud800 a pair", "half a pair"),
        ("José 李 👩🏽‍🏫", "José 李 👩🏽‍🏫"),
        ("<b>Ana</b>", "<b>Ana</b>"),
        ("x" * 300, "x" * 255),
        ("", ""),
        ("x" * 254 + " y", "x" * 254),
        (None, ""),
        (5, ""),
    ],
)
def test_text_keeps_one_printable_line(value, kept):
    assert claims.text(value) == kept


@pytest.mark.parametrize(
    "value",
    [
        None,
        5,
        "",
        "http://img.example/a.png",
        "//img.example/a.png",
        "https://",
        "https://[",
        "https://img.example/\n",
        "https://ímg.example/a.png",
        "data:image/png;base64,AAAA",
        "javascript:alert(1)",
        "https://img.example/" + "a" * 500,
    ],
)
def test_picture_refuses_what_is_no_short_https_address(value):
    assert claims.picture(value) == ""


def test_picture_keeps_an_https_address():
    assert claims.picture("https://img.example/a.png?s=96") == "https://img.example/a.png?s=96"


def test_verified_address_is_kept_in_lower_case():
    (address,) = claims.verified_addresses("Ana@Example.com", is_verified=True)

    assert (address.email, address.verified, address.primary) == ("ana@example.com", True, True)


@pytest.mark.parametrize(
    ("value", "is_verified"),
    [
        ("ana@example.com", False),
        ("\u212aate@example.com", True),
        ("teacher@examp\u0131e.com", True),
        ("ana", True),
        ("ana@example.com\n", True),
        ("a" * 250 + "@example.com", True),
        ("", True),
        (None, True),
    ],
)
def test_address_that_proves_nothing_is_left_out(value, is_verified):
    assert claims.verified_addresses(value, is_verified=is_verified) == []


@pytest.mark.parametrize("name", ["\u200b\u200b", "\u200d\u200d", "\u2066\u2069"])
def test_text_is_empty_when_nothing_of_it_can_be_seen(name):
    assert claims.text(name) == ""


def test_text_keeps_nothing_that_turns_other_text_around():
    assert claims.text("Ana\u202egnp") == "Anagnp"
