"""Google's sign-in endpoints: consent, tokens, profile. OAuth 2.0 and OpenID Connect."""

import json
import secrets
import threading
import time
from typing import Any, ClassVar

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.standins.google.accounts import (
    BASIC_SCOPES,
    CALENDAR_SCOPES,
    LONG_NAMES,
    AccessToken,
    GoogleAccounts,
    Grant,
)
from tests.standins.google.values import refuse_token
from tests.standins.messages import RecordedRequest, Reply, json_reply, page_reply, redirect_reply
from tests.standins.server import Route, route
from tests.standins.sign_in import (
    Choice,
    account_page,
    is_authorization,
    make_code,
    refuse_authorization,
    style_reply,
    with_query,
)

TOKEN_SECONDS = 3599


class GoogleIdentity(GoogleAccounts):
    """Consent page, token endpoint and profile."""

    routes: ClassVar[tuple[Route, ...]] = (
        route("authorize", "GET", "/o/oauth2/v2/auth", "_show_accounts"),
        route("authorize", "POST", "/o/oauth2/v2/auth", "_consent"),
        route("token", "POST", "/oauth2/token", "_token"),
        route("userinfo", "GET", "/oauth2/v2/userinfo", "_userinfo"),
        route("certs", "GET", "/oauth2/v3/certs", "_certs"),
        route("revoke", "POST", "/oauth2/revoke", "_revoke"),
        route("style", "GET", "/style.css", "_style"),
    )

    # --- Consent ------------------------------------------------------------------------------

    def _show_accounts(self, request: RecordedRequest, error: str = "") -> Reply:
        query = request.query
        if not is_authorization(query):
            return refuse_authorization("Google")
        page = account_page(
            "Google",
            [Choice(person.email, person.name) for person in self.people.values()],
            redirect_uri=query["redirect_uri"],
            calendar=not CALENDAR_SCOPES.isdisjoint(query.get("scope", "").split()),
            error=error,
        )
        return page_reply(page, 400 if error else 200)

    def _consent(self, request: RecordedRequest) -> Reply:
        query, form = request.query, request.form
        if not is_authorization(query):
            return refuse_authorization("Google")
        state = query.get("state", "")
        if self.deny or form.get("action") == "cancel":
            return redirect_reply(
                with_query(query["redirect_uri"], error="access_denied", state=state)
            )
        email = (form.get("email") or form.get("other_email") or "").strip()
        if "@" not in email:
            return self._show_accounts(request, error="Escribí un correo electrónico.")
        scopes = self._ticked(request)
        offline = query.get("access_type") == "offline" and self.asks_again(query, email, scopes)
        code = f"4/0A{secrets.token_urlsafe(32)}"
        self._codes[code] = make_code(request, self._person(email).email, scopes, offline=offline)
        return redirect_reply(
            with_query(query["redirect_uri"], state=state, code=code, scope=_spelled(scopes))
        )

    def _ticked(self, request: RecordedRequest) -> frozenset[str]:
        """The scopes the person agrees to. Only the calendar can be left out."""
        asked = frozenset(request.query.get("scope", "").split())
        if self.consent_scopes is not None:
            return asked & (BASIC_SCOPES | frozenset(self.consent_scopes))
        form = request.form
        if form.get("granular") and not form.get("calendar"):
            return asked - CALENDAR_SCOPES
        return asked

    def asks_again(self, query: dict[str, str], email: str, scopes: frozenset[str]) -> bool:
        """Whether Google would show the consent, and so give a new refresh token."""
        agreed = self._consents.get(email.lower(), frozenset())
        return "consent" in query.get("prompt", "").split() or not scopes <= agreed

    # --- Tokens -------------------------------------------------------------------------------

    def _token(self, request: RecordedRequest) -> Reply:
        exchanges = {
            "authorization_code": self._exchange_code,
            "refresh_token": self._refresh,
            "urn:ietf:params:oauth:grant-type:jwt-bearer": self._exchange_assertion,
        }
        exchange = exchanges.get(request.form.get("grant_type", ""))
        if exchange is None:
            refuse_token("unsupported_grant_type")
        return exchange(request)

    def _exchange_code(self, request: RecordedRequest) -> Reply:
        self._check_client(request)
        form = request.form
        code = self._codes.pop(form.get("code", ""), None)
        if code is None or code.is_expired or code.client_id != request.client[0]:
            refuse_token("invalid_grant")
        if form.get("redirect_uri") != code.redirect_uri:
            refuse_token("redirect_uri_mismatch")
        if not code.accepts_verifier(form.get("code_verifier", "")):
            refuse_token("invalid_grant")
        fresh = {}
        if code.offline:
            grant = Grant(code.subject, code.scopes, code.client_id)
            fresh["refresh_token"] = self._add_grant(grant)
        access = AccessToken(
            code.subject, code.scopes, self._expiry(), fresh.get("refresh_token", "")
        )
        return self._token_reply(request, access, code.client_id, code.nonce, fresh)

    def _refresh(self, request: RecordedRequest) -> Reply:
        self._check_client(request)
        token = request.form.get("refresh_token", "")
        grant = self._grants.get(token)
        if grant is None or grant.is_revoked or grant.client_id not in {"", request.client[0]}:
            refuse_token("invalid_grant")
        access = AccessToken(grant.email, grant.scopes, self._expiry(), token)
        return self._token_reply(request, access, request.client[0], "", {})

    def _exchange_assertion(self, request: RecordedRequest) -> Reply:
        """Accept a service account's signed claims; the signature itself is taken on trust.

        https://developers.google.com/identity/protocols/oauth2/service-account
        """
        try:
            claims = jwt.decode(
                request.form.get("assertion", ""),
                options={"verify_signature": False, "verify_exp": True, "verify_aud": False},
            )
            account, scopes = claims["iss"], frozenset(claims["scope"].split())
        except (jwt.InvalidTokenError, KeyError, AttributeError):
            refuse_token("invalid_grant")
        person = self._person(claims.get("sub") or account)
        access = AccessToken(
            person.email, scopes, self._expiry(), is_service_account="sub" not in claims
        )
        token = self._add_access_token(access)
        return json_reply(
            {"access_token": token, "expires_in": TOKEN_SECONDS, "token_type": "Bearer"}
        )

    def _token_reply(
        self,
        request: RecordedRequest,
        access: AccessToken,
        client_id: str,
        nonce: str,
        fresh: dict[str, str],
    ) -> Reply:
        answer: dict[str, Any] = {
            "access_token": self._add_access_token(access),
            "expires_in": TOKEN_SECONDS,
            "token_type": "Bearer",
            **fresh,
        }
        if self.names_scope:
            answer["scope"] = _spelled(access.scopes)
        if "openid" in access.scopes:
            answer["id_token"] = self._id_token(request, access.email, client_id, nonce)
        return json_reply(answer)

    def _id_token(self, request: RecordedRequest, email: str, client_id: str, nonce: str) -> str:
        now = int(time.time())
        # The issuer is the address the caller knows us by: localhost or 127.0.0.1.
        issuer = f"http://{request.headers.get('Host') or self.url.removeprefix('http://')}"
        claims = {
            "iss": issuer,
            "azp": client_id,
            "aud": client_id,
            **self._person(email).claims,
            "iat": now,
            "exp": now + 3600,
        }
        return sign({**claims, "nonce": nonce} if nonce else claims)

    def _check_client(self, request: RecordedRequest) -> None:
        if not request.client[0]:
            refuse_token("invalid_client", 401)

    def _expiry(self) -> float:
        return time.time() + TOKEN_SECONDS

    # --- Profile ------------------------------------------------------------------------------

    def _userinfo(self, request: RecordedRequest) -> Reply:
        claims = self._person(self._access(request).email).claims
        verified = claims.pop("email_verified")
        return json_reply({"id": claims.pop("sub"), "verified_email": verified, **claims})

    def _certs(self, request: RecordedRequest) -> Reply:
        return json_reply(public_keys())

    def _revoke(self, request: RecordedRequest) -> Reply:
        token = request.form.get("token") or request.query.get("token", "")
        access = self._access_tokens.pop(token, None)
        if access is not None and not access.refresh_token:
            self._revoke_person(access.email)
            return json_reply({})
        refresh_token = access.refresh_token if access else token
        if refresh_token in self._grants and not self._grants[refresh_token].is_revoked:
            self.revoke(refresh_token)
        elif access is None:
            refuse_token("invalid_token")
        return json_reply({})

    def _style(self, request: RecordedRequest) -> Reply:
        return style_reply()


def _spelled(scopes: frozenset[str]) -> str:
    return " ".join(sorted(LONG_NAMES.get(scope, scope) for scope in scopes))


KEY_ID = "standin-1"

_lock = threading.Lock()
_keys: list[rsa.RSAPrivateKey] = []


def sign(claims: dict[str, Any]) -> str:
    return jwt.encode(claims, _key(), algorithm="RS256", headers={"kid": KEY_ID})


def public_keys() -> dict[str, Any]:
    """Give the JSON Web Key Set that verifies what ``sign`` signed."""
    key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(_key().public_key()))
    return {"keys": [{**key, "kid": KEY_ID, "alg": "RS256", "use": "sig"}]}


def _key() -> rsa.RSAPrivateKey:
    with _lock:
        if not _keys:
            _keys.append(rsa.generate_private_key(public_exponent=65537, key_size=2048))
        return _keys[0]
