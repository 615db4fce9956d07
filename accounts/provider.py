"""The providers of identities, where allauth looks: ``<app>.provider.provider_classes``."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urljoin

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialToken
from allauth.socialaccount.providers.base import Provider
from allauth.socialaccount.providers.github import provider as github_provider
from allauth.socialaccount.providers.github import views as github_views
from allauth.socialaccount.providers.google import provider as google_provider
from allauth.socialaccount.providers.google import views as google_views
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2Adapter
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.selectors import MAIL
from accounts.sign_in import claims

PLACEHOLDER = ":provider"


def callback_address(provider_id: str) -> str:
    """Without ``:provider``, PROVIDER_REDIRECT_URI is Google's alone.

    Spec: Authentication, 8.
    """
    configured = settings.PROVIDER_REDIRECT_URI
    if configured and (PLACEHOLDER in configured or provider_id == GoogleProvider.id):
        return configured.replace(PLACEHOLDER, provider_id)
    return urljoin(settings.BASE_URL, f"/api/auth/callback/{provider_id}")


@contextmanager
def _unusable_answers_refused() -> Iterator[None]:
    try:
        yield
    except (
        ArithmeticError,
        AttributeError,
        ImproperlyConfigured,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise OAuth2Error("The provider's answer could not be used.") from error


class _CarefulAdapter(OAuth2Adapter):
    get_access_token_data = _unusable_answers_refused()(OAuth2Adapter.get_access_token_data)

    def get_callback_url(self, request: HttpRequest, app: Any) -> str:
        return callback_address(self.provider_id)

    @_unusable_answers_refused()
    def parse_token(self, data: Any) -> SocialToken:
        """Keep the granted scopes; None if the answer names none."""
        token: SocialToken = super().parse_token(data)
        token.granted_scopes = frozenset(data["scope"].split()) if "scope" in data else None
        return token


class GoogleAdapter(_CarefulAdapter, google_views.GoogleOAuth2Adapter):
    complete_login = _unusable_answers_refused()(google_views.GoogleOAuth2Adapter.complete_login)


class GitHubAdapter(_CarefulAdapter, github_views.GitHubOAuth2Adapter):
    """allauth expects the API of another host below ``/api/v3``."""

    complete_login = _unusable_answers_refused()(github_views.GitHubOAuth2Adapter.complete_login)

    profile_url = f"{settings.GITHUB_API_URL}/user"
    emails_url = f"{settings.GITHUB_API_URL}/user/emails"


class GoogleProvider(google_provider.GoogleProvider):
    """Spec: Authentication, 1 and 2."""

    oauth2_adapter_class = GoogleAdapter

    def extract_uid(self, data: dict[str, Any]) -> str:
        return claims.subject(data["sub"] if "sub" in data else data["id"])

    def extract_common_fields(self, data: dict[str, Any]) -> dict[str, str]:
        return {
            "name": claims.text(data.get("name")),
            "image": claims.picture(data.get("picture")),
        }

    def extract_email_addresses(self, data: dict[str, Any]) -> list[EmailAddress]:
        # The id token and the userinfo endpoint name it differently.
        is_verified = data.get("email_verified", data.get("verified_email")) is True
        return claims.verified_addresses(data.get("email"), is_verified=is_verified)

    def extract_extra_data(self, data: dict[str, Any]) -> dict[str, str]:
        return {"label": claims.text(data.get("email"))}


class GitHubProvider(github_provider.GitHubProvider):
    """Spec: Authentication, 1."""

    oauth2_adapter_class = GitHubAdapter

    def extract_uid(self, data: dict[str, Any]) -> str:
        return claims.subject(data["id"])

    def extract_common_fields(self, data: dict[str, Any]) -> dict[str, str]:
        return {
            "name": claims.text(data.get("name")) or claims.text(data.get("login")),
            "image": claims.picture(data.get("avatar_url")),
        }

    def extract_email_addresses(self, data: dict[str, Any]) -> list[EmailAddress]:
        """Return the primary address; a secondary one may be another person's."""
        for entry in data.get("emails", []):
            if entry.get("primary") is True:
                return claims.verified_addresses(
                    entry.get("email"), is_verified=entry.get("verified") is True
                )
        return []

    def extract_extra_data(self, data: dict[str, Any]) -> dict[str, str]:
        return {"label": claims.text(data.get("login"))}


class MailProvider(Provider):
    """A mail address, which a code has proven: ``sign_in/mail_code.py``. No API names it."""

    id = MAIL
    name = _("Correo")
    uses_apps = False

    def extract_uid(self, data: dict[str, str]) -> str:
        return claims.subject(data["email"])

    def extract_common_fields(self, data: dict[str, str]) -> dict[str, str]:
        return {"name": data["name"], "image": ""}

    def extract_email_addresses(self, data: dict[str, str]) -> list[EmailAddress]:
        return claims.verified_addresses(data["email"], is_verified=True)

    def extract_extra_data(self, data: dict[str, str]) -> dict[str, str]:
        return {"label": data["email"]}


# Those of the specification.
oauth_classes: list[type[GoogleProvider | GitHubProvider]] = [GoogleProvider, GitHubProvider]
provider_classes: list[type[Provider]] = [*oauth_classes, MailProvider]
