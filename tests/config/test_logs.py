"""config/logs.py: what a line of the log keeps to itself."""

import logging
from io import StringIO

import pytest
from django.test import Client

from config.logs import MaskingFormatter, mask

CODE = "7K2M9QXA"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (
            f"Internal Server Error: /inicio/unirse/{CODE}",
            "Internal Server Error: /inicio/unirse/***",
        ),
        (f"GET /inicio/unirse/{CODE}?x=1 HTTP/1.1", "GET /inicio/unirse/*** HTTP/1.1"),
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


@pytest.fixture
def console():
    """What the service prints, as it is configured."""
    (handler,) = (one for one in logging.root.handlers if one.name == "console")
    usual = handler.setStream(StringIO())
    yield handler.stream
    handler.setStream(usual)


def test_bug_of_an_invitation_prints_no_access_code(console, monkeypatch):
    def fail(*args, **kwargs):
        raise RuntimeError("a bug")

    monkeypatch.setattr("bookings.pages.joining.list_providers", fail)

    response = Client(raise_request_exception=False).get(f"/inicio/unirse/{CODE}")

    assert response.status_code == 500
    assert "Internal Server Error: /inicio/unirse/***" in console.getvalue()
    assert CODE not in console.getvalue()
