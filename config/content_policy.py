"""The Content-Security-Policy of pages."""

from collections.abc import Sequence
from typing import Any

MERCADOPAGO_API = "https://api.mercadopago.com"
# The checkout signs people in at several hosts.
MERCADOPAGO_SITES = [
    "https://*.mercadopago.com.ar",
    "https://*.mercadopago.com",
    "https://*.mercadolibre.com.ar",
    "https://*.mercadolibre.com",
]


def list_checkout_sites(api: str) -> list[str]:
    """Return the sites where students pay, by the address of Mercado Pago's API."""
    return MERCADOPAGO_SITES if api == MERCADOPAGO_API else [api]


def page_policy(
    google: str, github: str, *, checkouts: Sequence[str], is_https: bool
) -> dict[str, Any]:
    """google, github: a stand-in's address, else empty. checkouts: sites that people pay at."""
    return {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        # Browsers apply form-action to the redirects that follow a form: to sign in, and to pay.
        "form-action": [
            "'self'",
            google or "https://accounts.google.com",
            github or "https://github.com",
            *checkouts,
        ],
        "base-uri": ["'none'"],
        "object-src": ["'none'"],
        "frame-ancestors": ["'none'"],
        "upgrade-insecure-requests": is_https,
    }
