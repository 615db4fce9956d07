"""The Content-Security-Policy of pages."""

from typing import Any

from config.env.environment import Env


def page_policy(env: Env) -> dict[str, Any]:
    """Return the directives, with the origins of sign-in and checkout."""
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
            env.sign_in.google_url or "https://accounts.google.com",
            env.sign_in.github_url or "https://github.com",
            *env.payments.checkout_origins,
        ],
        "base-uri": ["'none'"],
        "object-src": ["'none'"],
        "frame-ancestors": ["'none'"],
        "upgrade-insecure-requests": env.is_https,
    }
