"""What is stored about a person, and for how long: the rows of ``/privacidad``.

A test compares the rows with the tables that belong to a person and with the data export.
"""

from dataclasses import dataclass, field
from datetime import timedelta

from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.db.models import Model
from django.utils.translation import gettext as _

from accounts.models import Session, User
from bookings.domain.checkout.notifications import RELATED_LIFE, UNRELATED_LIFE
from bookings.models import (
    ClassLog,
    Hold,
    Notice,
    Payment,
    PaymentCharge,
    PaymentNotification,
    Refund,
    UserActivity,
    VirtualClass,
    WaitingListEntry,
    WebhookAttempt,
    WebhookDelivery,
    WebhookEvent,
)
from bookings.templatetags.class_times import duration


@dataclass(frozen=True, slots=True)
class StoredData:
    """Data of one kind. tables: where it is stored. exported_as: its keys in ``export_person``."""

    title: str
    content: str
    kept: str
    tables: list[type[Model]]
    exported_as: list[str] = field(default_factory=list)


def list_stored_data() -> list[StoredData]:
    """Return the rows in the reader's language."""
    return [*_list_account_data(), *_list_class_data(), *_list_money(), *_list_technical_data()]


def _list_account_data() -> list[StoredData]:
    session_age = timedelta(seconds=settings.SESSION_COOKIE_AGE)
    return [
        StoredData(
            _("Tu cuenta"),
            _(
                "Nombre, correo y foto; lo que completes en tu perfil (localidad, nivel, teléfono, "
                "novedades, idioma); cuántas clases tomaste; cuándo te sumaste y cuándo "
                "ingresaste por última vez."
            ),
            _("Hasta que borrás tu cuenta."),
            [User],
            ["profile"],
        ),
        StoredData(
            _("Cómo ingresás"),
            _(
                "Con qué cuenta ingresás, el número que te identifica ahí y su correo. "
                "Nunca una clave."
            ),
            _("Hasta que desconectás esa cuenta o borrás la tuya."),
            [SocialAccount, EmailAddress, EmailConfirmation, SocialToken],
            ["identities"],
        ),
        StoredData(
            _("Tus sesiones"),
            _("Qué navegador usás, desde cuándo y cuándo fue la última vez."),
            _("%(age)s sin uso, o hasta que cerrás la sesión.") % {"age": duration(session_age)},
            [Session],
            ["sessions"],
        ),
    ]


def _list_class_data() -> list[StoredData]:
    return [
        StoredData(
            _("Tus clases"),
            _(
                "Día, tipo, precio, qué querés practicar, quiénes participan, si alguien faltó, y "
                "quién cambió qué."
            ),
            _(
                "Al borrar tu cuenta: las que se dieron o tienen un pago pedido quedan sin tu "
                "nombre ni lo que escribiste; las demás se borran."
            ),
            [VirtualClass, UserActivity, ClassLog],
            ["classes"],
        ),
        StoredData(
            _("Horarios guardados"),
            _("El horario que te guardamos mientras pagás."),
            _("Hasta que vence el plazo que ves en la página."),
            [Hold],
            ["keptTimes"],
        ),
        StoredData(
            _("Lista de espera"),
            _("De qué clase, desde cuándo, y si te ofrecimos un lugar."),
            _("Hasta que borrás tu cuenta."),
            [WaitingListEntry],
            ["waitingFor"],
        ),
        StoredData(
            _("Correos que te mandamos"),
            _("De qué tratan, por qué clase y cuándo salieron. El texto no se guarda."),
            _("Hasta que borrás tu cuenta."),
            [Notice],
            ["mails"],
        ),
    ]


def _list_money() -> list[StoredData]:
    lives = {"related": duration(RELATED_LIFE), "unrelated": duration(UNRELATED_LIFE)}
    return [
        StoredData(
            _("Tus pagos"),
            _(
                "Importe, estado, fecha, medio de pago, su número y lo que se devolvió. "
                "Nunca una tarjeta."
            ),
            _("Quedan, sin tu nombre: son las cuentas de quien vende."),
            [Payment, PaymentCharge, Refund],
            ["payments"],
        ),
        StoredData(
            _("Avisos de Mercado Pago"),
            _("Números de pagos y de órdenes, sin datos tuyos."),
            _("%(related)s; los que no son de un pago de acá, %(unrelated)s.") % lives,
            [PaymentNotification],
        ),
    ]


def _list_technical_data() -> list[StoredData]:
    return [
        StoredData(
            _("Avisos a otros sistemas"),
            _(
                "Si quien da las clases conecta otro programa, recibe números internos, horarios y "
                "precios de las clases, sin nombres ni correos."
            ),
            _("%(age)s.") % {"age": duration(settings.WEBHOOK_RETENTION)},
            [WebhookEvent, WebhookDelivery, WebhookAttempt],
        ),
        StoredData(
            _("Lo que se hace en el panel"),
            _("Cada cambio que hace quien da las clases, con su fecha, para poder revisarlo."),
            _("Sin plazo. Si borrás tu cuenta, sin tu nombre."),
            [LogEntry],
        ),
    ]
