"""The sign-in page."""

import pytest
from django.contrib.messages import constants
from django.contrib.messages.storage.base import Message
from django.http import HttpRequest, HttpResponse

from config.web.messages import NamedCookieStorage

PATH = "/inicio"

pytestmark = pytest.mark.django_db


def test_page_has_both_languages(client):
    spanish = client.get(PATH)
    client.cookies["language"] = "en"
    english = client.get(PATH)

    assert "Ingresar" in spanish.content.decode()
    assert "Sign in" in english.content.decode()


def test_page_shows_an_error_and_keeps_the_way_back(client):
    failed = client.get(PATH, {"error": "AccessDenied"})
    returning = client.get(PATH, {"next": "/inicio/clases"})

    assert 'role="alert"' in failed.content.decode()
    assert 'value="/inicio/clases"' in returning.content.decode()


def test_page_shows_a_message_once(client):
    store = NamedCookieStorage(HttpRequest())
    response = HttpResponse()
    store._store([Message(constants.SUCCESS, "Borramos tu cuenta.")], response)
    client.cookies["messages"] = response.cookies["messages"].value

    assert "Borramos tu cuenta." in client.get(PATH).content.decode()
    assert "Borramos tu cuenta." not in client.get(PATH).content.decode()
