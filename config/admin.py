"""Puts the teacher's panel in the place of Django's plain admin."""

from django.contrib.admin.apps import AdminConfig


class TeacherAdminConfig(AdminConfig):
    """The admin app with the panel as its site."""

    default_site = "bookings.panel.site.TeacherAdminSite"
