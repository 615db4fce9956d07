"""System checks of sign-in."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks

from accounts.selectors import GITHUB, list_providers
from config.lib.origins import own_origin


@checks.register(checks.Tags.security)
def check_identity_provider(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    values = {
        "AUTH_PROVIDER_ID": settings.AUTH_PROVIDER_ID,
        "AUTH_PROVIDER_SECRET": settings.AUTH_PROVIDER_SECRET,
        "ADMIN_EMAIL": settings.ADMIN_EMAIL,
    }
    missing = ", ".join(name for name, value in values.items() if not value)
    if not missing:
        return []
    return _warn(
        "accounts.W001",
        f"{missing}: not set.",
        "Without them no person can sign in with Google, and the calendar stays unconnected.",
    )


@checks.register(checks.Tags.security)
def check_redirect_address(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    address = urlsplit(settings.PROVIDER_REDIRECT_URI)
    if not address.geturl() or (
        f"{address.scheme}://{address.netloc}" == own_origin()
        and address.path.startswith("/api/auth/callback/")
    ):
        return []
    return _warn(
        "accounts.W002",
        "PROVIDER_REDIRECT_URI does not lead to BASE_URL/api/auth/callback/:provider.",
        "Every sign-in will end in an error: the session cookie belongs to BASE_URL.",
    )


@checks.register(checks.Tags.security, deploy=True)
def check_second_provider(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Warn if GitHub is not offered. Spec: Authentication, 1."""
    if GITHUB in {provider.id for provider in list_providers()}:
        return []
    return _warn(
        "accounts.W003", "GITHUB_ID, GITHUB_SECRET: not set.", "Sign-in with GitHub is not offered."
    )


@checks.register(checks.Tags.security, deploy=True)
def check_trusted_proxies(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    if settings.TRUSTED_PROXIES or not settings.BASE_URL.startswith("https://"):
        return []
    return _warn(
        "accounts.W004",
        "TRUSTED_PROXIES is 0, though BASE_URL is https.",
        "Behind a proxy all people would share one address, and the limits on it. Set how "
        "many proxies add to X-Forwarded-For, usually 1.",
    )


@checks.register(checks.Tags.security, deploy=True)
def check_placeholders(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Warn about hosts of .env.example; by RFC 2606 no real host ends with ".example"."""
    hosts = {
        "BASE_URL": urlsplit(settings.BASE_URL).hostname or "",
        "ADMIN_EMAIL": settings.ADMIN_EMAIL,
        "EMAIL_URL": settings.EMAIL_HOST,
    }
    made_up = ", ".join(name for name, host in hosts.items() if host.endswith(".example"))
    if not made_up:
        return []
    return _warn(
        "accounts.W005",
        f"{made_up}: still what .env.example says.",
        "No browser reaches such a host. Put your own in its place.",
    )


def _warn(name: str, text: str, hint: str) -> list[checks.CheckMessage]:
    return [checks.Warning(text, hint=hint, id=name)]
