"""config/web/errors.py: what a request gets that reaches no view."""

import json
import re
import tempfile
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings as django_settings
from django.contrib.staticfiles import finders
from django.test import Client, RequestFactory

from config.web import errors
from config.web.requests import Request
from tests.api.database_faults import SECRET, failing
from tests.config.environments import development


@pytest.fixture
def browser():
    """Somebody whom Django asks for the CSRF token, and who sees the 500 that a bug causes."""
    return Client(enforce_csrf_checks=True, raise_request_exception=False)


def test_unknown_page_is_a_page(browser, db):
    response = browser.get("/nowhere")

    assert response.status_code == 404
    assert response["Content-Type"] == "text/html; charset=utf-8"
    assert "No encontramos esta página" in response.content.decode()


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


MIDDLEWARE = "config.web.middleware.LocalNameMiddleware"


@pytest.fixture
def local_site(settings):
    settings.BASE_URL = "http://localhost:8000"
    settings.ALLOWED_HOSTS = development(BASE_URL="http://localhost:8000").ALLOWED_HOSTS
    settings.MIDDLEWARE = [MIDDLEWARE, *django_settings.MIDDLEWARE]
    return Client()


@pytest.mark.parametrize("own", ["localhost", "127.0.0.1", "[::1]"])
def test_every_local_name_is_allowed(own):
    names = development(BASE_URL=f"http://{own}:8000").ALLOWED_HOSTS

    assert names == ["localhost", "127.0.0.1", "[::1]"]


@pytest.mark.parametrize("name", ["127.0.0.1:8000", "[::1]:8000"])
def test_page_under_another_local_name_leads_to_the_site(local_site, name):
    response = local_site.get("/inicio?a=%C3%B1", headers={"host": name})

    assert response.status_code == 302
    assert response["Location"] == "http://localhost:8000/inicio?a=%C3%B1"


@pytest.mark.parametrize("path", ["/api/auth/session", "/api/openapi.json"])
@pytest.mark.parametrize("name", ["127.0.0.1:8000", "localhost:8000"])
def test_api_answers_under_every_local_name(db, local_site, path, name):
    assert local_site.get(path, headers={"host": name}).status_code == 200


def test_foreign_name_is_refused(local_site):
    assert local_site.get("/api/auth/session", headers={"host": "evil.example"}).status_code == 400


WORKER, PAGE, MANIFEST = "/service-worker.js", "/sin-conexion", "/manifest.webmanifest"


def test_worker_keeps_one_page_and_all_that_it_loads(client):
    page, script = (client.get(path).content.decode() for path in (PAGE, WORKER))

    files = re.findall(r'<(?:link rel="stylesheet" href|script type="module" src)="([^"]+)"', page)
    assert re.findall(r'"(/[^"]+)"', script) == [PAGE, *files, "/api/"]
    assert re.findall(r"<(img|iframe|form)", page) == []


@pytest.mark.django_db
def test_the_site_can_be_installed(client):
    page, manifest = client.get("/inicio/unirse"), client.get(MANIFEST).json()

    assert f'<link rel="manifest" href="{MANIFEST}">' in page.content.decode()
    assert (manifest["start_url"], manifest["display"]) == ("/inicio", "standalone")
    assert all(finders.find(one["src"].removeprefix("/static/")) for one in manifest["icons"])


def test_each_language_has_a_copy_of_its_own(client):
    spanish = client.get(WORKER).content
    client.cookies["language"] = "en"

    assert client.get(WORKER).content != spanish


BOUNDARY = "boundary"
SIZE = 5_000_000
FORM = (
    f"--{BOUNDARY}\r\n"
    'Content-Disposition: form-data; name="access_code"\r\n\r\nABCD2345\r\n'
    f"--{BOUNDARY}\r\n"
    'Content-Disposition: form-data; name="file"; filename="big.bin"\r\n\r\n'
    f"{'x' * SIZE}\r\n--{BOUNDARY}--\r\n"
).encode()


@pytest.fixture
def sent(tmp_path, monkeypatch):
    """Read the form as sent to an address; it may write no temporary file."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def send(address="/", *, is_staff=False):
        request = Request(
            {
                "REQUEST_METHOD": "POST",
                "PATH_INFO": address,
                "CONTENT_TYPE": f"multipart/form-data; boundary={BOUNDARY}",
                "CONTENT_LENGTH": str(len(FORM)),
                "wsgi.input": BytesIO(FORM),
            }
        )
        request.user = SimpleNamespace(is_staff=is_staff)
        assert request.POST["access_code"] == "ABCD2345"
        return request.FILES

    yield send
    assert list(Path(tmp_path).iterdir()) == []


def test_request_keeps_a_file_of_staff_at_the_address_for_it(sent, settings):
    assert sent(settings.UPLOAD_ADDRESSES, is_staff=True)["file"].size == SIZE


@pytest.mark.parametrize("start", ["/inicio/clases/", "/inicio/lugares/", "/clase/"])
def test_request_keeps_the_receipt_of_a_transfer(sent, start):
    assert sent(f"{start}a1-b2/transferencia")["file"].size == SIZE


def test_request_drops_every_other_file(sent, settings):
    assert sent("/inicio/unirse", is_staff=True) == {}
    assert sent("/inicio/clases/a1-b2/transferencia/más") == {}
    assert sent(settings.UPLOAD_ADDRESSES, is_staff=False) == {}


def test_request_drops_a_file_that_is_too_large(sent, settings):
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = SIZE

    assert sent(settings.UPLOAD_ADDRESSES, is_staff=True) == {}


@pytest.mark.parametrize("charset", ["latin-1", "utf-16", "base64"])
def test_request_keeps_a_charset_for_the_parser_only(charset):
    content_type = f"application/json; charset={charset}"

    request = Request(
        {"REQUEST_METHOD": "POST", "CONTENT_TYPE": content_type, "wsgi.input": BytesIO()}
    )

    assert (request.headers["Content-Type"], request.encoding) == (content_type, None)
