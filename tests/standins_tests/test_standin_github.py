"""GitHub: sign-in, profile and addresses."""

from typing import Any

import pytest
import requests

from tests.standins import GitHubStandin
from tests.standins_tests.calls import authorize_url, choose

SCOPE = "read:user user:email"


def page(github: GitHubStandin, **query: str) -> str:
    return authorize_url(f"{github.url}/login/oauth/authorize", **{"scope": SCOPE, **query})


def exchange(github: GitHubStandin, code: str, **form: str) -> requests.Response:
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
def test_code_is_bound_to_its_request(
    github: GitHubStandin, form: dict[str, str], error: str
) -> None:
    github.clients = {"client": "secret"}
    url = page(github, code_challenge="x" * 43, code_challenge_method="S256")
    code = choose(url, email="ana@example.com")["code"]

    answer = exchange(github, **{"code": code, **form})

    assert (answer.status_code, answer.json()) == (200, {"error": error})


def test_code_works_once(github: GitHubStandin) -> None:
    code = choose(page(github), email="ana@example.com")["code"]

    answers: list[Any] = [exchange(github, code).json() for _ in range(2)]

    assert answers[0]["scope"] == "read:user,user:email"
    assert answers[1] == {"error": "bad_verification_code"}
