"""Paths about people below ``/api``.

Apart from the pages', so that they are looked through first: each of these is asked for far more
often. allauth reverses plain names, so there is no namespace.
"""

from django.urls import include, path

from accounts.api import auth, profile
from accounts.provider import provider_classes

auth_patterns = [
    path("session", auth.SessionView.as_view(), name="auth_session"),
    path("providers", auth.ProvidersView.as_view(), name="auth_providers"),
    path("csrf", auth.CsrfView.as_view(), name="auth_csrf"),
    path("error", auth.ErrorView.as_view(), name="auth_error"),
    path("_log", auth.LogView.as_view(), name="auth_log"),
    path("signin", auth.SignInView.as_view(), name="auth_sign_in"),
    path("signout", auth.SignOutView.as_view(), name="account_logout"),
    *(
        path(
            f"signin/{provider.id}",
            auth.ProviderSignInView.as_view(),
            {"provider_id": provider.id},
            name=f"{provider.id}_login",
        )
        for provider in provider_classes
    ),
    *(
        path(
            f"callback/{provider.id}",
            auth.CallbackView.as_view(),
            {"provider_id": provider.id},
            name=f"{provider.id}_callback",
        )
        for provider in provider_classes
    ),
]

urlpatterns = [
    path("user-data", profile.UserDataView.as_view(), name="user_data"),
    path("auth/", include(auth_patterns)),
]
