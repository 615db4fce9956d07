"""GitHub: sign-in, profile and addresses."""

from typing import Any

import pytest
import requests

from tests.standins import Fault, GitHubStandin
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


def call(github: GitHubStandin, path: str, token: str) -> requests.Response:
    return requests.get(
        f"{github.url}{path}", headers={"Authorization": f"token {token}"}, timeout=5
    )


def sign_in(github: GitHubStandin, email: str, **query: str) -> str:
    answer = exchange(github, choose(page(github, **query), email=email)["code"])
    token: str = answer.json()["access_token"]
    return token


def test_sign_in_leads_to_the_profile_and_every_address(github: GitHubStandin) -> None:
    extra: list[str | tuple[str, bool]] = [
        "second@example.com",
        ("unproven@example.com", False),
    ]
    person = github.add_person(
        login="ana", email="ana@example.com", name="Ana", verified=False, extra_emails=extra
    )

    token = sign_in(github, "ana@example.com")

    profile = call(github, "/user", token).json()
    addresses = call(github, "/user/emails", token).json()
    assert (profile["id"], profile["login"], profile["name"]) == (person.id, "ana", "Ana")
    assert profile["email"] is None
    assert [(one["email"], one["primary"], one["verified"]) for one in addresses] == [
        ("ana@example.com", True, False),
        ("second@example.com", False, True),
        ("unproven@example.com", False, False),
    ]


def test_person_keeps_the_id_and_picture_given(github: GitHubStandin) -> None:
    github.add_person(login="ana", email="ana@example.com", user_id=7, avatar_url="http://p/a.png")

    profile = call(github, "/user", sign_in(github, "ana@example.com")).json()

    assert (profile["id"], profile["avatar_url"]) == (7, "http://p/a.png")


def test_account_page_says_it_is_a_standin(github: GitHubStandin) -> None:
    github.add_person(login="ana", email="ana@example.com", name="Ana")

    html = requests.get(page(github), timeout=5).text

    assert "GitHub de prueba" in html
    assert 'value="ana@example.com"' in html
    assert 'name="calendar"' not in html


def test_deny_ends_in_access_denied(github: GitHubStandin) -> None:
    github.deny = True

    answer = choose(page(github), email="ana@example.com")

    assert (answer["error"], answer["state"]) == ("access_denied", "kept")


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


def test_token_comes_as_a_form_unless_json_is_wanted(github: GitHubStandin) -> None:
    code = choose(page(github), email="ana@example.com")["code"]
    form = {"client_id": "client", "client_secret": "secret", "code": code}

    answer = requests.post(f"{github.url}/login/oauth/access_token", data=form, timeout=5)

    assert answer.headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert answer.text.startswith("access_token=gho_")


def test_api_refuses_unknown_tokens_and_missing_scopes(github: GitHubStandin) -> None:
    github.fault("user", Fault.status(503))
    token = sign_in(github, "ana@example.com", scope="read:user")

    answers = [
        call(github, "/user", token),
        call(github, "/user", "unknown"),
        call(github, "/user/emails", token),
    ]

    assert [answer.status_code for answer in answers] == [503, 401, 404]
    assert answers[1].json()["message"] == "Bad credentials"
