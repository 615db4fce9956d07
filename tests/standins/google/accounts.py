"""Who has a Google account, and what they have allowed: grants and access tokens."""

import hashlib
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tests.standins.google.values import api_error, refuse, token_error
from tests.standins.messages import RecordedRequest
from tests.standins.server import Standin
from tests.standins.sign_in import Code, name_from

CALENDAR_SCOPE = "https://www.googleapis.com/auth/calendar.events"
CALENDAR_SCOPES = frozenset({CALENDAR_SCOPE, "https://www.googleapis.com/auth/calendar"})
# Google repeats the two short scopes by their long names, and they cannot be unticked.
LONG_NAMES = {
    "email": "https://www.googleapis.com/auth/userinfo.email",
    "profile": "https://www.googleapis.com/auth/userinfo.profile",
}
BASIC_SCOPES = frozenset({"openid", *LONG_NAMES, *LONG_NAMES.values()})


@dataclass(frozen=True, slots=True)
class Person:
    sub: str
    email: str
    name: str
    verified: bool
    picture: str

    @property
    def claims(self) -> dict[str, Any]:
        """The profile, under OpenID Connect's names."""
        claims = {
            "sub": self.sub,
            "email": self.email,
            "email_verified": self.verified,
            "name": self.name,
            "given_name": self.name.partition(" ")[0],
        }
        return {**claims, "picture": self.picture} if self.picture else claims


@dataclass(slots=True)
class Grant:
    """What a refresh token stands for."""

    email: str
    scopes: frozenset[str]
    client_id: str = ""
    is_revoked: bool = False


@dataclass(frozen=True, slots=True)
class AccessToken:
    """is_service_account: nobody stands behind it (no domain-wide delegation)."""

    email: str
    scopes: frozenset[str]
    expires_at: float
    refresh_token: str = ""
    is_service_account: bool = False


class GoogleAccounts(Standin):
    """People, grants and tokens.

    Settable at any time: ``consent_scopes`` (what the person ticks; None: what the page says),
    ``deny``, ``names_scope`` (in answers with tokens).
    """

    def _forget(self) -> None:
        super()._forget()
        self.consent_scopes: Iterable[str] | None = None
        self.deny = False
        self.names_scope = True
        self.people: dict[str, Person] = {}
        self._codes: dict[str, Code] = {}
        self._grants: dict[str, Grant] = {}
        self._access_tokens: dict[str, AccessToken] = {}
        # By address alone: Google remembers consent for a project, not for a client id.
        self._consents: dict[str, frozenset[str]] = {}

    def add_person(
        self,
        email: str,
        name: str = "",
        *,
        verified: bool = True,
        sub: str | None = None,
        picture: str = "",
    ) -> Person:
        """Let somebody have an account. Without ``sub`` it follows from the address."""
        number = int.from_bytes(hashlib.sha256(email.lower().encode()).digest()[:8])
        person = Person(
            sub or f"1{number % 10**20:020d}", email, name or name_from(email), verified, picture
        )
        with self.lock:
            self.people[email.lower()] = person
        return person

    def grant(
        self,
        email: str,
        scope: str | Iterable[str] | None = None,
        refresh_token: str | None = None,
    ) -> str:
        """Give a refresh token, as if the person had consented before.

        scope: names parted by spaces, or a collection; by default sign-in and calendar.
        """
        if scope is None:
            scope = ("openid", "email", "profile", CALENDAR_SCOPE)
        scopes = frozenset(scope.split() if isinstance(scope, str) else scope)
        with self.lock:
            self._person(email)
            return self._add_grant(Grant(email, scopes), refresh_token)

    def revoke(self, refresh_token: str) -> None:
        """Take a grant back, as the person can at Google; its access tokens die with it."""
        with self.lock:
            grant = self._grants[refresh_token]
            grant.is_revoked = True
            self._consents.pop(grant.email.lower(), None)
            self._access_tokens = {
                token: access
                for token, access in self._access_tokens.items()
                if access.refresh_token != refresh_token
            }

    def expire_access_tokens(self) -> None:
        """End every access token now; refresh tokens stay."""
        with self.lock:
            self._access_tokens.clear()

    def error_body(self, route_name: str, code: int, reason: str) -> Any:
        if route_name in {"token", "revoke"}:
            return token_error(code, reason)
        return api_error(code, reason)

    def _person(self, email: str) -> Person:
        return self.people.get(email.lower()) or self.add_person(email)

    def _add_grant(self, grant: Grant, refresh_token: str | None = None) -> str:
        token = refresh_token or f"1//0{secrets.token_urlsafe(48)}"
        self._grants[token] = grant
        key = grant.email.lower()
        self._consents[key] = self._consents.get(key, frozenset()) | grant.scopes
        return token

    def _revoke_person(self, email: str) -> None:
        """End all that a person granted: what revoking a token of combined scopes does.

        https://developers.google.com/identity/protocols/oauth2/web-server#incrementalAuth
        """
        self._consents.pop(email.lower(), None)
        for token, grant in self._grants.items():
            if grant.email.lower() == email.lower():
                self.revoke(token)

    def _add_access_token(self, access: AccessToken) -> str:
        token = f"ya29.{secrets.token_urlsafe(48)}"
        self._access_tokens[token] = access
        return token

    def _access(self, request: RecordedRequest) -> AccessToken:
        """Give what the call's access token allows; 401 for one that is unknown or over."""
        access = self._access_tokens.get(request.bearer)
        if access is None or time.time() >= access.expires_at:
            refuse(401)
        return access
