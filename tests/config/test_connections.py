"""What is answered when the database takes no more connections."""

from urllib.parse import urlsplit, urlunsplit

import pytest
import requests
from django.db import connection

from tests.processes import database_url, web_server

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'postgresql'"),
]
ROLE = "without_connections"
# The demo's: no page for developers, and no files that only collectstatic makes.
SITE = {"DEBUG": "false", "DEMO": "true", "BASE_URL": "http://localhost"}


@pytest.fixture
def server(tmp_path, settings):
    """A web server whose role may open no connection, as beyond ``max_connections``."""
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {ROLE} LOGIN CONNECTION LIMIT 0")
    settings.BASE_URL = SITE["BASE_URL"]  # sessions name it
    parts = urlsplit(database_url())
    address = parts.netloc.rpartition("@")[2]
    url = urlunsplit(parts._replace(netloc=f"{ROLE}@{address}"))
    try:
        with web_server(tmp_path, DATABASE_URL=url, **SITE) as web:
            yield web
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP ROLE {ROLE}")


def get(server, path, client):
    cookies = {name: cookie.value for name, cookie in client.cookies.items()}
    headers = {"Host": "localhost"}
    return requests.get(server.url + path, headers=headers, cookies=cookies, timeout=20)


def test_without_a_connection_people_and_programs_are_told_to_come_back(server, sign_in, host):
    client = sign_in(host)
    page = get(server, "/inicio/clases", client)
    session = get(server, "/api/auth/session", client)
    profile = get(server, "/api/user-data", client)

    assert (page.status_code, page.headers["Retry-After"]) == (503, "5")
    assert "Ahora no podemos atenderte" in page.text
    assert (session.status_code, session.headers["Retry-After"]) == (503, "5")
    assert session.json() == {
        "error": "Ahora no podemos atender este pedido. Probá de nuevo en unos segundos."
    }
    # Where another 500 is documented, it stays.
    assert (profile.status_code, profile.headers["Retry-After"]) == (500, "5")
    assert profile.json() == {"error": "No pudimos procesar tus datos."}
