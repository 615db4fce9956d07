"""config/api/json_body.py: JSON at its word, and nothing that JSON leaves open."""

import json
from io import BytesIO

import pytest
from rest_framework.exceptions import ParseError, UnsupportedMediaType

from config.api.json_body import MAX_DEPTH, BodyTooLargeError, StrictJSONParser, decode

LIMIT = 65_536


def nested(depth):
    return b"[" * depth + b"]" * depth


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b"null", None),
        (b"true", True),
        (b" 1 ", 1),
        (b"-0.0", -0.0),
        (b"1e3", 1000.0),
        (b'"ABCD2345"', "ABCD2345"),
        ('"ñandú 👩"'.encode(), "ñandú 👩"),
        (rb'"\ud83d\udc69"', "👩"),
        (b"[]", []),
        (b'{"a":{"b":[1,"x",null]}}', {"a": {"b": [1, "x", None]}}),
        (b'{"":1}', {"": 1}),
        (b'{"a":1,"A":2}', {"a": 1, "A": 2}),
        (b'"[[[[[[[[[[[[[[[[[[[[[[[[[[[[["', "[" * 29),
        (b'"\\"[[[[[[[[[[[[[[[[[[[[[[[[["', '"' + "[" * 25),
        (b"9" * 400, int("9" * 400)),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_decode_takes_json(body, value):
    assert decode(body) == value


def test_decode_takes_the_documented_depth():
    assert json.dumps(decode(nested(MAX_DEPTH))).encode() == nested(MAX_DEPTH)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"nul",
        b"'a'",
        b"{a:1}",
        b"[1,]",
        b"[1",
        b"1 2",
        b"{}}",
        b"a=1",
        b"// x\n1",
        b"NaN",
        b"[Infinity]",
        b"-Infinity",
        b"1e400",
        b"-1e400",
        b"9" * 401,
        b'{"a":1,"a":1}',
        b'{"a":{"b":1,"b":2}}',
        rb'{"a":1,"\u0061":2}',
        rb'"\u0000"',
        rb'{"\u0000":1}',
        rb'[{"a":["\u0000"]}]',
        rb'"\ud800"',
        rb'"\udc00\ud800"',
        rb'{"\ud800":1}',
        b'"\x00"',
        b'"\n"',
        b'"\xff"',
        b'"\xed\xa0\x80"',
        b"\xef\xbb\xbf1",
        "1".encode("utf-16"),
        nested(MAX_DEPTH + 1),
        b'{"a":' * 21 + b"1" + b"}" * 21,
        b"[" * 60_000,
        b'["' + rb"\"" * 100 + b'",' + b"[" * 30,
    ],
    ids=lambda body: repr(body)[:30],
)
def test_decode_refuses(body):
    with pytest.raises(ParseError) as caught:
        decode(body)

    assert body.decode("latin-1").strip() not in str(caught.value) or not body.strip()


def parse(body, content_type="application/json"):
    return StrictJSONParser().parse(BytesIO(body), content_type, {})


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "",
        "application/json",
        "application/json; charset=utf-8",
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
        "application/json; charset=latin-1",
        "text/plain; a=b; CHARSET=utf-7",
        "text/plain; charset*=utf-8''x",
    ],
)
def test_parser_refuses_forms_and_other_charsets(content_type):
    with pytest.raises(UnsupportedMediaType):
        parse(b"1", content_type)


def test_parser_takes_what_fits():
    assert parse(b'"' + b"x" * (LIMIT - 2) + b'"') == "x" * (LIMIT - 2)


def test_parser_reads_no_more_than_it_may():
    stream = BytesIO(b" " * 10_000_000)

    with pytest.raises(BodyTooLargeError):
        StrictJSONParser().parse(stream, "application/json", {})

    assert stream.tell() == LIMIT + 1


def test_parser_follows_the_setting(settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 3

    assert parse(b"[1]") == [1]
    with pytest.raises(BodyTooLargeError):
        parse(b"[12]")
