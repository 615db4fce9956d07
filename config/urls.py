"""The routes of admin, API and pages."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from config.api import views as openapi
from config.web import offline

urlpatterns = [
    path("api/", include("accounts.api.urls")),
    # The address that people type.
    path("admin", RedirectView.as_view(pattern_name="admin:index"), name="panel"),
    path("admin/", admin.site.urls),
    path("api/docs", openapi.DocsView.as_view(), name="api_docs"),
    path("api/openapi.json", openapi.DocumentView.as_view(), name="openapi"),
    path("sin-conexion", offline.show_offline_page, name="offline"),
    path("manifest.webmanifest", offline.serve_manifest, name="manifest"),
    path("service-worker.js", offline.serve_worker, name="service_worker"),
    path("", include("bookings.urls")),
    path("", include("accounts.urls")),
    path("", include("calendar_sync.push")),
]

handler400 = "config.web.errors.bad_request"
handler403 = "config.web.errors.forbidden"
handler404 = "config.web.errors.not_found"
handler500 = "config.web.errors.server_error"
