"""The pages a stand-in shows to the person who signs in: choosing an account, errors."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

from tests.standins.messages import Reply

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


def error_page(provider: str, code: str) -> str:
    """Say why the sign-in cannot begin; ``code`` is the provider's word for it."""
    return page(
        provider,
        "Acceso bloqueado",
        f"<p>La aplicación pidió el acceso de una forma no válida.</p>\n"
        f"<p>Error 400: {escape(code)}</p>",
    )


@cache
def style_reply() -> Reply:
    return Reply(
        body=Path(__file__).with_name("style.css").read_bytes(),
        content_type="text/css; charset=utf-8",
    )
