"""config/api/exceptions.py: one shape for every error below ``/api``, without its cause."""

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from config.api.bodies import AnyTypeJSONParser
from config.api.exceptions import first_message
from config.lib.api import Refusal, with_subclasses

SECRET = "hunter2"


def answer_to(error, **attributes):
    """Let a view raise ``error``; give what the client gets."""

    class FailingView(APIView):
        authentication_classes = []
        permission_classes = [AllowAny]

        def get(self, request):
            raise error

    for name, value in attributes.items():
        setattr(FailingView, name, value)
    response = FailingView.as_view()(APIRequestFactory().get("/api/x"))
    response.render()
    return response


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (exceptions.ParseError("Not JSON."), 400, "Not JSON."),
        (exceptions.ValidationError({"start": ["Required."]}), 400, "start: Required."),
        (exceptions.NotAuthenticated(), 403, "Ingresá para continuar."),
        (exceptions.PermissionDenied("Elsewhere."), 403, "Elsewhere."),
        (PermissionDenied(SECRET), 403, "No tenés permiso para hacer esto."),
        (exceptions.NotFound(), 404, "No encontrado."),
        (Http404(SECRET), 404, "No encontrado."),
        (exceptions.MethodNotAllowed("PUT"), 405, 'Método "PUT" no permitido.'),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_handler_gives_known_errors_their_shape(error, status, text):
    response = answer_to(error)

    assert (response.status_code, response.data) == (status, {"error": text})


@pytest.mark.parametrize(
    "error", [RuntimeError(SECRET), KeyError(SECRET), ZeroDivisionError(SECRET)], ids=repr
)
def test_handler_hides_unknown_errors_and_logs_them(error, caplog):
    response = answer_to(error)

    assert (response.status_code, response.data) == (500, {"error": "Error interno del servidor."})
    assert "FailingView failed" in caplog.text
    assert type(error).__name__ in caplog.text


def test_handler_uses_the_views_own_text():
    response = answer_to(RuntimeError(SECRET), server_error="Failed to do it")

    assert response.data == {"error": "Failed to do it"}


def test_handler_says_how_long_to_wait():
    response = answer_to(exceptions.Throttled(wait=12.3))

    assert response.status_code == 429
    assert response["Retry-After"] == "13"


def test_handler_names_the_scheme_of_a_challenge():
    error = exceptions.AuthenticationFailed()
    error.auth_header = "Session"

    class Scheme:
        def authenticate(self, request):
            raise error

        def authenticate_header(self, request):
            return "Session"

    response = answer_to(error, authentication_classes=[Scheme])

    assert (response.status_code, response["WWW-Authenticate"]) == (401, "Session")


@pytest.mark.parametrize(
    ("detail", "text"),
    [
        ("Wrong.", "Wrong."),
        (["Wrong.", "Worse."], "Wrong."),
        ({"start": ["Wrong."], "end": ["Worse."]}, "start: Wrong."),
        ({"non_field_errors": ["Wrong."]}, "Wrong."),
        ({"outer": {"inner": ["Wrong."]}}, "inner: Wrong."),
        ({"list": [{"inner": ["Wrong."]}]}, "inner: Wrong."),
    ],
    ids=str,
)
def test_first_message(detail, text):
    assert first_message(detail) == text


def test_a_refusal_stands_for_every_kind_of_its_error():
    class ParentError(Exception):
        pass

    class ChildError(ParentError):
        pass

    class GrandchildError(ChildError):
        pass

    answered = with_subclasses({ParentError: Refusal(409), ChildError: Refusal(410)})

    assert {kind: one.status for kind, one in answered.items()} == {
        ParentError: 409,
        ChildError: 410,
        GrandchildError: 410,
    }


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
