"""The page about the API shows the whole document, to anybody, without scripts or other sites."""

import re

import pytest

from config.openapi.document import get_document
from config.openapi.page import build_page
from config.openapi.prose import paragraphs

PATH = "/api/docs"


@pytest.fixture
def page(client):
    return client.get(PATH).content.decode()


def test_it_shows_every_operation_with_its_samples(page):
    paths = get_document().content["paths"]
    shown = [(path, one["operationId"]) for path, item in paths.items() for one in item.values()]

    assert all(f'id="{name}"' in page and f"<code>{path}</code>" in page for path, name in shown)
    assert page.count('class="api-sample"') == 2 * len(shown)


def test_it_shows_webhooks_and_groups_that_nobody_described():
    operation = {"tags": ["Told"], "responses": {"200": {"description": "Taken."}}}
    document = get_document().content | {"webhooks": {"class.joined": {"post": operation}}}

    *_, group = build_page(document).groups

    [shown] = group.operations
    assert (group.name, shown.name, shown.method) == ("Told", "class.joined", "POST")


def test_its_links_lead_somewhere(page):
    names = set(re.findall(r'id="([^"]+)"', page))

    assert set(re.findall(r'href="#([^"]+)"', page)) <= names


def test_it_is_in_english_whoever_asks(client):
    client.cookies["language"] = "es-ar"

    response = client.get(PATH, headers={"Accept-Language": "es"})

    assert response["Content-Language"] == "en"
    assert '<html lang="en">' in response.content.decode()


@pytest.mark.django_db
def test_it_costs_no_query_and_holds_nobody(host, sign_in, client, django_assert_num_queries):
    usual = client.get(PATH)
    guest = sign_in(host)

    with django_assert_num_queries(0):
        response = guest.get(PATH)

    assert response.content == usual.content
    assert response["Cache-Control"] == "public, max-age=300"
    assert client.get(PATH, headers={"If-None-Match": usual["ETag"]}).status_code == 304


def test_it_needs_nothing_that_the_content_policy_forbids(page):
    assert "style=" not in page
    assert not re.search(r"\son\w+=", page)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", page))


def test_descriptions_are_escaped():
    assert paragraphs("a **b** `<i>`\n\n<script>") == (
        "<p>a <strong>b</strong> <code>&lt;i&gt;</code></p>\n<p>&lt;script&gt;</p>"
    )
