"""Redirects of sign-in, and the texts of NextAuth's error codes."""

from urllib.parse import urlencode, urljoin, urlsplit, urlunsplit

from django.conf import settings
from django.http import HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _

from config.lib.addresses import own_origin

ERROR_PAGE = "/"
SIGN_IN_PAGE = "/inicio"
MAX_LENGTH = 2_000


def local_path(address: str | None, *, default: str) -> str:
    """Reduce an address to a path of this service, or ``default``."""
    if not address or len(address) > MAX_LENGTH or not address.isprintable():
        return default
    try:
        parts = urlsplit(address)
    except ValueError:
        return default
    if f"{parts.scheme}://{parts.netloc}" == own_origin():
        address = urlunsplit(parts._replace(scheme="", netloc="")) or "/"
    if not address.startswith("/") or not url_has_allowed_host_and_scheme(
        address, allowed_hosts=None
    ):
        return default
    return address


def absolute(path: str) -> str:
    return urljoin(settings.BASE_URL, path)


def error_redirect(
    code: str, *, page: str = ERROR_PAGE, next_path: str = ""
) -> HttpResponseRedirect:
    """next_path: where the sign-in page leads on. Spec: Authentication, 4."""
    query = ({"callbackUrl": next_path} if next_path else {}) | {"error": code}
    return HttpResponseRedirect(f"{page}?{urlencode(query)}")


GENERAL = _("No pudimos iniciar tu sesión. Probá de nuevo.")
PROVIDER_TROUBLE = _(
    "El proveedor no respondió como esperábamos. Esperá un momento y probá de nuevo."
)
TEXTS = {
    "AnotherAccount": _(
        "Esa es otra cuenta. Para confirmar que sos vos, elegí la misma con la que ingresaste."
    ),
    "PanelIdentity": _(
        "A una cuenta que abre el panel se ingresa solo con su cuenta de Google, y no se le "
        "conecta ninguna otra."
    ),
    "AccessDenied": _(
        "No se completó el ingreso: tu cuenta no tiene un correo verificado o está suspendida."
    ),
    "Cancelled": _("Cancelaste el ingreso. Podés probar de nuevo cuando quieras."),
    "Callback": PROVIDER_TROUBLE,
    "Configuration": _("El ingreso no está disponible en este momento."),
    "MissingCSRF": _("La página estuvo abierta demasiado tiempo. Probá de nuevo."),
    "OAuthAccountNotLinked": _(
        "Ya hay una cuenta con ese correo. Ingresá como la primera vez, y en tu perfil tocá "
        "«Conectar» para sumar la cuenta que probaste recién."
    ),
    "OAuthCallback": PROVIDER_TROUBLE,
    "OAuthCallbackError": PROVIDER_TROUBLE,
    "OAuthCreateAccount": _("No pudimos crear tu cuenta. Probá de nuevo."),
    "OAuthSignin": PROVIDER_TROUBLE,
    "SessionRequired": _("Ingresá para ver esa página."),
}
# Shown on the sign-in page, where the person can try again.
SIGN_IN_CODES = frozenset(TEXTS) - {"AccessDenied", "Configuration"}


def error_text(code: str | None) -> str:
    return str(TEXTS.get(code, GENERAL)) if code else ""


def page_for(code: str) -> str:
    return SIGN_IN_PAGE if code in SIGN_IN_CODES else ERROR_PAGE
