"""Use the teacher's panel as the admin site."""

from django.contrib.admin.apps import AdminConfig


class TeacherAdminConfig(AdminConfig):
    default_site = "bookings.panel.admin_site.TeacherAdminSite"
