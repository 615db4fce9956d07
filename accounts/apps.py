"""People: identities, sign-in, preferences."""

from importlib import import_module

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "Personas"

    def ready(self) -> None:
        import_module("accounts.checks")
        import_module("accounts.signals")
