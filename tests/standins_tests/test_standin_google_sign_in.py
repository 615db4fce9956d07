"""Google's sign-in: the page, consent, tokens, profile."""

import base64
import hashlib
from typing import Any

import jwt
import pytest
import requests

from tests.standins import GoogleStandin
from tests.standins_tests.calls import (
    CALENDAR_SCOPE,
    CALLBACK,
    CalendarCaller,
    authorize_url,
    choose,
    problem,
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


def test_account_page_offers_people_the_permission_and_a_way_out(google: GoogleStandin) -> None:
    google.add_person(email="ana@example.com", name="Ana <b>")

    html = requests.get(page(google), timeout=5).text

    assert "Google de prueba" in html
    assert '<button name="email" value="ana@example.com">Ana &lt;b&gt;' in html
    assert 'name="other_email"' in html
    assert 'name="calendar"' in html
    assert ">Cancelar</button>" in html
    assert "style=" not in html
    assert requests.get(f"{google.url}/style.css", timeout=5).status_code == 200


def test_account_page_has_no_tick_box_without_the_calendar(google: GoogleStandin) -> None:
    html = requests.get(page(google, scope="openid email"), timeout=5).text

    assert 'name="calendar"' not in html


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


def test_account_page_wants_an_address(google: GoogleStandin) -> None:
    answer = requests.post(page(google), data={"action": "other", "other_email": ""}, timeout=5)

    assert answer.status_code == 400
    assert "Escribí un correo electrónico." in answer.text


def test_sign_in_returns_state_code_and_a_verifiable_id_token(google: GoogleStandin) -> None:
    google.add_person(email="ana@example.com", name="Ana Paz", picture="http://p/a.png", sub="77")

    answer = sign_in(google, nonce="n-1")

    keys = requests.get(f"{google.url}/oauth2/v3/certs", timeout=5).json()
    key = jwt.PyJWKSet.from_dict(keys)[jwt.get_unverified_header(answer["id_token"])["kid"]]
    claims = jwt.decode(
        answer["id_token"], key, algorithms=["RS256"], audience="client", issuer=google.url
    )
    wanted = {
        "sub": "77",
        "email": "ana@example.com",
        "email_verified": True,
        "name": "Ana Paz",
        "picture": "http://p/a.png",
        "nonce": "n-1",
    }
    assert {name: claims[name] for name in wanted} == wanted


def test_id_token_names_the_address_the_caller_used(google: GoogleStandin) -> None:
    code = choose(page(google), email="ana@example.com")["code"]
    base = google.url.replace("127.0.0.1", "localhost")
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK}

    answer = requests.post(f"{base}/oauth2/token", form, auth=("client", "secret"), timeout=5)

    claims = jwt.decode(answer.json()["id_token"], options={"verify_signature": False})
    assert claims["iss"] == base


def test_sign_in_makes_an_account_for_another_address(google: GoogleStandin) -> None:
    answer = sign_in(google, form={"action": "other", "other_email": "maria.lopez@example.com"})

    profile = requests.get(
        f"{google.url}/oauth2/v2/userinfo",
        headers={"Authorization": f"Bearer {answer['access_token']}"},
        timeout=5,
    ).json()
    assert profile == {
        "id": google.people["maria.lopez@example.com"].sub,
        "email": "maria.lopez@example.com",
        "verified_email": True,
        "name": "Maria Lopez",
        "given_name": "Maria",
    }


def test_cancel_and_deny_end_in_access_denied(google: GoogleStandin) -> None:
    cancelled = choose(page(google), action="cancel")
    google.deny = True
    denied = choose(page(google), email="ana@example.com")

    assert cancelled == denied == {"error": "access_denied", "state": "kept"}


def test_refresh_token_comes_once_or_when_consent_is_asked_again(google: GoogleStandin) -> None:
    answers = [
        sign_in(google, access_type="online"),
        sign_in(google),
        sign_in(google),
        sign_in(google, prompt="consent"),
    ]

    assert ["refresh_token" in answer for answer in answers] == [False, True, False, True]


def test_refresh_token_comes_again_after_it_was_revoked(google: GoogleStandin) -> None:
    google.revoke(sign_in(google)["refresh_token"])

    assert "refresh_token" in sign_in(google)


def test_unticked_calendar_is_missing_from_the_scope(google: GoogleStandin) -> None:
    unticked = sign_in(google, form={"email": "ana@example.com", "granular": "1"})
    google.consent_scopes = {CALENDAR_SCOPE}
    ticked = sign_in(google, form={"email": "ana@example.com", "granular": "1"})
    google.consent_scopes = set()
    refused = sign_in(google)

    basic = {
        "openid",
        "https://www.googleapis.com/auth/userinfo.email",
        "https://www.googleapis.com/auth/userinfo.profile",
    }
    assert set(unticked["scope"].split()) == basic
    assert set(ticked["scope"].split()) == basic | {CALENDAR_SCOPE}
    assert set(refused["scope"].split()) == basic


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


def test_revoked_grant_is_invalid_and_its_access_tokens_are_dead(
    google: GoogleStandin, calendar: CalendarCaller
) -> None:
    refresh_token = google.grant("teacher@example.com", refresh_token="known")
    access_token = refresh(google, refresh_token).json()["access_token"]
    calendar.session.headers["Authorization"] = f"Bearer {access_token}"

    revoked = requests.post(f"{google.url}/oauth2/revoke", data={"token": refresh_token}, timeout=5)

    answer = refresh(google, refresh_token)
    assert revoked.status_code == 200
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
    assert problem(calendar.call("GET")) == (401, "authError")


def test_service_account_exchanges_its_assertion(google: GoogleStandin) -> None:
    claims = {"iss": "robot@project.iam.gserviceaccount.com", "scope": CALENDAR_SCOPE}
    grant_type = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    answer = token(
        google, grant_type=grant_type, assertion=jwt.encode(claims, "k" * 32, algorithm="HS256")
    )
    bad = token(google, grant_type=grant_type, assertion="nonsense")

    assert answer.json()["access_token"].startswith("ya29.")
    assert bad.json()["error"] == "invalid_grant"
