"""Paths about people below ``/api``.

Apart from the pages', so that they are looked through first: each of these is asked for far more
often. allauth reverses plain names, so there is no namespace.
"""

from django.urls import include, path

from accounts import api, auth_api
from accounts.provider import provider_classes

auth_patterns = [
    path("session", auth_api.SessionView.as_view(), name="auth_session"),
    path("providers", auth_api.ProvidersView.as_view(), name="auth_providers"),
    path("csrf", auth_api.CsrfView.as_view(), name="auth_csrf"),
    path("error", auth_api.ErrorView.as_view(), name="auth_error"),
    path("_log", auth_api.LogView.as_view(), name="auth_log"),
    path("signin", auth_api.SignInView.as_view(), name="auth_sign_in"),
    path("signout", auth_api.SignOutView.as_view(), name="account_logout"),
    *(
        path(
            f"signin/{provider.id}",
            auth_api.ProviderSignInView.as_view(),
            {"provider_id": provider.id},
            name=f"{provider.id}_login",
        )
        for provider in provider_classes
    ),
    *(
        path(
            f"callback/{provider.id}",
            auth_api.CallbackView.as_view(),
            {"provider_id": provider.id},
            name=f"{provider.id}_callback",
        )
        for provider in provider_classes
    ),
]

urlpatterns = [
    path("user-data", api.UserDataView.as_view(), name="user_data"),
    path("auth/", include(auth_patterns)),
]
