"""Puts the teacher's panel in the place of Django's plain admin."""

from typing import Any

from django.contrib.admin import autodiscover
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core import checks


class TeacherAdminConfig(SimpleAdminConfig):
    """The admin app with our site, whose pages are found when the addresses are loaded.

    Django's own looks for them at once. But they load most of the service, also where nothing is
    shown, as in a command without system checks: ``config/urls.py`` calls ``autodiscover``.
    """

    default_site = "bookings.panel.TeacherAdminSite"

    def ready(self) -> None:
        """Register Django's system checks of an admin."""
        checks.register(check_dependencies, checks.Tags.admin)
        checks.register(check_panel, checks.Tags.admin)


def check_panel(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Check the pages as Django does, once they are there."""
    autodiscover()
    return check_admin_app(app_configs, **kwargs)
