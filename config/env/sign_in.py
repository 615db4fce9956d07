"""The settings of the identity providers."""

from dataclasses import dataclass

from config.env.values import Values

GOOGLE_TOKEN_URL = "https://oauth2.googleapis.com/token"  # noqa: S105 # an address
GOOGLE_REVOKE_URL = "https://oauth2.googleapis.com/revoke"
GITHUB_API_URL = "https://api.github.com"


@dataclass(frozen=True, slots=True, repr=False)
class SignIn:
    """The parsed values; prints none. google_url, github_url: of a stand-in, else empty."""

    auth_provider_id: str
    auth_provider_secret: str
    provider_redirect_uri: str
    github_id: str
    github_secret: str
    google_url: str
    google_token_url: str
    google_revoke_url: str
    github_url: str
    github_api_url: str


def parse_sign_in(read: Values, *, local: bool) -> SignIn:
    """Read the values. local: allow http. Raises ImproperlyConfigured."""
    google_url = read.address("GOOGLE_URL", "", local=local)
    github_url = read.address("GITHUB_URL", "", local=local)
    return SignIn(
        auth_provider_id=read.text("AUTH_PROVIDER_ID"),
        auth_provider_secret=read.text("AUTH_PROVIDER_SECRET"),
        provider_redirect_uri=read.text("PROVIDER_REDIRECT_URI"),
        github_id=read.text("GITHUB_ID"),
        github_secret=read.text("GITHUB_SECRET"),
        google_url=google_url,
        google_token_url=f"{google_url}/oauth2/token" if google_url else GOOGLE_TOKEN_URL,
        google_revoke_url=f"{google_url}/oauth2/revoke" if google_url else GOOGLE_REVOKE_URL,
        github_url=github_url,
        github_api_url=read.address("GITHUB_API_URL", github_url or GITHUB_API_URL, local=local),
    )
