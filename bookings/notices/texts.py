"""What each mail says first: its subject and its opening line."""

from django.utils.translation import gettext_lazy as _

from bookings.models import ABOUT_THE_CALENDAR, NoticeKind

# What the teacher is told, whatever became of the class.
ABOUT_MONEY = {NoticeKind.TO_REVIEW, NoticeKind.MONEY_BACK}
TO_THE_TEACHER = {*ABOUT_MONEY, *ABOUT_THE_CALENDAR, NoticeKind.CALENDAR_CHANGED}

SUBJECTS = {
    NoticeKind.CONFIRMATION: _("Tu clase está confirmada: %(day)s, %(clock)s"),
    NoticeKind.JOINED: _("Ya tenés tu lugar en la clase: %(day)s, %(clock)s"),
    NoticeKind.CANCELLED: _("Se canceló la clase: %(day)s, %(clock)s"),
    NoticeKind.RESCHEDULED: _("Tu clase cambió de horario: %(day)s, %(clock)s"),
    NoticeKind.LEFT: _("Dejaste tu lugar en la clase: %(day)s, %(clock)s"),
    NoticeKind.REMINDER_DAY: _("Se acerca tu clase: %(day)s, %(clock)s"),
    NoticeKind.REMINDER_HOUR: _("Tu clase empieza a las %(clock)s"),
    NoticeKind.PLACE_OFFERED: _("Se liberó un lugar en la clase: %(day)s, %(clock)s"),
    NoticeKind.TO_REVIEW: _("Hay un pago para revisar: %(day)s, %(clock)s"),
    NoticeKind.MONEY_BACK: _("Se devuelve un pago: %(day)s, %(clock)s"),
    NoticeKind.GRANT_REVOKED: _("Tu calendario está desconectado"),
    NoticeKind.GRANT_AT_RISK: _("Tu calendario puede desconectarse pronto"),
    NoticeKind.CALENDAR_CHANGED: _("El calendario no coincide con la clase: %(day)s, %(clock)s"),
}
OPENINGS = {
    NoticeKind.CONFIRMATION: _("Tu clase de inglés está confirmada."),
    NoticeKind.JOINED: _("Ya tenés tu lugar en la clase de inglés de %(host)s."),
    NoticeKind.CANCELLED: _("Se canceló esta clase de inglés. No vamos a darla."),
    NoticeKind.RESCHEDULED: _(
        "Tu clase de inglés tiene otro horario. La videollamada es la misma."
    ),
    NoticeKind.LEFT: _("Dejaste tu lugar en la clase de inglés de %(host)s."),
    NoticeKind.REMINDER_DAY: _("Falta poco para tu clase de inglés."),
    NoticeKind.REMINDER_HOUR: _("Tu clase de inglés empieza a las %(clock)s."),
    NoticeKind.PLACE_OFFERED: _("Se liberó un lugar en la clase de inglés de %(host)s, y es tuyo."),
    NoticeKind.TO_REVIEW: _("El pago de %(host)s necesita que lo mires."),
    NoticeKind.MONEY_BACK: _("Lo que pagó %(host)s vuelve, porque la clase no se pudo agendar."),
    NoticeKind.GRANT_REVOKED: _(
        "Google ya no acepta la conexión con tu calendario. Hasta que lo reconectes no se agenda "
        "ninguna clase; las que están pagadas esperan, y después se agendan solas."
    ),
    NoticeKind.GRANT_AT_RISK: _(
        "La conexión con tu calendario puede vencer en los próximos días. Reconectalo ahora, así "
        "las clases se siguen agendando solas."
    ),
    NoticeKind.CALENDAR_CHANGED: _(
        "El evento de la clase de %(host)s en tu calendario ya no dice lo mismo que la clase."
    ),
}
