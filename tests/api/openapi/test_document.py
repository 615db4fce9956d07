"""The document and its page are served cheaply, and tell of every address below /api."""

import re
import tomllib
from pathlib import Path
from uuid import uuid4

import pytest
from django.urls import URLPattern, get_resolver

from config.api import openapi as document
from config.api.openapi import get_document
from config.version import VERSION

PATH = "/api/openapi.json"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")


@pytest.fixture(scope="module")
def paths():
    return get_document().content["paths"]


def addresses(patterns, prefix="/"):
    """List every address of the service, with arguments as ``{name}``."""
    for entry in patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLPattern):
            yield re.sub(r"<\w+:(\w+)>", r"{\1}", path)
        else:
            yield from addresses(entry.url_patterns, path)


def test_every_address_below_api_is_described(paths):
    below_api = {path for path in addresses(get_resolver().url_patterns) if "api/" in path}

    assert set(paths) == below_api | {"/healthz", "/readyz"}
    assert len(below_api) > 15


def test_it_has_the_version_of_the_package():
    project = tomllib.loads(Path("pyproject.toml").read_text())["project"]

    assert get_document().content["info"]["version"] == VERSION == project["version"]


def test_every_operation_has_a_name_of_its_own(paths):
    operations = [one for item in paths.values() for one in item.values()]

    assert len({one["operationId"] for one in operations}) == len(operations)
    assert all(one["summary"] and one["tags"] for one in operations)


def test_every_limit_says_when_to_come_back(paths):
    limits = {
        one["operationId"]: one["responses"]["429"].get("headers", {}).keys()
        for item in paths.values()
        for one in item.values()
        if "429" in one["responses"]
    }

    assert limits.keys() > {"bookClass", "createPaymentPreference", "joinClass", "signIn"}
    assert set(map(tuple, limits.values())) == {("Retry-After",)}


@pytest.mark.django_db
def test_it_is_served_without_asking_the_database(client, django_assert_num_queries, monkeypatch):
    get_document()
    monkeypatch.setattr(document, "generate", None)  # it is made once

    with django_assert_num_queries(0):
        response = client.get(PATH)

    assert (response.status_code, response["Content-Type"]) == (200, "application/json")
    assert response.json() == get_document().content
    assert response["Cache-Control"] == "public, max-age=300"


def test_who_has_it_gets_no_body(client):
    etag = client.get(PATH)["ETag"]

    response = client.get(PATH, headers={"If-None-Match": etag})

    assert (response.status_code, response.content) == (304, b"")


@pytest.mark.django_db
def test_other_methods_are_refused_as_documented(paths, host, sign_in):
    client = sign_in(host)  # a stranger is asked to sign in first
    for path, item in paths.items():
        for method in METHODS:
            if method.lower() in item:
                continue
            response = client.generic(method, path.format(provider_id="google", class_id=uuid4()))
            allowed = set(response.headers["Allow"].split(", "))
            assert response.status_code == 405, (method, path)
            assert allowed - {"HEAD"} == {name.upper() for name in item}


# --- /api/docs shows it in Swagger UI, from files of this service ---------------------------------


DOCS = "/api/docs"


@pytest.mark.django_db
def test_docs_page_loads_only_files_of_this_service(client):
    page = client.get(DOCS)
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page.content.decode())

    assert len(addresses) == 5
    assert all(address.startswith(("/static/", "/api/openapi.json")) for address in addresses)
    assert 'data-document="/api/openapi.json"' in page.content.decode()


@pytest.mark.django_db
def test_docs_page_reads_no_session(host, sign_in, django_assert_num_queries):
    client = sign_in(host)

    with django_assert_num_queries(0):
        response = client.get(DOCS)

    assert response["Cache-Control"] == "public, max-age=300"


def test_docs_page_allows_inline_styles_and_no_inline_scripts(client):
    policy = client.get(DOCS)["Content-Security-Policy"].split("; ")

    assert "style-src 'self' 'unsafe-inline'" in policy
    assert "script-src 'self'" in policy
