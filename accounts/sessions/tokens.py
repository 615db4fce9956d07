"""JWT session tokens: issue and read. Whether one still counts is the session row's word."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import jwt
from django.conf import settings
from django.utils import timezone

ALGORITHM = "HS256"
# Two machines' clocks are never quite the same.
LEEWAY = timedelta(seconds=15)


@dataclass(frozen=True, slots=True)
class SessionToken:
    """A token and what it says.

    value: the encoded JWT. session_id: names the row of accounts.Session. user_id: whose session
    it was when the token was issued, None for a stranger. issued_at, expires_at: whole seconds.
    """

    value: str
    session_id: str
    user_id: str | None
    issued_at: datetime
    expires_at: datetime

    @property
    def is_due_for_renewal(self) -> bool:
        """Whether it is older than the update interval. Spec: Limits, session update interval.

        One from the future was issued by a clock that was ahead, and would live too long.
        """
        age = timezone.now() - self.issued_at
        return age >= settings.SESSION_UPDATE_AGE or age < -LEEWAY


def issue_token(*, session_id: str, user_id: str | None) -> SessionToken:
    """Sign a token that lives ``SESSION_COOKIE_AGE`` seconds. Spec: Authentication, 3."""
    now = timezone.now().replace(microsecond=0)
    expires_at = now + timedelta(seconds=settings.SESSION_COOKIE_AGE)
    claims = {"iss": settings.BASE_URL, "sid": session_id, "iat": now, "exp": expires_at}
    if user_id:
        claims["sub"] = user_id
    value = jwt.encode(claims, _signing_key(settings.SECRET_KEY), algorithm=ALGORITHM)
    return SessionToken(value, session_id, user_id, now, expires_at)


def read_token(value: str) -> SessionToken | None:
    """Give back a token that we signed and that still lives; None for anything else.

    Keys in ``SECRET_KEY_FALLBACKS`` still read, so a key can be changed without signing people out.
    """
    for key in _reading_keys():
        try:
            token = _verify(value, key, settings.BASE_URL)
        except jwt.InvalidSignatureError:
            continue
        except jwt.InvalidTokenError:
            return None
        # Asked each time: what was verified once may have died since.
        return token if token.expires_at > timezone.now() - LEEWAY else None
    return None


@lru_cache(maxsize=4096)
def _verify(value: str, key: bytes, issuer: str) -> SessionToken:
    """Check what never changes again about a token, once for each browser that keeps coming.

    Raises jwt.InvalidTokenError, which is not remembered: forgeries push nobody's token out.
    """
    claims = jwt.decode(
        value,
        key,
        algorithms=[ALGORITHM],  # the token's own word on this is worth nothing
        issuer=issuer,
        leeway=LEEWAY,
        # A future ``iat`` is accepted: a clock that was ahead issued it. Only we sign tokens, and
        # the next use renews this one.
        options={"require": ["iss", "sid", "iat", "exp"], "verify_iat": False},
    )
    return SessionToken(
        value=value,
        session_id=str(claims["sid"]),
        user_id=claims.get("sub"),
        issued_at=datetime.fromtimestamp(claims["iat"], UTC),
        expires_at=datetime.fromtimestamp(claims["exp"], UTC),
    )


def _reading_keys() -> Iterator[bytes]:
    yield _signing_key(settings.SECRET_KEY)
    for secret in settings.SECRET_KEY_FALLBACKS:
        yield _signing_key(secret)


@lru_cache(maxsize=8)
def _signing_key(secret: str) -> bytes:
    """Derive a key of its own, so nothing else that SECRET_KEY signs can pass as a session."""
    return hashlib.sha256(f"session-token:{secret}".encode()).digest()
