"""The sign-in page is written once, and each browser still gets its own token."""

import re

import pytest
from django.contrib.messages import constants
from django.contrib.messages.storage.base import Message
from django.http import HttpRequest, HttpResponse

from accounts.sign_in import page as sign_in_page
from config.env.seller import Seller
from config.web.messages import NamedCookieStorage

PATH = "/inicio"
TOKEN = re.compile(r'name="csrfmiddlewaretoken"\s+value="([A-Za-z0-9]{64})"')


@pytest.fixture(autouse=True)
def renderings(monkeypatch):
    """Count how often the page is written, from none at all."""
    monkeypatch.setattr(sign_in_page, "_pages", {})
    written, write = [], sign_in_page.render_to_string

    def count(*args):
        written.append(args)
        return write(*args)

    monkeypatch.setattr(sign_in_page, "render_to_string", count)
    return written


def without_tokens(page):
    return TOKEN.sub("", page.content.decode())


def test_page_is_written_once_and_each_has_a_token_of_its_own(client, renderings):
    pages = [client.get(PATH) for _ in range(3)]

    tokens = {token for page in pages for token in TOKEN.findall(page.content.decode())}
    assert len(renderings) == 1
    assert len(tokens) == 3
    assert len({without_tokens(page) for page in pages}) == 1
    assert sign_in_page.TOKEN_GOES_HERE not in pages[0].content.decode()


def test_page_is_what_it_would_be_if_it_were_written_for_one(client, settings):
    kept = without_tokens(client.get(PATH))

    # Two settings that change nothing but whether the page is kept.
    settings.DEBUG = True

    assert without_tokens(client.get(PATH)) == kept


def test_each_language_has_a_page(client):
    spanish = client.get(PATH)
    client.cookies["language"] = "en"
    english = client.get(PATH)

    assert "Ingresar" in spanish.content.decode()
    assert "Sign in" in english.content.decode()


def test_page_with_an_error_or_a_way_back_is_for_one(client, renderings):
    client.get(PATH)
    failed = client.get(PATH, {"error": "AccessDenied"})
    returning = client.get(PATH, {"next": "/inicio/clases"})

    assert 'role="alert"' in failed.content.decode()
    assert 'value="/inicio/clases"' in returning.content.decode()
    assert len(renderings) == 1


def test_page_with_a_message_is_for_one(client, renderings):
    store = NamedCookieStorage(HttpRequest())
    response = HttpResponse()
    store._store([Message(constants.SUCCESS, "Borramos tu cuenta.")], response)
    client.cookies["messages"] = response.cookies["messages"].value

    assert "Borramos tu cuenta." in client.get(PATH).content.decode()
    assert "Borramos tu cuenta." not in client.get(PATH).content.decode()


def test_page_follows_what_is_configured(client, settings):
    client.get(PATH)
    settings.SITE_NAME = "Otra academia"
    assert "Otra academia" in client.get(PATH).content.decode()

    settings.SELLER = Seller(name="Otra persona")
    assert "Otra persona" in client.get(PATH).content.decode()
