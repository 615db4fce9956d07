"""What both providers' OAuth endpoints share: the authorization request, codes and PKCE."""

import base64
import hashlib
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from tests.standins.messages import (
    RecordedRequest,
    Reply,
    page_reply,
)

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


def is_authorization(query: Mapping[str, str]) -> bool:
    """True for an authorization request of OAuth; any client and address are known."""
    return (
        bool(query.get("client_id"))
        and query.get("response_type", "code") == "code"
        and urlsplit(query.get("redirect_uri", "")).scheme in {"http", "https"}
        and query.get("code_challenge_method", "plain") in {"plain", "S256"}
    )


def with_query(uri: str, **values: str) -> str:
    """Add parameters to an address; empty ones are left out."""
    parts = urlsplit(uri)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    pairs += [(name, value) for name, value in values.items() if value]
    return urlunsplit(parts._replace(query=urlencode(pairs)))


def name_from(email: str) -> str:
    """Guess a person's name: ``maria.lopez@x`` is Maria Lopez."""
    return email.partition("@")[0].replace(".", " ").replace("_", " ").title()


_PAGE = """<!doctype html>
<html lang="es">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{title} - {provider} de prueba</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<main>
<p class="note"><strong>{provider} de prueba.</strong>
Esta página imita a {provider}: no pide contraseñas y nada sale de esta computadora.</p>
<h1>{title}</h1>
{content}
</main>
</body>
</html>
"""

_CHOOSER = """<p>para continuar en <strong>{site}</strong></p>
{error}
<form method="post">
<button class="default" name="action" value="other" tabindex="-1" aria-hidden="true"></button>
{permission}<ul>
{people}
</ul>
<label for="other_email">Usar otra cuenta: correo electrónico</label>
<div class="row">
<input type="email" id="other_email" name="other_email" autocomplete="off"
  placeholder="nombre@example.com">
<button name="action" value="other">Continuar</button>
</div>
<button class="cancel" name="action" value="cancel">Cancelar</button>
</form>"""

_PERMISSION = """<input type="hidden" name="granular" value="1">
<div class="tick">
<input type="checkbox" id="calendar" name="calendar" value="1">
<label for="calendar">Ver y editar los eventos de todos tus calendarios</label>
</div>
"""

_PERSON = """<li><button name="email" value="{email}">{name}<small>{email}</small></button></li>"""


@dataclass(frozen=True, slots=True)
class Choice:
    """A person on the account page."""

    email: str
    name: str


def page(provider: str, title: str, content: str) -> str:
    """Give a whole page; ``content`` is HTML."""
    return _PAGE.format(provider=provider, title=escape(title), content=content)


def account_page(
    provider: str,
    people: Sequence[Choice],
    *,
    redirect_uri: str,
    calendar: bool = False,
    error: str = "",
) -> str:
    """Show who may sign in.

    The form is posted to the page's own address, so the OAuth parameters travel along; a script
    needs only ``email=...`` in the body. calendar: offer the permission as a tick box,
    which is empty, as Google shows it.
    """
    content = _CHOOSER.format(
        site=escape(urlsplit(redirect_uri).netloc),
        error=f'<p class="error" role="alert">{escape(error)}</p>' if error else "",
        permission=_PERMISSION if calendar else "",
        people="\n".join(
            _PERSON.format(email=escape(person.email), name=escape(person.name))
            for person in people
        ),
    )
    return page(provider, "Elegí una cuenta", content)


def refuse_authorization(provider: str) -> Reply:
    """Say that the sign-in cannot begin."""
    words = "<p>La aplicación pidió el acceso de una forma no válida.</p>"
    return page_reply(page(provider, "Acceso bloqueado", words), 400)


@cache
def style_reply() -> Reply:
    return Reply(
        body=Path(__file__).with_name("style.css").read_bytes(),
        content_type="text/css; charset=utf-8",
    )
