"""What both providers' OAuth endpoints share: the authorization request, codes and PKCE."""

import base64
import hashlib
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from tests.standins.messages import RecordedRequest

CODE_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Code:
    """An authorization code's memory: who (``subject``) agreed to what, for whom."""

    subject: str
    client_id: str
    redirect_uri: str
    scopes: frozenset[str]
    challenge: str
    challenge_method: str
    nonce: str
    offline: bool
    expires_at: float

    @property
    def is_expired(self) -> bool:
        return time.time() >= self.expires_at

    def accepts_verifier(self, verifier: str) -> bool:
        """Check PKCE (RFC 7636). A verifier nobody announced is refused too."""
        if not self.challenge:
            return not verifier
        if self.challenge_method == "S256":
            digest = hashlib.sha256(verifier.encode()).digest()
            verifier = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        return secrets.compare_digest(verifier, self.challenge)


def make_code(
    request: RecordedRequest, subject: str, scopes: frozenset[str], *, offline: bool = False
) -> Code:
    query = request.query
    return Code(
        subject=subject,
        client_id=query["client_id"],
        redirect_uri=query["redirect_uri"],
        scopes=scopes,
        challenge=query.get("code_challenge", ""),
        challenge_method=query.get("code_challenge_method", "plain"),
        nonce=query.get("nonce", ""),
        offline=offline,
        expires_at=time.time() + CODE_SECONDS,
    )


def authorization_fault(
    query: Mapping[str, str],
    clients: Mapping[str, str] | None,
    redirect_uris: frozenset[str] | None,
) -> str:
    """Name what is wrong with an authorization request, in OAuth's words; empty if nothing is."""
    uri = query.get("redirect_uri", "")
    if not query.get("client_id") or query.get("response_type", "code") != "code":
        return "invalid_request"
    if clients is not None and query["client_id"] not in clients:
        return "invalid_client"
    if urlsplit(uri).scheme not in {"http", "https"}:
        return "invalid_request"
    if redirect_uris is not None and uri not in redirect_uris:
        return "redirect_uri_mismatch"
    if query.get("code_challenge_method", "plain") not in {"plain", "S256"}:
        return "invalid_request"
    return ""


def is_known_client(client: tuple[str, str], clients: Mapping[str, str] | None) -> bool:
    """Check client id and secret; without a list, any id is known."""
    name, secret = client
    if clients is None:
        return bool(name)
    return name in clients and secrets.compare_digest(secret.encode(), clients[name].encode())


def with_query(uri: str, **values: str) -> str:
    """Add parameters to an address; empty ones are left out."""
    parts = urlsplit(uri)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    pairs += [(name, value) for name, value in values.items() if value]
    return urlunsplit(parts._replace(query=urlencode(pairs)))


def name_from(email: str) -> str:
    """Guess a person's name: ``maria.lopez@x`` is Maria Lopez."""
    return email.partition("@")[0].replace(".", " ").replace("_", " ").title()
