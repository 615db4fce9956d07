"""Mounts admin, API and pages."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from config.openapi import views as openapi

urlpatterns = [
    path("api/", include("accounts.api_urls")),
    # What people type.
    path("admin", RedirectView.as_view(pattern_name="admin:index"), name="panel"),
    path("admin/", admin.site.urls),
    path("api/docs", openapi.docs, name="api_docs"),
    path("api/openapi.json", openapi.openapi_json, name="openapi"),
    path("", include("bookings.urls")),
    path("", include("accounts.urls")),
    path("", include("calendar_sync.urls")),
]

handler400 = "config.errors.bad_request"
handler403 = "config.errors.forbidden"
handler404 = "config.errors.not_found"
handler500 = "config.errors.server_error"
