"""The identity providers, as allauth configures them.

stand_in: a stand-in's address; empty for the real provider.
"""

from typing import Any

# Google documents both spellings; allauth's default accepts only the first.
GOOGLE_ISSUERS = ["https://accounts.google.com", "accounts.google.com"]


def google_settings(client_id: str, secret: str, stand_in: str) -> dict[str, Any]:
    google = {
        "APP": {"client_id": client_id, "secret": secret},
        "SCOPE": ["openid", "email", "profile"],
        "OAUTH_PKCE_ENABLED": True,
        "ID_TOKEN_ISSUER": GOOGLE_ISSUERS,
    }
    if not stand_in:
        return google
    return google | {
        "AUTHORIZE_URL": f"{stand_in}/o/oauth2/v2/auth",
        "ACCESS_TOKEN_URL": f"{stand_in}/oauth2/token",
        "IDENTITY_URL": f"{stand_in}/oauth2/v2/userinfo",
        "CERTS_URL": f"{stand_in}/oauth2/v3/certs",
        "ID_TOKEN_ISSUER": stand_in,
    }


def github_settings(client_id: str, secret: str, stand_in: str) -> dict[str, Any]:
    github = {
        "APP": {"client_id": client_id, "secret": secret},
        "SCOPE": ["read:user", "user:email"],
        "OAUTH_PKCE_ENABLED": True,
    }
    return github | ({"GITHUB_URL": stand_in} if stand_in else {})
