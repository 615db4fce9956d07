"""config/web/errors.py: what a request gets that reaches no view."""

import json

import pytest
from django.test import Client, RequestFactory

from config.web import errors
from tests.api.database_faults import SECRET, failing


@pytest.fixture
def browser():
    """Somebody whom Django asks for the CSRF token, and who sees the 500 that a bug causes."""
    return Client(enforce_csrf_checks=True, raise_request_exception=False)


def test_unknown_page_is_a_page(browser, db):
    response = browser.get("/nowhere")

    assert response.status_code == 404
    assert response["Content-Type"] == "text/html; charset=utf-8"
    assert "No encontramos esta página" in response.content.decode()


def test_large_headers_are_read(browser, db):
    response = browser.get("/inicio", headers={"X-Padding": "x" * 14_000})

    assert response.status_code == 200


def test_form_without_its_token_gets_a_page_that_explains(browser, db):
    response = browser.post("/inicio/unirse", {"access_code": "ABCD2345"})

    assert response.status_code == 403
    assert "La página estuvo abierta demasiado tiempo" in response.content.decode()


def test_address_of_a_form_is_not_blank(browser, host):
    browser.force_login(host)

    response = browser.get("/inicio/perfil/cerrar-otras")

    assert (response.status_code, response["Allow"]) == (405, "POST")
    assert "Esta página no se abre así" in response.content.decode()


def test_failure_behind_a_page_is_a_page(browser, host):
    browser.force_login(host)

    with failing():
        response = browser.get("/inicio/clases")

    assert response.status_code == 500
    assert "Algo salió mal" in response.content.decode()
    assert SECRET.encode() not in response.content


@pytest.mark.parametrize(
    ("answer", "status", "text"),
    [
        (lambda it: errors.bad_request(it, ValueError("hunter2")), 400, "El pedido no es válido."),
        (
            lambda it: errors.forbidden(it, ValueError("hunter2")),
            403,
            "No tenés permiso para hacer esto.",
        ),
        (lambda it: errors.not_found(it, ValueError("hunter2")), 404, "No encontrado."),
        (lambda it: errors.server_error(it), 500, "Error interno del servidor."),
    ],
    ids=["400", "403", "404", "500"],
)
def test_api_gets_json(answer, status, text):
    response = answer(RequestFactory().get("/api/booking"))

    assert response.status_code == status
    assert json.loads(response.content) == {"error": text}
