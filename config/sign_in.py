"""Puts allauth's app for identity providers in its place."""

from allauth.socialaccount import apps


class SocialAccountConfig(apps.SocialAccountConfig):
    """The app, whose providers are loaded with the addresses (``accounts/api_urls.py``).

    allauth loads them at once. But they bring a client for HTTP along, with all that it knows of
    addresses, certificates and alphabets, and only a sign-in needs it.
    """

    def ready(self) -> None:
        """Register allauth's system checks."""
        from allauth.socialaccount import checks  # noqa: F401 - registers them
