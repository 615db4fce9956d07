"""Paths about people.

No namespace: allauth reverses plain names, of which only those below can be reached.
"""

from django.urls import path

from accounts import api, auth_api, pages
from accounts.provider import provider_classes

urlpatterns = [
    path("idioma", pages.switch_language, name="switch_language"),
    # bookings answers /inicio; this gives its sign-in half the name that allauth knows.
    path("inicio", pages.sign_in, name="account_login"),
    path("inicio/perfil", pages.profile, name="profile"),
    path("inicio/perfil/cerrar-sesiones", pages.sign_out_everywhere, name="sign_out_everywhere"),
    path("inicio/perfil/cerrar-sesion", pages.sign_out_there, name="sign_out_there"),
    path("inicio/perfil/cerrar-otras", pages.sign_out_elsewhere, name="sign_out_elsewhere"),
    path("api/user-data", api.UserDataView.as_view(), name="user_data"),
    path("api/auth/providers", auth_api.ProvidersView.as_view(), name="auth_providers"),
    path("api/auth/session", auth_api.SessionView.as_view(), name="auth_session"),
    path("api/auth/csrf", auth_api.CsrfView.as_view(), name="auth_csrf"),
    path("api/auth/error", auth_api.ErrorView.as_view(), name="auth_error"),
    path("api/auth/_log", auth_api.LogView.as_view(), name="auth_log"),
    path("api/auth/signin", auth_api.SignInView.as_view(), name="auth_sign_in"),
    path("api/auth/signout", auth_api.SignOutView.as_view(), name="account_logout"),
    *(
        path(
            f"api/auth/signin/{provider.id}",
            auth_api.ProviderSignInView.as_view(),
            {"provider_id": provider.id},
            name=f"{provider.id}_login",
        )
        for provider in provider_classes
    ),
    *(
        path(
            f"api/auth/callback/{provider.id}",
            auth_api.CallbackView.as_view(),
            {"provider_id": provider.id},
            name=f"{provider.id}_callback",
        )
        for provider in provider_classes
    ),
]
