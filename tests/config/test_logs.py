"""config/monitoring: how a line of the log reads, what it hides, and the line of each request."""

import contextlib
import json
import logging
import re
import time
from datetime import timedelta
from io import StringIO
from threading import Thread
from types import SimpleNamespace

import pytest
from django.test import Client
from gunicorn.config import Config
from prometheus_client import REGISTRY

from config.gunicorn import MaskingLogger, access_log_format
from config.lib.background_jobs import BackgroundJob, tagged, work_tags
from config.monitoring.logs import MASK, JSONFormatter, MaskingFormatter, PlainFormatter, mask

CODE = "7K2M9QXA"
pytestmark = pytest.mark.django_db


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


def test_plain_line_names_the_request():
    with tagged(request_id="abc"):
        line = PlainFormatter().format(record_of("Mail to %s", "ana@example.com"))

    assert line.endswith(" ERROR bookings.x [abc]: Mail to ***")
    assert PlainFormatter().format(record_of("x")).endswith(" ERROR bookings.x: x")


def test_plain_line_obeys_nobody_and_stays_one_line():
    said = "a\0b\x1b[2Jc\r\nd\x7fe\x9bf\u2028g"

    line = PlainFormatter().format(record_of("Said %s", said))

    assert line.endswith(r": Said a\x00b\x1b[2Jc\r\nd\x7fe\x9bf\u2028g")


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


def test_bug_of_an_invitation_prints_no_access_code(console, db, monkeypatch):
    def fail(*args, **kwargs):
        raise RuntimeError("a bug")

    monkeypatch.setattr("bookings.pages.joining.list_ways_to_sign_in", fail)

    response = Client(raise_request_exception=False).get(f"/inicio/unirse/{CODE}")

    assert response.status_code == 500
    assert "Internal Server Error: /inicio/unirse/***" in console.getvalue()
    assert CODE not in console.getvalue()


@pytest.fixture
def logger():
    """Gunicorn's logger with an access log; its handlers are taken off again."""
    configuration = Config()
    configuration.set("accesslog", "-")
    configuration.set("access_log_format", access_log_format)
    logger = MaskingLogger(configuration)
    yield logger
    for name in ("gunicorn.access", "gunicorn.error"):
        logging.getLogger(name).handlers.clear()


def own_handler(log):
    """Give gunicorn's handler; the test's own may stand beside it."""
    return next(one for one in log.handlers if isinstance(one.formatter, MaskingFormatter))


def test_access_log_shows_neither_code_nor_query(logger, caplog):
    environ = {
        "REQUEST_METHOD": "GET",
        "RAW_URI": "/inicio/unirse/7K2M9QXA?code=secret",
        "PATH_INFO": "/inicio/unirse/7K2M9QXA",
        "QUERY_STRING": "code=secret",
        "SERVER_PROTOCOL": "HTTP/1.1",
    }
    response = SimpleNamespace(status="200 OK", sent=12, headers=[])

    logger.access(response, SimpleNamespace(headers=[]), environ, timedelta(milliseconds=5))

    line = own_handler(logger.access_log).format(caplog.records[0])
    assert '"GET /inicio/unirse/***" 200 12 bytes 5 ms' in line
    assert "secret" not in line


@pytest.fixture
def lines(console):
    """The lines of the requests since the last call."""
    (handler,) = (one for one in logging.root.handlers if one.name == "console")
    formatter = handler.formatter
    handler.setFormatter(JSONFormatter())

    def read():
        text = handler.setStream(StringIO()).getvalue()
        printed = [json.loads(line) for line in text.splitlines()]
        return [line for line in printed if line["logger"] == "access"]

    yield read
    handler.setFormatter(formatter)


def test_request_gets_an_id_of_its_own(client):
    first, second = (client.get("/api/auth/csrf")["X-Request-ID"] for _ in range(2))

    assert re.fullmatch("[0-9a-f]{16}", first)
    assert first != second


@pytest.mark.parametrize(
    ("given", "proxies", "is_taken"),
    [
        ("4bf92f35-77b3.4da6", 1, True),
        ("4bf92f35-77b3.4da6", 0, False),
        ("short", 1, False),
        ("a" * 65, 1, False),
        ("with space x", 1, False),
        ('"quoted","x":"', 1, False),
        ("ñandú-ñandú", 1, False),
        ("", 1, False),
    ],
)
def test_id_of_a_trusted_proxy_is_kept(client, settings, given, proxies, is_taken):
    settings.TRUSTED_PROXIES = proxies

    answered = client.get("/api/auth/csrf", headers={"X-Request-ID": given})["X-Request-ID"]

    assert (answered == given) is is_taken


def test_line_names_route_person_and_outcome_but_no_path(sign_in, student, lines):
    client = sign_in(student)
    lines()

    response = client.get(f"/inicio/unirse/{CODE}?x=secret")

    (line,) = lines()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line.pop("time"))
    ms = line.pop("ms")
    assert line == {
        "level": "INFO",
        "logger": "access",
        "message": f"GET /inicio/unirse/<str:access_code> {response.status_code} {ms:.0f} ms",
        "request_id": response["X-Request-ID"],
        "method": "GET",
        "route": "inicio/unirse/<str:access_code>",
        "status": response.status_code,
        "user_id": str(student.pk),
    }


def test_file_has_no_line(client, lines):
    with contextlib.closing(client.get("/static/css/base.css")) as response:
        assert response.status_code == 200
    assert client.get("/static/nowhere.css").status_code == 404

    assert lines() == []


def test_probe_has_no_line_unless_it_fails_the_service(client, lines):
    client.get("/readyz")
    client.get("/healthz")

    assert [line["route"] for line in lines()] == ["healthz"]


LABELS = {"method": "GET", "route": "api/auth/csrf", "status": "200"}


def figure(name, **labels):
    return REGISTRY.get_sample_value(f"classes_http_request_seconds_{name}", LABELS | labels) or 0


def test_request_is_counted_by_route_and_status(client):
    before = figure("count")

    for _ in range(3):
        client.get("/api/auth/csrf")

    assert figure("count") == before + 3
    assert figure("sum") > 0


def test_thread_of_a_request_says_whose_it_is():
    seen, threads = [], []
    errand = BackgroundJob("courier", lambda: seen.append(dict(work_tags.get())))

    with tagged(request_id="abc"), pytest.MonkeyPatch.context() as patch:
        start = Thread.start
        patch.setattr(Thread, "start", lambda self: threads.append(self) or start(self))
        errand.call()
    for thread in threads:
        thread.join()

    assert seen == [{"request_id": "abc"}]
