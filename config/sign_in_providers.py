"""The identity providers, as allauth configures them."""

from typing import Any

from config.env.sign_in import SignIn

# Google documents both spellings; allauth's default accepts only the first.
GOOGLE_ISSUERS = ["https://accounts.google.com", "accounts.google.com"]


def provider_settings(sign_in: SignIn) -> dict[str, dict[str, Any]]:
    """Return SOCIALACCOUNT_PROVIDERS; ``sign_in.authorization`` adds the calendar's scope."""
    return {"google": _google(sign_in), "github": _github(sign_in)}


def _google(sign_in: SignIn) -> dict[str, Any]:
    google = {
        "APP": {"client_id": sign_in.auth_provider_id, "secret": sign_in.auth_provider_secret},
        "SCOPE": ["openid", "email", "profile"],
        "OAUTH_PKCE_ENABLED": True,
        "ID_TOKEN_ISSUER": GOOGLE_ISSUERS,
    }
    if not sign_in.google_url:
        return google
    return google | {
        "AUTHORIZE_URL": f"{sign_in.google_url}/o/oauth2/v2/auth",
        "ACCESS_TOKEN_URL": sign_in.google_token_url,
        "IDENTITY_URL": f"{sign_in.google_url}/oauth2/v2/userinfo",
        "CERTS_URL": f"{sign_in.google_url}/oauth2/v3/certs",
        "ID_TOKEN_ISSUER": sign_in.google_url,
    }


def _github(sign_in: SignIn) -> dict[str, Any]:
    github = {
        "APP": {"client_id": sign_in.github_id, "secret": sign_in.github_secret},
        "SCOPE": ["read:user", "user:email"],
        "OAUTH_PKCE_ENABLED": True,
    }
    return github | ({"GITHUB_URL": sign_in.github_url} if sign_in.github_url else {})
