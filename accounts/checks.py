"""System checks of sign-in."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks

from accounts.selectors import GITHUB, list_providers
from config.lib.addresses import own_origin


@checks.register(checks.Tags.security)
def check_sign_in(app_configs: Any, **kwargs: Any) -> Iterator[checks.CheckMessage]:
    names = ("AUTH_PROVIDER_ID", "AUTH_PROVIDER_SECRET", "ADMIN_EMAIL")
    if missing := [name for name in names if not getattr(settings, name)]:
        yield checks.Warning(
            f"{', '.join(missing)}: not set.",
            hint="Without them no person can sign in with Google, and the calendar stays "
            "unconnected.",
            id="accounts.W001",
        )
    address = urlsplit(settings.PROVIDER_REDIRECT_URI)
    is_ours = f"{address.scheme}://{address.netloc}" == own_origin()
    if settings.PROVIDER_REDIRECT_URI and not (
        is_ours and address.path.startswith("/api/auth/callback/")
    ):
        yield checks.Warning(
            "PROVIDER_REDIRECT_URI does not lead to BASE_URL/api/auth/callback/:provider.",
            hint="Every sign-in will end in an error: the session cookie belongs to BASE_URL.",
            id="accounts.W002",
        )


@checks.register(checks.Tags.security, deploy=True)
def check_deployment(app_configs: Any, **kwargs: Any) -> Iterator[checks.CheckMessage]:
    """Spec: Authentication, 1."""
    if GITHUB not in list_providers():
        yield checks.Warning(
            "GITHUB_ID, GITHUB_SECRET: not set.",
            hint="Sign-in with GitHub is not offered.",
            id="accounts.W003",
        )
    if settings.BASE_URL.startswith("https://") and not settings.TRUSTED_PROXIES:
        yield checks.Warning(
            "TRUSTED_PROXIES is 0, though BASE_URL is https.",
            hint="Behind a proxy all people would share one address, and the limits on it. Set how "
            "many proxies add to X-Forwarded-For, usually 1.",
            id="accounts.W004",
        )
    hosts = {
        "BASE_URL": urlsplit(settings.BASE_URL).hostname or "",
        "ADMIN_EMAIL": settings.ADMIN_EMAIL,
        "EMAIL_URL": settings.EMAIL_HOST,
    }
    # RFC 2606 reserves the ending: no real host has it.
    if made_up := [name for name, host in hosts.items() if host.endswith(".example")]:
        yield checks.Warning(
            f"{', '.join(made_up)}: still what .env.example says.",
            hint="No browser reaches such a host. Put your own in its place.",
            id="accounts.W005",
        )
