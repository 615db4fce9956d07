"""Google's sign-in: the page, consent, tokens, profile."""

import base64
import hashlib
from typing import Any

import pytest
import requests

from tests.standins import GoogleStandin
from tests.standins_tests.calls import (
    CALENDAR_SCOPE,
    CALLBACK,
    authorize_url,
    choose,
    refresh,
    token,
)

SCOPE = f"openid email profile {CALENDAR_SCOPE}"
VERIFIER = "v" * 43
CHALLENGE = (
    base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
)


def sign_in(google: GoogleStandin, *, form: dict[str, str] | None = None, **query: str) -> Any:
    """Choose Ana on the account page and exchange the code."""
    answer = choose(page(google, **query), **(form or {"email": "ana@example.com"}))
    return exchange(google, answer["code"]).json()


def page(google: GoogleStandin, **query: str) -> str:
    query = {"access_type": "offline", "scope": SCOPE, **query}
    return authorize_url(f"{google.url}/o/oauth2/v2/auth", **query)


def exchange(google: GoogleStandin, code: str, **form: str) -> requests.Response:
    form = {"client_id": "client", "client_secret": "secret", "redirect_uri": CALLBACK, **form}
    return token(google, grant_type="authorization_code", code=code, **form)


@pytest.mark.parametrize(
    "query",
    [{"redirect_uri": "javascript:alert(1)"}, {"client_id": ""}, {"response_type": "token"}],
    ids=lambda query: next(iter(query)),
)
def test_account_page_refuses_a_broken_request(
    google: GoogleStandin, query: dict[str, str]
) -> None:
    url = page(google, **query)

    answers = [requests.get(url, timeout=5), requests.post(url, timeout=5)]

    assert [answer.status_code for answer in answers] == [400, 400]


def test_refresh_token_comes_once_or_when_consent_is_asked_again(google: GoogleStandin) -> None:
    answers = [
        sign_in(google, access_type="online"),
        sign_in(google),
        sign_in(google),
        sign_in(google, prompt="consent"),
    ]

    assert ["refresh_token" in answer for answer in answers] == [False, True, False, True]


def test_code_works_once(google: GoogleStandin) -> None:
    code = choose(page(google), email="ana@example.com")["code"]

    answers = [exchange(google, code), exchange(google, code)]

    assert [answer.status_code for answer in answers] == [200, 400]
    assert answers[1].json()["error"] == "invalid_grant"


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({"redirect_uri": "http://testserver/other"}, "redirect_uri_mismatch"),
        ({"client_id": "stranger"}, "invalid_grant"),
        ({"code_verifier": "w" * 43}, "invalid_grant"),
        ({"code_verifier": ""}, "invalid_grant"),
        ({"code_verifier": VERIFIER}, None),
    ],
    ids=["redirect", "client", "wrong verifier", "no verifier", "right verifier"],
)
def test_code_is_bound_to_its_request(
    google: GoogleStandin, form: dict[str, str], error: str | None
) -> None:
    url = page(google, code_challenge=CHALLENGE, code_challenge_method="S256")
    code = choose(url, email="ana@example.com")["code"]

    answer = exchange(google, code, **form).json()

    assert answer.get("error") == error


def test_client_is_checked_when_clients_are_known(google: GoogleStandin) -> None:
    google.clients = {"client": "right"}
    refresh_token = google.grant("ana@example.com")
    basic = requests.post(
        f"{google.url}/oauth2/token",
        data={"grant_type": "refresh_token", "refresh_token": refresh_token},
        auth=("client", "right"),
        timeout=5,
    )

    wrong = refresh(google, refresh_token, client_secret="wrong")

    assert basic.status_code == 200
    assert (wrong.status_code, wrong.json()["error"]) == (401, "invalid_client")
    assert requests.get(page(google, client_id="stranger"), timeout=5).status_code == 400
