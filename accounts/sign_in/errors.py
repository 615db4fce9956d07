"""Texts of NextAuth's error codes."""

from django.utils.translation import gettext_lazy as _

from accounts.sign_in.redirects import ERROR_PAGE, SIGN_IN_PAGE

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
        "No se completó el ingreso: cancelaste el permiso, tu cuenta no tiene un correo verificado "
        "o está suspendida."
    ),
    "Callback": PROVIDER_TROUBLE,
    "Configuration": _("El ingreso no está disponible en este momento."),
    "MissingCSRF": _("La página estuvo abierta demasiado tiempo. Probá de nuevo."),
    "OAuthAccountNotLinked": _(
        "Ya hay una cuenta con ese correo. Ingresá con el otro botón, como la primera vez, y en tu "
        "perfil tocá «Conectar» para sumar la cuenta que probaste recién."
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
