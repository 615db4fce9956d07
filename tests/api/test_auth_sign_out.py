"""/api/auth/signout: by form, by link, and never against the person's will."""

import pytest

from accounts.models import Session
from tests.accounts.flows import session_of
from tests.api.nextauth import FOREIGN_ADDRESSES, csrf_token

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "headers",
    [{}, {"sec-fetch-site": "same-origin"}, {"sec-fetch-site": "none"}],
    ids=["program", "own link", "typed address"],
)
def test_get_signs_out(client, student, headers):
    client.force_login(student)

    response = client.get("/api/auth/signout", headers=headers)

    assert (response.status_code, response["Location"]) == (302, "/")
    assert session_of(client) == {}
    assert not Session.objects.exists()


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "https://evil.example"},
        {"sec-purpose": "prefetch"},
        {"sec-purpose": "prefetch;prerender"},
        {"purpose": "prefetch"},
    ],
    ids=lambda headers: " ".join(headers.values()),
)
def test_get_that_may_not_be_the_person_s_wish_asks_first(client, student, headers):
    client.force_login(student)

    response = client.get("/api/auth/signout?callbackUrl=/inicio", headers=headers)

    assert response.status_code == 200
    assert 'name="callbackUrl" value="/inicio"' in response.content.decode()
    assert session_of(client)["user"]["email"] == student.email


def test_head_signs_nobody_out(client, student):
    client.force_login(student)

    response = client.head("/api/auth/signout")

    assert response.status_code == 405
    assert session_of(client) != {}


def test_get_signs_out_to_a_page_of_our_own(client, student):
    client.force_login(student)

    response = client.get("/api/auth/signout?callbackUrl=/inicio")

    assert response["Location"] == "/inicio"


@pytest.mark.parametrize("address", FOREIGN_ADDRESSES)
@pytest.mark.parametrize("method", ["get", "post"])
def test_sign_out_leads_nowhere_else(client, student, method, address):
    client.force_login(student)

    response = getattr(client, method)("/api/auth/signout", {"callbackUrl": address})

    assert response["Location"] == "/"


def test_post_signs_out(browser, student):
    browser.force_login(student)

    response = browser.post("/api/auth/signout", {"csrfToken": csrf_token(browser)})

    assert (response.status_code, response["Location"]) == (302, "/")
    assert session_of(browser) == {}


def test_script_signs_out_and_is_told_where_to_go(browser, student):
    browser.force_login(student)

    response = browser.post(
        "/api/auth/signout",
        {"csrfToken": csrf_token(browser), "callbackUrl": "http://testserver/x", "json": "true"},
    )

    assert (response.status_code, response.json()) == (200, {"url": "http://testserver/x"})
    assert session_of(browser) == {}


def test_post_without_its_token_signs_nobody_out(browser, student):
    browser.force_login(student)

    response = browser.post("/api/auth/signout")
    followed = browser.get(response["Location"])

    assert response["Location"] == "/api/auth/signout?csrf=true"
    assert followed.status_code == 200
    assert session_of(browser) != {}
