"""Google's and GitHub's sign-in: codes and refresh tokens."""

import base64
import hashlib
from typing import Any

import pytest
import requests

from tests.standins import GitHubStandin, GoogleStandin
from tests.standins_tests.calls import (
    CALENDAR_SCOPE,
    CALLBACK,
    authorize_url,
    choose,
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


def test_refresh_token_comes_once_or_when_consent_is_asked_again(google: GoogleStandin) -> None:
    answers = [
        sign_in(google, access_type="online"),
        sign_in(google),
        sign_in(google),
        sign_in(google, prompt="consent"),
    ]

    assert ["refresh_token" in answer for answer in answers] == [False, True, False, True]


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


GITHUB_SCOPE = "read:user user:email"


def github_page(github: GitHubStandin, **query: str) -> str:
    return authorize_url(f"{github.url}/login/oauth/authorize", **{"scope": GITHUB_SCOPE, **query})


def exchange_at_github(github: GitHubStandin, code: str, **form: str) -> requests.Response:
    return requests.post(
        f"{github.url}/login/oauth/access_token",
        data={"client_id": "client", "client_secret": "secret", "code": code, **form},
        headers={"Accept": "application/json"},
        timeout=5,
    )


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({"code": "unknown"}, "bad_verification_code"),
        ({"client_secret": "wrong"}, "incorrect_client_credentials"),
        ({"redirect_uri": "http://testserver/other"}, "redirect_uri_mismatch"),
        ({"code_verifier": "wrong"}, "bad_verification_code"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_github_s_code_is_bound_to_its_request(
    github: GitHubStandin, form: dict[str, str], error: str
) -> None:
    github.clients = {"client": "secret"}
    url = github_page(github, code_challenge="x" * 43, code_challenge_method="S256")
    code = choose(url, email="ana@example.com")["code"]

    answer = exchange_at_github(github, **{"code": code, **form})

    assert (answer.status_code, answer.json()) == (200, {"error": error})
