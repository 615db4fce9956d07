"""People: who they are, how they sign in, what they prefer."""

from importlib import import_module

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Registers the app, its receivers and its checks."""

    name = "accounts"
    verbose_name = "Personas"

    def ready(self) -> None:
        """Import the modules whose functions register themselves."""
        import_module("accounts.checks")
        import_module("accounts.signals")
