"""config/api/bodies.py: JSON under any name, and no error that is not the client's."""

import pytest
from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from config.api.bodies import AnyTypeJSONParser


def parse(body, content_type="application/json"):
    request = Request(APIRequestFactory().generic("POST", "/", body, content_type="text/plain"))
    return AnyTypeJSONParser().parse(request, content_type, {"request": request})


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"'a'",
        b"[1,]",
        b"[1",
        b"a=1",
        b"NaN",
        b"-Infinity",
        b"9" * 5000,
        b'"\x00"',
        b'"\xff"',
        b"\xef\xbb\xbf1",
        "1".encode("utf-16"),
        b"[" * 60_000,
    ],
    ids=lambda body: repr(body)[:30],
)
def test_parser_refuses_what_is_no_json(body):
    with pytest.raises(ParseError) as caught:
        parse(body)

    assert body.decode("latin-1").strip() not in str(caught.value) or not body.strip()


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "",
        "application/json",
        'application/json;charset="UTF8"',
        "application/json; charset=us-ascii",
        "text/plain",
        "anything/else; a=b",
        ";",
    ],
)
def test_parser_takes_any_content_type(content_type):
    assert parse(b"1", content_type) == 1


@pytest.mark.parametrize(
    "content_type",
    [
        "application/x-www-form-urlencoded",
        "APPLICATION/X-WWW-FORM-URLENCODED",
        "multipart/form-data; boundary=x",
        "application/xml",
        "application/json; charset=utf-16",
        "text/plain; a=b; CHARSET=utf-7",
    ],
)
def test_parser_refuses_forms_and_other_charsets(content_type):
    with pytest.raises(UnsupportedMediaType):
        parse(b"1", content_type)
