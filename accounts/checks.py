from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks

from accounts.selectors import GITHUB, list_providers
from config.lib.origins import own_origin


@checks.register(checks.Tags.security)
def check_sign_in(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    found: list[checks.CheckMessage] = []
    names = ("AUTH_PROVIDER_ID", "AUTH_PROVIDER_SECRET", "ADMIN_EMAIL")
    if missing := [name for name in names if not getattr(settings, name)]:
        found += _warn(
            "accounts.W001",
            f"{', '.join(missing)}: not set.",
            "Without them no person can sign in with Google, and the calendar stays unconnected.",
        )
    address = urlsplit(settings.PROVIDER_REDIRECT_URI)
    is_ours = f"{address.scheme}://{address.netloc}" == own_origin()
    if settings.PROVIDER_REDIRECT_URI and not (
        is_ours and address.path.startswith("/api/auth/callback/")
    ):
        found += _warn(
            "accounts.W002",
            "PROVIDER_REDIRECT_URI does not lead to BASE_URL/api/auth/callback/:provider.",
            "Every sign-in will end in an error: the session cookie belongs to BASE_URL.",
        )
    return found


@checks.register(checks.Tags.security, deploy=True)
def check_deployment(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Spec: Authentication, 1."""
    found: list[checks.CheckMessage] = []
    if GITHUB not in list_providers():
        text = "GITHUB_ID, GITHUB_SECRET: not set."
        found += _warn("accounts.W003", text, "Sign-in with GitHub is not offered.")
    if settings.BASE_URL.startswith("https://") and not settings.TRUSTED_PROXIES:
        found += _warn(
            "accounts.W004",
            "TRUSTED_PROXIES is 0, though BASE_URL is https.",
            "Behind a proxy all people would share one address, and the limits on it. Set how "
            "many proxies add to X-Forwarded-For, usually 1.",
        )
    hosts = {
        "BASE_URL": urlsplit(settings.BASE_URL).hostname or "",
        "ADMIN_EMAIL": settings.ADMIN_EMAIL,
        "EMAIL_URL": settings.EMAIL_HOST,
    }
    # RFC 2606 reserves the ending: no real host has it.
    if made_up := [name for name, host in hosts.items() if host.endswith(".example")]:
        found += _warn(
            "accounts.W005",
            f"{', '.join(made_up)}: still what .env.example says.",
            "No browser reaches such a host. Put your own in its place.",
        )
    return found


def _warn(name: str, text: str, hint: str) -> list[checks.CheckMessage]:
    return [checks.Warning(text, hint=hint, id=name)]
