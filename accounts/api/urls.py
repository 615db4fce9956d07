"""Paths about people below ``/api``."""

from django.urls import include, path, register_converter
from django.urls.converters import StringConverter

from accounts.api import auth, profile, sign_in
from accounts.provider import oauth_classes


class ProviderConverter(StringConverter):
    regex = "|".join(provider.id for provider in oauth_classes)


register_converter(ProviderConverter, "provider")

auth_patterns = [
    path("session", auth.SessionView.as_view(), name="auth_session"),
    path("providers", auth.ProvidersView.as_view(), name="auth_providers"),
    path("csrf", auth.CsrfView.as_view(), name="auth_csrf"),
    path("error", sign_in.ErrorView.as_view(), name="auth_error"),
    path("_log", auth.LogView.as_view(), name="auth_log"),
    path("signin", sign_in.SignInView.as_view(), name="auth_sign_in"),
    path("signout", sign_in.SignOutView.as_view(), name="account_logout"),
    path(
        "signin/<provider:provider_id>",
        sign_in.ProviderSignInView.as_view(),
        name="provider_sign_in",
    ),
    path(
        "callback/<provider:provider_id>", sign_in.CallbackView.as_view(), name="provider_callback"
    ),
]

urlpatterns = [
    path("user-data", profile.UserDataView.as_view(), name="user_data"),
    path("auth/", include(auth_patterns)),
]
