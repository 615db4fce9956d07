"""No namespace: allauth reverses plain names."""

from django.urls import path

from accounts import pages

urlpatterns = [
    path("idioma", pages.switch_language, name="switch_language"),
    # bookings answers /inicio; allauth needs this name for it.
    path("inicio", pages.show_sign_in, name="account_login"),
    path("inicio/correo", pages.send_mail_code, name="send_mail_code"),
    path("inicio/correo/codigo", pages.enter_mail_code, name="enter_mail_code"),
    path("inicio/perfil", pages.profile, name="profile"),
    path("inicio/confirmar", pages.confirm_sign_in, name="confirm_sign_in"),
    path("inicio/perfil/desconectar", pages.disconnect, name="disconnect_identity"),
    path("inicio/perfil/cerrar-sesiones", pages.sign_out_everywhere, name="sign_out_everywhere"),
    path("inicio/perfil/cerrar-sesion", pages.sign_out_there, name="sign_out_there"),
    path("inicio/perfil/cerrar-otras", pages.sign_out_elsewhere, name="sign_out_elsewhere"),
]
