"""What follows from the providers' addresses: allauth's settings and the Content-Security-Policy.

google, github: a stand-in's address; empty for the real provider.
"""

from collections.abc import Sequence
from typing import Any

# Google documents both spellings; allauth's default accepts only the first.
GOOGLE_ISSUERS = ["https://accounts.google.com", "accounts.google.com"]
MERCADOPAGO_API = "https://api.mercadopago.com"
# The checkout signs people in at several hosts.
MERCADOPAGO_SITES = [
    "https://*.mercadopago.com.ar",
    "https://*.mercadopago.com",
    "https://*.mercadolibre.com.ar",
    "https://*.mercadolibre.com",
]


def google_settings(client_id: str, secret: str, google: str) -> dict[str, Any]:
    settings = {
        "APP": {"client_id": client_id, "secret": secret},
        "SCOPE": ["openid", "email", "profile"],
        "OAUTH_PKCE_ENABLED": True,
        "ID_TOKEN_ISSUER": GOOGLE_ISSUERS,
    }
    if not google:
        return settings
    return settings | {
        "AUTHORIZE_URL": f"{google}/o/oauth2/v2/auth",
        "ACCESS_TOKEN_URL": f"{google}/oauth2/token",
        "IDENTITY_URL": f"{google}/oauth2/v2/userinfo",
        "CERTS_URL": f"{google}/oauth2/v3/certs",
        "ID_TOKEN_ISSUER": google,
    }


def github_settings(client_id: str, secret: str, github: str) -> dict[str, Any]:
    settings = {
        "APP": {"client_id": client_id, "secret": secret},
        "SCOPE": ["read:user", "user:email"],
        "OAUTH_PKCE_ENABLED": True,
    }
    return settings | ({"GITHUB_URL": github} if github else {})


def list_checkout_sites(api: str) -> list[str]:
    """Return the sites where students pay, by the address of Mercado Pago's API."""
    return MERCADOPAGO_SITES if api == MERCADOPAGO_API else [api]


def page_policy(
    google: str, github: str, *, checkouts: Sequence[str], is_https: bool
) -> dict[str, Any]:
    """checkouts: sites that people pay at."""
    return {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "manifest-src": ["'self'"],
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
