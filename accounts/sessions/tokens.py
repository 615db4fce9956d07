"""JWT session tokens."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import jwt
from django.conf import settings
from django.utils import timezone

ALGORITHM = "HS256"
# The clocks of two machines differ.
LEEWAY = timedelta(seconds=15)


@dataclass(frozen=True, slots=True)
class SessionToken:
    """value: the JWT. session_id: the row's key. user_id: None for a stranger."""

    value: str
    session_id: str
    user_id: str | None
    issued_at: datetime
    expires_at: datetime

    @property
    def is_due_for_renewal(self) -> bool:
        """True if older than SESSION_UPDATE_AGE, or from a clock that was ahead.

        Spec: Limits, session update interval.
        """
        age = timezone.now() - self.issued_at
        return age >= settings.SESSION_UPDATE_AGE or age < -LEEWAY


def issue_token(*, session_id: str, user_id: str | None) -> SessionToken:
    """Spec: Authentication, 3."""
    now = timezone.now().replace(microsecond=0)
    expires_at = now + timedelta(seconds=settings.SESSION_COOKIE_AGE)
    claims = {"iss": settings.BASE_URL, "sid": session_id, "iat": now, "exp": expires_at}
    if user_id:
        claims["sub"] = user_id
    value = jwt.encode(claims, signing_key(settings.SECRET_KEY), algorithm=ALGORITHM)
    return SessionToken(value, session_id, user_id, now, expires_at)


def read_token(value: str) -> SessionToken | None:
    """Return None for an invalid token. SECRET_KEY_FALLBACKS are valid keys."""
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        try:
            claims = jwt.decode(
                value,
                signing_key(secret),
                algorithms=[ALGORITHM],  # never the token's own claim
                issuer=settings.BASE_URL,
                leeway=LEEWAY,
                # A future ``iat`` is accepted: a clock that was ahead issued it. Only we sign
                # tokens, and the next use renews this one.
                options={"require": ["iss", "sid", "iat", "exp"], "verify_iat": False},
            )
        except jwt.InvalidSignatureError:
            continue
        except jwt.InvalidTokenError:
            return None
        return SessionToken(
            value=value,
            session_id=str(claims["sid"]),
            user_id=claims.get("sub"),
            issued_at=datetime.fromtimestamp(claims["iat"], UTC),
            expires_at=datetime.fromtimestamp(claims["exp"], UTC),
        )
    return None


def signing_key(secret: str) -> bytes:
    return hashlib.sha256(f"session-token:{secret}".encode()).digest()
