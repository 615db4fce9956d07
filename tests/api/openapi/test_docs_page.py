"""/api/docs shows the document in Swagger UI, from files of this service."""

import re

import pytest

PATH = "/api/docs"


@pytest.mark.django_db
def test_docs_page_loads_only_files_of_this_service(client):
    page = client.get(PATH)
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page.content.decode())

    assert len(addresses) == 5
    assert all(address.startswith(("/static/", "/api/openapi.json")) for address in addresses)
    assert 'data-document="/api/openapi.json"' in page.content.decode()


@pytest.mark.django_db
def test_docs_page_reads_no_session(host, sign_in, django_assert_num_queries):
    client = sign_in(host)

    with django_assert_num_queries(0):
        response = client.get(PATH)

    assert response["Cache-Control"] == "public, max-age=300"


def test_docs_page_allows_inline_styles_and_no_inline_scripts(client):
    policy = client.get(PATH)["Content-Security-Policy"].split("; ")

    assert "style-src 'self' 'unsafe-inline'" in policy
    assert "script-src 'self'" in policy
