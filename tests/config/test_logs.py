"""config/monitoring/logs.py: how a line of the log reads, and what it hides."""

import json
import logging
import time
from io import StringIO

import pytest
from django.test import Client

from config.lib.background_jobs import tagged
from config.monitoring.logs import MASK, JSONFormatter, MaskingFormatter, PlainFormatter, mask

CODE = "7K2M9QXA"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (
            f"Internal Server Error: /inicio/unirse/{CODE}",
            "Internal Server Error: /inicio/unirse/***",
        ),
        (f"GET /inicio/unirse/{CODE}?x=1 HTTP/1.1", "GET /inicio/unirse/*** HTTP/1.1"),
        (
            "GET /admin/transferencias/avisada/WyJh:1w2:x_-Y/ HTTP/1.1",
            "GET /admin/transferencias/avisada/*** HTTP/1.1",
        ),
        (f"<WSGIRequest: GET '/inicio/unirse/{CODE}'>", "<WSGIRequest: GET '/inicio/unirse/***'>"),
        (f"/inicio?next=/inicio/unirse/{CODE}&x=1", "/inicio?next=/inicio/unirse/***&x=1"),
        (
            f"/inicio?callbackUrl=%2Finicio%2Funirse%2F{CODE}",
            "/inicio?callbackUrl=%2Finicio%2Funirse%2F***",
        ),
        (
            f"/inicio?callbackUrl=%2Finicio%3Fnext%3D%252finicio%252funirse%252f{CODE}",
            "/inicio?callbackUrl=%2Finicio%3Fnext%3D%252finicio%252funirse%252f***",
        ),
        (
            "/api/auth/callback/google?state=x-1&code=4%2F0Ab&scope=email",
            "/api/auth/callback/google?state=***&code=***&scope=email",
        ),
        ("/api/auth/callback/github?code=4/0Ab#x", "/api/auth/callback/github?code=***#x"),
    ],
)
def test_mask_hides_what_lets_people_in(text, masked):
    assert mask(text) == masked


@pytest.mark.parametrize(
    "secret",
    [
        CODE,
        "ana.lopez+clases@mail.example.com.ar",
        "ana%40example.com",
        "ya29.a0AfH6SMBx-x_y",
        "1//0gLnT4qZ_abcdefghijkl",
        "APP_USR-1234567890-112011-abcdef-4321",
        "gho_16C7e42F292c6912E7710c838347Ae178B4a",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.s1gn-at_ure",
        "gAAAAABk0123456789abcdefghij==",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa+/w==",
    ],
)
@pytest.mark.parametrize(
    "text", ["{}", "answered {}.", "<{}>", '{{"x": "{}"}}', "/a?x={}&y=1", "x {}, y"]
)
def test_mask_knows_a_secret_by_its_looks(text, secret):
    assert mask(text.format(secret)) == text.format(MASK)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Authorization: Bearer abc.def", "Authorization: Bearer ***"),
        ("sent Bearer abc to", "sent Bearer *** to"),
        ("X-Internal-Secret: hunter2", "X-Internal-Secret: ***"),
        ('{"refresh_token": "abc", "n": 1}', '{"refresh_token": "***", "n": 1}'),
        ("{'accessCode': 'ABCDEFGH'}", "{'accessCode': '***'}"),
        ("Key (access_code)=(ABCDEFGH) already", "Key (access_code)=(*** already"),
        ("Key (email)=(ana@example.com) already", "Key (email)=(***) already"),
        ("postgres://user:s3cret@db:5432/x", "postgres://user:***@db:5432/x"),
        ("csrfmiddlewaretoken=abc&x=1", "csrfmiddlewaretoken=***&x=1"),
        ("Cookie: __Host-session=abc", "Cookie: ***"),
    ],
)
def test_mask_hides_what_says_that_it_is_a_secret(text, masked):
    assert mask(text) == masked


def test_mask_takes_long_texts_in_its_stride():
    text = "a" * 100_000 + " " + "x@" * 50_000

    # Of this process alone: on a busy machine the clock on the wall counts the others' work.
    begin = time.process_time()
    mask(text)
    assert time.process_time() - begin < 1


@pytest.mark.parametrize(
    "text",
    [
        "/inicio/clases/5e0c1c2e-1111-4222-8333-123456789abc",
        "The sweep send_due_notices failed.",
        "The calendar answered 403 (rateLimitExceeded).",
        "2026-11-20T12:00:00.123+00:00",
        "20261120 CALENDAR",
        'File "/srv/app/bookings/sweeps.py", line 94, in run_sweep',
        "the token of a sweep",
    ],
)
def test_mask_leaves_what_is_said(text):
    assert mask(text) == text


@pytest.mark.parametrize(
    "text",
    ["/inicio/unirse", "/inicio/clases/1", "code=7 state=open", "/?coder=1&estate=2", "Clase 7K2M"],
)
def test_mask_leaves_the_rest(text):
    assert mask(text) == text


def test_formatter_masks_the_message_and_the_traceback():
    error = ValueError(f"cannot open /inicio/unirse/{CODE}")
    record = logging.LogRecord(
        "name",
        logging.ERROR,
        __file__,
        1,
        "Failed: %s",
        (f"/inicio/unirse/{CODE}",),
        (ValueError, error, None),
    )

    assert MaskingFormatter().format(record).splitlines() == [
        "Failed: /inicio/unirse/***",
        "ValueError: cannot open /inicio/unirse/***",
    ]


def record_of(message, *args, error=None, **extra):
    about = (type(error), error, None) if error else None
    record = logging.LogRecord("bookings.x", logging.ERROR, __file__, 1, message, args, about)
    record.__dict__.update(extra)
    record.created = 1_790_000_000.5
    return record


def test_json_line_is_one_object_with_what_the_work_belongs_to():
    record = record_of("Class %s is late", 7, attempts=3)

    with tagged(run_id="r1", sweep="send_due_notices"):
        line = JSONFormatter().format(record)

    assert json.loads(line) == {
        "time": "2026-09-21T14:13:20.500+00:00",
        "level": "ERROR",
        "logger": "bookings.x",
        "run_id": "r1",
        "sweep": "send_due_notices",
        "message": "Class 7 is late",
        "attempts": 3,
    }


def test_json_line_stays_json_where_a_secret_ends_a_string():
    error = ValueError(f'cannot open "/inicio/unirse/{CODE}"')
    record = record_of('"/inicio/unirse/%s"', CODE, error=error, who={"mail": "ana@example.com"})

    line = JSONFormatter().format(record)

    said = json.loads(line)
    assert said["message"] == '"/inicio/unirse/***"'
    assert said["exc_info"] == 'ValueError: cannot open "/inicio/unirse/***"'
    assert said["who"] == {"mail": "***"}


def test_json_line_has_no_line_breaks_and_no_request():
    line = JSONFormatter().format(record_of("two\nlines", error=ValueError("x"), request=object()))

    assert "\n" not in line
    assert "request" not in json.loads(line)


def test_plain_line_names_the_request():
    with tagged(request_id="abc"):
        line = PlainFormatter().format(record_of("Mail to %s", "ana@example.com"))

    assert line.endswith(" ERROR bookings.x [abc]: Mail to ***")
    assert PlainFormatter().format(record_of("x")).endswith(" ERROR bookings.x: x")


def test_plain_line_obeys_nobody_and_stays_one_line():
    said = "a\0b\x1b[2Jc\r\nd\x7fe\x9bf\u2028g"

    line = PlainFormatter().format(record_of("Said %s", said))

    assert line.endswith(r": Said a\x00b\x1b[2Jc\r\nd\x7fe\x9bf\u2028g")


def test_plain_line_masks_what_stands_behind_a_control():
    line = PlainFormatter().format(record_of("Codes\n%s\x1b%s", CODE, CODE))

    assert line.endswith(r": Codes\n***\x1b***")


def test_words_of_an_error_do_not_look_like_another_line():
    error = ValueError(f"bad\x1b[31m\n2026-11-20 ERROR forged\n{CODE}")

    first, *others = PlainFormatter().format(record_of("Failed", error=error)).split("\n")

    assert first.endswith(": Failed")
    assert others == [r"  ValueError: bad\x1b[31m", "  2026-11-20 ERROR forged", "  ***"]


@pytest.fixture
def console():
    """What the service prints, as it is configured."""
    (handler,) = (one for one in logging.root.handlers if one.name == "console")
    usual = handler.setStream(StringIO())
    yield handler.stream
    handler.setStream(usual)


@pytest.mark.parametrize(
    "form", [{"access_code": "x" * 65_537}, dict.fromkeys(map(str, range(1_001)), "x")]
)
def test_form_over_the_limits_is_no_event(console, db, form):
    browser = Client(enforce_csrf_checks=True)
    browser.cookies["csrftoken"] = "x" * 32

    response = browser.post("/inicio/unirse", form)

    assert response.status_code == 400
    (line,) = console.getvalue().splitlines()
    assert " INFO access [" in line


def test_bug_of_an_invitation_prints_no_access_code(console, db, monkeypatch):
    def fail(*args, **kwargs):
        raise RuntimeError("a bug")

    monkeypatch.setattr("bookings.pages.joining.list_providers", fail)

    response = Client(raise_request_exception=False).get(f"/inicio/unirse/{CODE}")

    assert response.status_code == 500
    assert "Internal Server Error: /inicio/unirse/***" in console.getvalue()
    assert CODE not in console.getvalue()
