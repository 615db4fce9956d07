"""``/privacidad``: the stored data and how long it is kept; data export and erasure."""

from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.selectors import list_ways_to_sign_in
from accounts.sessions.open_sessions import sign_out
from accounts.sessions.requests import SignedInRequest
from bookings.domain.exceptions import BookingError
from bookings.domain.people.personal_data import erase_person, export_person, list_claims
from bookings.domain.sales.notifications import RELATED_LIFE, UNRELATED_LIFE
from bookings.domain.sales.receipts import RECEIPT_LIFE
from bookings.pages.access import signed_in
from bookings.pages.forms import DeleteAccountForm
from bookings.payments.backend import name_provider, pays_online
from bookings.templatetags.class_times import duration

# A cookie's name, purpose and age; or what is stored, in detail, and for how long.
Row = tuple[str, str, str]


@require_safe
def show_privacy(request: HttpRequest) -> HttpResponse:
    providers = settings.SOCIALACCOUNT_PROVIDERS
    context = {
        "teacher_email": settings.ADMIN_EMAIL,
        "providers": list_ways_to_sign_in(),
        "google_scopes": " ".join(providers["google"].get("SCOPE", [])),
        "github_scopes": " ".join(providers["github"].get("SCOPE", [])),
        "calendar_scope": settings.CALENDAR_SCOPE,
        "meet_scope": settings.MEET_SCOPE if settings.MEET_ACCESS == "open" else "",
        "asks_everyone_for_calendar": settings.CALENDAR_CONSENT == "everyone",
        "has_online_payments": pays_online(),
        "has_error_reports": settings.HAS_ERROR_REPORTS,
        "stored_data": list_stored_data(),
        "cookies": list_cookies(),
    }
    return render(request, "bookings/privacy.html", context)


def list_cookies() -> list[Row]:
    return [
        (
            settings.SESSION_COOKIE_NAME,
            _(
                "Recuerda que ingresaste, y antes de eso el horario que elegiste, la clase que "
                "vas a pagar o el correo al que te mandamos un código."
            ),
            _say(settings.SESSION_COOKIE_AGE),
        ),
        (
            settings.CSRF_COOKIE_NAME,
            _("Protege los formularios de otros sitios."),
            _say(settings.CSRF_COOKIE_AGE),
        ),
        (
            settings.LANGUAGE_COOKIE_NAME,
            _("Recuerda el idioma que elegiste."),
            _say(settings.LANGUAGE_COOKIE_AGE),
        ),
        (
            settings.MESSAGE_COOKIE_NAME,
            _("Lleva un mensaje a la página siguiente, como «Guardamos tus datos»."),
            _("hasta que lo ves"),
        ),
    ]


def _say(seconds: int) -> str:
    return duration(timedelta(seconds=seconds))


def list_stored_data() -> list[Row]:
    return [
        *_list_account_data(),
        _describe_written_down(),
        *_list_class_data(),
        *_list_words(),
        *_list_records(),
    ]


def _list_account_data() -> list[Row]:
    session_age = _say(settings.SESSION_COOKIE_AGE)
    return [
        (
            _("Tu cuenta"),
            _(
                "Nombre, correo y foto; lo que completes en tu perfil (localidad, nivel, teléfono, "
                "novedades, idioma); cuántas clases tomaste; cuándo te sumaste y cuándo "
                "ingresaste por última vez."
            ),
            _("Hasta que borrás tu cuenta."),
        ),
        (
            _("Notas sobre vos"),
            _(
                "Lo que quien da las clases anota para prepararlas. En las páginas las ve solo esa "
                "persona; a vos te las damos con tus datos."
            ),
            _("Hasta que borrás tu cuenta."),
        ),
        (
            _("Cómo ingresás"),
            _(
                "Con qué cuenta o correo ingresás, el número que te identifica ahí y su correo. "
                "Nunca una clave."
            ),
            _("Hasta que desconectás esa cuenta o borrás la tuya."),
        ),
        (
            _("Tus sesiones"),
            _("Qué navegador usás, desde cuándo y cuándo fue la última vez."),
            _("%(age)s sin uso, o hasta que cerrás la sesión.") % {"age": session_age},
        ),
    ]


def _describe_written_down() -> Row:
    return (
        _("Si te anotan sin cuenta"),
        _(
            "Tu nombre y tu teléfono o correo, como los escribió quien da las clases, y el "
            "enlace de cada clase: desde cuándo, y quién la tomó con su cuenta."
        ),
        _(
            "Hasta que quien da las clases dice que la cuenta es tuya, o dos semanas después de la "
            "última clase que tomaste así; y siempre que pidas que los borremos."
        ),
    )


def _list_class_data() -> list[Row]:
    return [
        (
            _("Tus clases"),
            _(
                "Día, tipo, precio, código de descuento, qué querés practicar, quiénes participan, "
                "si alguien faltó, y quién cambió qué."
            ),
            _(
                "Al borrar tu cuenta: las que se dieron o tienen un pago pedido quedan sin tu "
                "nombre ni lo que escribiste; las demás se borran."
            ),
        ),
        (
            _("Horarios guardados"),
            _("El horario que te guardamos mientras pagás."),
            _("Hasta que vence el plazo que ves en la página."),
        ),
        (
            _("Lugares en clases abiertas"),
            _("De qué clase, cuánto costó, y si lo pagaste o lo dejaste."),
            _(
                "Los que no se pagan, hasta que borrás tu cuenta. Los pagados quedan, sin tu "
                "nombre."
            ),
        ),
        (
            _("Lista de espera"),
            _("De qué clase, desde cuándo, y si te ofrecimos un lugar."),
            _("Hasta que borrás tu cuenta."),
        ),
    ]


def _list_words() -> list[Row]:
    return [
        (
            _("Lo que dijiste de las clases"),
            _(
                "Si diste permiso, una frase tuya con tu nombre de pila, a la vista en la página "
                "de quien da las clases."
            ),
            _("Hasta que pedís que la saquemos."),
        ),
        (
            _("Correos que te mandamos"),
            _(
                "De qué tratan, por qué clase y cuándo salieron. El texto no se guarda, salvo el "
                "de los mensajes que escribe quien da las clases."
            ),
            _("Hasta que borrás tu cuenta."),
        ),
    ]


def _list_records() -> list[Row]:
    lives = {"related": duration(RELATED_LIFE), "unrelated": duration(UNRELATED_LIFE)}
    return [
        (
            _("Tus pagos"),
            _(
                "Importe, estado, fecha, medio de pago, su número y lo que se devolvió. "
                "Nunca una tarjeta."
            ),
            _("Quedan, sin tu nombre: son las cuentas de quien vende."),
        ),
        (
            _("Tus transferencias"),
            _(
                "Importe, fecha, número de operación, si llegó, y la foto del comprobante si la "
                "mandaste."
            ),
            _(
                "Quedan, sin tu nombre; las que no llegaron se borran con tu cuenta. La foto, a "
                "los %(age)s o con tu cuenta."
            )
            % {"age": duration(RECEIPT_LIFE)},
        ),
        (
            _("Avisos de %(provider)s") % {"provider": name_provider()},
            _("Números de pagos y de órdenes, sin datos tuyos."),
            _("%(related)s; los que no son de un pago de acá, %(unrelated)s.") % lives,
        ),
        (
            _("Avisos a otros sistemas"),
            _(
                "Si quien da las clases conecta otro programa, recibe números internos, horarios y "
                "precios de las clases, sin nombres ni correos."
            ),
            _("%(age)s.") % {"age": duration(settings.WEBHOOK_RETENTION)},
        ),
        (
            _("Lo que se hace en el panel"),
            _("Cada cambio que hace quien da las clases, con su fecha, para poder revisarlo."),
            _("Sin plazo. Si borrás tu cuenta, sin tu nombre."),
        ),
    ]


@signed_in
@require_safe
def download_my_data(request: SignedInRequest) -> HttpResponse:
    name = f"mis-datos-{timezone.localdate()}.json"
    return HttpResponse(
        export_person(request.user),
        content_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def delete_my_account(request: SignedInRequest) -> HttpResponse:
    form = DeleteAccountForm(request.POST or None, address=request.user.email)
    if request.method == "POST" and form.is_valid():
        try:
            erase_person(user=request.user, by=request.user)
        except BookingError as refusal:
            form.add_error(None, refusal.text)
        else:
            text = _("Borramos tu cuenta y tus datos.")
            return sign_out(request, redirect("bookings:landing"), text=text)
    context = {"form": form, "claims": list_claims(request.user)}
    return render(request, "bookings/delete_account.html", context)
