"""The JWT in the session cookie: what is issued, and what is refused."""

import base64
import json
from datetime import UTC, datetime, timedelta

import jwt
import pytest
from django.conf import settings
from django.utils import timezone

from accounts.sessions.tokens import _signing_key, issue_token, read_token

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def forge(key: bytes | str | None = None, headers: dict | None = None, **claims) -> str:
    """Sign claims that are right except for what is given; None drops one."""
    now = timezone.now()
    usual = {
        "iss": settings.BASE_URL,
        "sid": "a" * 32,
        "sub": "someone",
        "iat": now,
        "exp": now + timedelta(days=30),
    }
    kept = {name: value for name, value in {**usual, **claims}.items() if value is not None}
    return jwt.encode(kept, key or _signing_key(settings.SECRET_KEY), "HS256", headers=headers)


def test_token_says_whose_session_it_is_and_until_when(time_machine):
    time_machine.move_to(NOW, tick=False)

    token = issue_token(session_id="abc", user_id="ana")

    claims = jwt.decode(token.value, options={"verify_signature": False})
    assert claims == {
        "iss": "http://testserver",
        "sid": "abc",
        "sub": "ana",
        "iat": int(NOW.timestamp()),
        "exp": int(NOW.timestamp()) + 2_592_000,
    }


def test_token_is_read_back_as_it_was_issued():
    token = issue_token(session_id="abc", user_id="ana")

    assert read_token(token.value) == token


def test_stranger_s_token_names_nobody():
    token = issue_token(session_id="abc", user_id=None)

    assert "sub" not in jwt.decode(token.value, options={"verify_signature": False})
    assert read_token(token.value) == token


def test_token_is_due_for_renewal_after_twelve_hours(time_machine):
    time_machine.move_to(NOW, tick=False)
    token = issue_token(session_id="abc", user_id="ana")

    time_machine.move_to(NOW + timedelta(seconds=43_199), tick=False)
    before = token.is_due_for_renewal
    time_machine.move_to(NOW + timedelta(seconds=43_200), tick=False)

    assert (before, token.is_due_for_renewal) == (False, True)


def test_token_of_a_clock_that_was_ahead_counts_and_is_due_for_renewal(time_machine):
    time_machine.move_to(NOW + timedelta(days=1), tick=False)
    value = issue_token(session_id="abc", user_id="ana").value

    time_machine.move_to(NOW, tick=False)
    token = read_token(value)

    assert token is not None
    assert token.is_due_for_renewal


def test_token_dies_after_thirty_days(time_machine):
    time_machine.move_to(NOW, tick=False)
    token = issue_token(session_id="abc", user_id="ana")

    time_machine.move_to(NOW + timedelta(days=30, seconds=-1), tick=False)
    alive = read_token(token.value)
    time_machine.move_to(NOW + timedelta(days=30, seconds=16), tick=False)

    assert alive == token
    assert read_token(token.value) is None


def test_rotated_key_still_reads_and_a_dropped_one_does_not(settings):
    token = issue_token(session_id="abc", user_id="ana")

    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "a-new-key"
    rotated = read_token(token.value)
    settings.SECRET_KEY_FALLBACKS = []

    assert rotated == token
    assert read_token(token.value) is None


def unsigned() -> str:
    """Make a token with ``alg: none``."""
    _header, payload, _ = forge().split(".")
    head = base64.urlsafe_b64encode(json.dumps({"alg": "none", "typ": "JWT"}).encode())
    return f"{head.rstrip(b'=').decode()}.{payload}."


def flipped() -> str:
    """Change one bit of the payload."""
    header, payload, signature = forge().split(".")
    changed = chr(ord(payload[10]) ^ 1)
    return f"{header}.{payload[:10]}{changed}{payload[11:]}.{signature}"


FORGERIES = {
    "empty": lambda: "",
    "dots": lambda: "a.b.c",
    "ten kilobytes": lambda: "x" * 10_240,
    "alg none": unsigned,
    "other key": lambda: forge(key="another-key-of-thirty-two-bytes!"),
    "the secret key itself": lambda: forge(key=settings.SECRET_KEY),
    "other algorithm": lambda: jwt.encode(
        {"sid": "a"}, _signing_key(settings.SECRET_KEY) * 2, "HS512"
    ),
    "flipped bit": flipped,
    "expired": lambda: forge(exp=timezone.now() - timedelta(minutes=1)),
    "other issuer": lambda: forge(iss="https://evil.example"),
    "an audience": lambda: forge(aud="somebody"),
    "no sid": lambda: forge(sid=None),
    "no iat": lambda: forge(iat=None),
    "number as sub": lambda: forge(sub=5),
}


@pytest.mark.parametrize("make", FORGERIES.values(), ids=FORGERIES)
def test_forgery_is_refused(make):
    assert read_token(make()) is None


@pytest.mark.parametrize(
    "headers",
    [
        {"kid": "../../etc/passwd"},
        {"jku": "http://127.0.0.1:1/keys"},
        {"x5u": "http://127.0.0.1:1/cert"},
        {"jwk": {"kty": "oct", "k": "AAAA"}},
    ],
    ids=["kid", "jku", "x5u", "jwk"],
)
def test_key_that_a_header_points_at_is_not_used(headers):
    assert read_token(forge(key="another-key-of-thirty-two-bytes!", headers=headers)) is None
