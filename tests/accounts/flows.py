"""Drives a sign-in as a browser does: our form, the provider's page, the callback."""

from urllib.parse import parse_qsl, urlsplit

import requests
from django.http import HttpResponse
from django.test import Client

TIMEOUT_SECONDS = 5


def start(client: Client, provider: str, query: str = "", **form: str) -> str:
    """Press the provider's button; give the address the person is sent to."""
    response = client.post(f"/api/auth/signin/{provider}{query}", form)
    assert response.status_code == 302, response.content
    return str(response["Location"])


def consent(address: str, email: str, **form: str) -> str:
    """Choose an account on the provider's page; give the callback it redirects to, as a path."""
    response = requests.post(
        address, data={"email": email, **form}, allow_redirects=False, timeout=TIMEOUT_SECONDS
    )
    assert response.status_code in {302, 303}, response.text
    parts = urlsplit(response.headers["Location"])
    return f"{parts.path}?{parts.query}"


def sign_in(
    client: Client, provider: str, email: str, query: str = "", **form: str
) -> HttpResponse:
    """Go through the whole flow; give the callback's answer."""
    return client.get(consent(start(client, provider, query, **form), email))


def session_of(client: Client) -> dict:
    """Give the body of ``GET /api/auth/session``."""
    return client.get("/api/auth/session").json()


def query_of(address: str) -> dict[str, str]:
    """Give an address's query."""
    return dict(parse_qsl(urlsplit(address).query))
