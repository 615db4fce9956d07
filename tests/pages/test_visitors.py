"""The cached public pages: who gets the copy, and who does not."""

import pytest
from django.conf import settings
from django.test import Client

from bookings.models import TeacherPage
from bookings.pages import visitors
from bookings.pages.visitors import CACHE_SECONDS
from tests.factories import TeacherPageFactory
from tests.pages.moments import NOW

pytestmark = pytest.mark.usefixtures("agenda", "kept_seller")

PAGES = ("/", "/clases-abiertas")


def rename(name: str) -> None:
    TeacherPage.objects.update(name=name)


@pytest.mark.parametrize("path", PAGES)
def test_the_second_visitor_costs_no_query_and_gets_the_same_page(path, django_assert_num_queries):
    TeacherPageFactory()
    first = Client().get(path)

    with django_assert_num_queries(0):
        second = Client().get(path)

    assert second.content == first.content


@pytest.mark.parametrize("path", PAGES)
def test_the_page_contains_nothing_of_the_first_visitor(path, client):
    response = client.get(path)

    assert not response.cookies
    assert "csrf" not in response.content.decode()


def test_each_address_has_its_own_page(client):
    front, open_classes = [client.get(path).content for path in PAGES]

    assert front != open_classes


def test_each_language_has_its_own_page(client):
    spanish = client.get("/").content
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "en"

    assert client.get("/").content != spanish


def test_a_visitor_reads_a_change_after_some_seconds(client, time_machine):
    time_machine.move_to(NOW)
    TeacherPageFactory(name="Ana")
    client.get("/")
    rename("Berta")
    assert "Ana" in client.get("/").content.decode()

    time_machine.shift(CACHE_SECONDS + 1)

    assert "Berta" in client.get("/").content.decode()


def test_the_next_release_renders_its_own_pages(client, monkeypatch):
    TeacherPageFactory(name="Ana")
    client.get("/")
    rename("Berta")

    monkeypatch.setattr(visitors, "RELEASE", "next")

    assert "Berta" in client.get("/").content.decode()


def test_a_signed_in_person_reads_a_change_at_once(client, teacher, sign_in):
    TeacherPageFactory(name="Ana")
    client.get("/")

    rename("Berta")

    assert "Berta" in sign_in(teacher).get("/").content.decode()


def test_an_error_of_the_sign_in_is_shown_to_one_person(client):
    failed = client.get("/?error=AccessDenied").content.decode()

    assert 'role="alert"' in failed
    assert 'role="alert"' not in client.get("/").content.decode()


def test_a_message_is_shown_once_to_its_person(host, sign_in):
    TeacherPageFactory()
    leaving = sign_in(host)
    leaving.post("/api/auth/signout")

    assert "Cerraste tu sesión." in leaving.get("/").content.decode()
    assert "Cerraste tu sesión." not in leaving.get("/").content.decode()
