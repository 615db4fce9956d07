"""Reads about people."""

from dataclasses import dataclass

from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers import registry
from django.conf import settings

from accounts.models import User

# The providers' names in allauth, which loads them with the addresses.
GOOGLE, GITHUB, MAIL = "google", "github", "mail"


@dataclass(frozen=True, slots=True)
class Identity:
    """label: the person's address or name at the provider."""

    account_id: int
    provider: str
    provider_name: str
    label: str
    is_of_panel: bool


def find_user_by_email(email: str) -> User | None:
    return User.objects.filter(email=email.lower()).first()


def find_teacher() -> User | None:
    return find_user_by_email(settings.ADMIN_EMAIL)


def find_calendar_owner() -> User | None:
    """Return the administrator with a grant, even a revoked one. Spec: Authentication, 7."""
    granting = User.objects.exclude(provider_refresh_token="")
    return granting.filter(email=settings.ADMIN_EMAIL).first()


def find_calendar_token() -> str | None:
    owner = find_calendar_owner()
    if owner is None or owner.provider_token_revoked_at is not None:
        return None
    return owner.provider_refresh_token


def list_providers() -> dict[str, str]:
    """Return the specification's, names by id, in its order."""
    return {
        provider.id: provider.name
        for provider in registry.get_class_list()
        if provider.uses_apps and all(settings.SOCIALACCOUNT_PROVIDERS[provider.id]["APP"].values())
    }


def list_ways_to_sign_in() -> dict[str, str]:
    """Return those of the pages, names by id: the providers, and a code in a mail."""
    return list_providers() | ({MAIL: _list_names()[MAIL]} if settings.SIGN_IN_BY_MAIL else {})


def _list_names() -> dict[str, str]:
    return {provider.id: str(provider.name) for provider in registry.get_class_list()}


def list_accounts(user: User) -> list[SocialAccount]:
    known = [provider.id for provider in registry.get_class_list()]
    return list(SocialAccount.objects.filter(user=user, provider__in=known).order_by("pk"))


def signs_in_without_google_address(user: User) -> bool:
    """True if the person's address is not known to be a Google account's."""
    accounts = list_accounts(user)
    google = (one for one in accounts if one.provider == GOOGLE)
    # Older rows have no label.
    addresses = {one.extra_data.get("label", user.email).lower() for one in google}
    is_googles = user.email in addresses or user.email.endswith("@gmail.com")
    return bool(accounts) and not is_googles


def list_identities(user: User) -> list[Identity]:
    names = _list_names()
    return [
        Identity(
            account.pk,
            account.provider,
            names[account.provider],
            account.extra_data.get("label", ""),
            user.is_staff and (account.provider, account.uid) == (GOOGLE, user.provider_subject),
        )
        for account in list_accounts(user)
    ]
