"""What each mail says first: its subject and its opening line."""

from django.utils.translation import gettext_lazy as _

from bookings.models import CalendarDrift, NoticeKind

SUBJECTS = {
    NoticeKind.CONFIRMATION: _("Tu clase está confirmada: %(day)s, %(clock)s"),
    NoticeKind.JOINED: _("Ya tenés tu lugar en la clase: %(day)s, %(clock)s"),
    NoticeKind.CANCELLED: _("Se canceló la clase: %(day)s, %(clock)s"),
    NoticeKind.RESCHEDULED: _("Tu clase cambió de horario: %(day)s, %(clock)s"),
    NoticeKind.WAITING_CLASS_MOVED: _("Cambió de horario la clase que esperás: %(day)s, %(clock)s"),
    NoticeKind.LINK_CHANGED: _("Tu clase tiene otro enlace: %(day)s, %(clock)s"),
    NoticeKind.LEFT: _("Dejaste tu lugar en la clase: %(day)s, %(clock)s"),
    NoticeKind.GUEST_LEFT: _("Se liberó un lugar en tu clase: %(day)s, %(clock)s"),
    NoticeKind.STUDENT_MOVED: _("%(host)s cambió el horario de su clase: %(day)s, %(clock)s"),
    NoticeKind.STUDENT_CANCELLED: _("%(host)s canceló su clase: %(day)s, %(clock)s"),
    NoticeKind.REMINDER_DAY: _("Se acerca tu clase: %(day)s, %(clock)s"),
    NoticeKind.REMINDER_HOUR: _("Tu clase empieza a las %(clock)s"),
    NoticeKind.PLACE_OFFERED: _("Se liberó un lugar en la clase: %(day)s, %(clock)s"),
    NoticeKind.TO_REVIEW: _("Hay un pago para revisar: %(day)s, %(clock)s"),
    NoticeKind.MONEY_BACK: _("Se devuelve un pago: %(day)s, %(clock)s"),
    NoticeKind.UNBOOKED_TO_REVIEW: _("Hay un pago sin reserva para revisar"),
    NoticeKind.GRANT_REVOKED: _("Tu calendario está desconectado"),
    NoticeKind.ACCOUNT_REFUSED: _("Tu calendario está desconectado"),
    NoticeKind.GRANT_AT_RISK: _("Tu calendario puede desconectarse pronto"),
    NoticeKind.GUESSING: _("Alguien prueba códigos de acceso"),
    NoticeKind.WEBHOOK_DISABLED: _("Dejamos de avisarle a otro sistema"),
    NoticeKind.CALENDAR_CHANGED: _("El calendario no coincide con la clase: %(day)s, %(clock)s"),
}
OPENINGS = {
    NoticeKind.CONFIRMATION: _("Tu clase de inglés está confirmada."),
    NoticeKind.JOINED: _("Ya tenés tu lugar en la clase de inglés de %(host)s."),
    NoticeKind.CANCELLED: _("Se canceló esta clase de inglés. No vamos a darla."),
    NoticeKind.RESCHEDULED: _("Tu clase de inglés tiene otro horario."),
    NoticeKind.WAITING_CLASS_MOVED: _(
        "La clase de inglés de %(host)s, en la que esperás un lugar, tiene otro horario."
    ),
    NoticeKind.LINK_CHANGED: _("La videollamada de tu clase de inglés tiene otro enlace."),
    NoticeKind.LEFT: _("Dejaste tu lugar en la clase de inglés de %(host)s."),
    NoticeKind.GUEST_LEFT: _("Alguien dejó su lugar en tu clase de inglés."),
    NoticeKind.STUDENT_MOVED: _("%(host)s cambió el horario de su clase de inglés."),
    NoticeKind.STUDENT_CANCELLED: _("%(host)s canceló su clase de inglés. El horario quedó libre."),
    NoticeKind.REMINDER_DAY: _("Falta poco para tu clase de inglés."),
    NoticeKind.REMINDER_HOUR: _("Tu clase de inglés empieza a las %(clock)s."),
    NoticeKind.PLACE_OFFERED: _("Se liberó un lugar en la clase de inglés de %(host)s, y es tuyo."),
    NoticeKind.TO_REVIEW: _("El pago de %(host)s necesita que lo mires."),
    NoticeKind.MONEY_BACK: _("Lo que pagó %(host)s vuelve, porque la clase no se pudo agendar."),
    NoticeKind.UNBOOKED_TO_REVIEW: _(
        "Llegó dinero de alguien que todavía no reservó, y necesita que lo mires."
    ),
    NoticeKind.GRANT_REVOKED: _("Google ya no acepta la conexión con tu calendario."),
    NoticeKind.ACCOUNT_REFUSED: _("Google ya no acepta la cuenta de servicio de tu calendario."),
    NoticeKind.GRANT_AT_RISK: _("La conexión con tu calendario puede cortarse en estos días."),
    NoticeKind.GUESSING: _("Alguien está probando códigos de acceso al azar, y lo frenamos."),
    NoticeKind.WEBHOOK_DISABLED: _(
        "Uno de los sistemas que reciben avisos de tus clases no los acepta, y lo desactivamos."
    ),
    NoticeKind.CALENDAR_CHANGED: _(
        "El evento de la clase de %(host)s en tu calendario ya no dice lo mismo que la clase."
    ),
}
# Of a revoked grant, where a service account is used instead.
STAND_IN = _(
    "Mientras tanto usamos la cuenta de servicio. Reconectalo para que las clases vuelvan a "
    "agendarse con tu cuenta."
)
# What some mails explain below that.
EXPLANATIONS = {
    NoticeKind.RESCHEDULED: _("La videollamada es la misma."),
    NoticeKind.WAITING_CLASS_MOVED: _(
        "Seguís en la lista, con tu turno. Si el horario nuevo no te sirve, podés salir."
    ),
    NoticeKind.LINK_CHANGED: _("El anterior ya no sirve. El horario es el mismo."),
    NoticeKind.GUEST_LEFT: _("La clase sigue igual. Podés invitar a otra persona con el código."),
    NoticeKind.PLACE_OFFERED: _("Si no lo tomás a tiempo, se lo ofrecemos a quien sigue."),
    NoticeKind.GRANT_REVOKED: _(
        "Hasta que lo reconectes no se agenda ninguna clase. Las pagadas esperan y después se "
        "agendan solas: no hace falta que hagas nada más."
    ),
    NoticeKind.ACCOUNT_REFUSED: _(
        "Hasta que la acepte no se agenda ninguna clase. Las pagadas esperan y después se "
        "agendan solas: no hace falta que hagas nada más."
    ),
    NoticeKind.GUESSING: _(
        "No hace falta que hagas nada. Si un estudiante te dice que su código no anda, que espere "
        "diez minutos. Por hoy no te avisamos de nuevo."
    ),
    NoticeKind.GRANT_AT_RISK: _("Reconectalo ahora, así las clases se siguen agendando solas."),
    NoticeKind.WEBHOOK_DISABLED: _(
        "Tus clases siguen igual. Lo que quedó sin entregar se guarda 30 días: cuando el otro "
        "sistema ande, activalo de nuevo y sale solo. De lo que pase hasta entonces no se entera."
    ),
}
# What became of the event of a class; the first word of the notice's occasion.
MANY_AT_ONCE = "many"
MOVE_REFUSED = "refused"
RECURRING = "recurring"
DRIFTS = {
    CalendarDrift.MOVED: _(
        "El evento cambió de horario en el calendario. La clase no: su evento vuelve a esta hora. "
        "Para moverla de verdad, hacelo desde la página de la clase."
    ),
    CalendarDrift.DELETED: _(
        "El evento fue borrado del calendario. La clase sigue en pie, y su evento vuelve. "
        "Para cancelarla, hacelo desde la página de la clase."
    ),
    CalendarDrift.LINK_REMOVED: _(
        "El evento perdió su videollamada, o tiene otra. Queda una que funciona, y quienes "
        "participan reciben el enlace nuevo si cambió."
    ),
    CalendarDrift.DUPLICATED: _(
        "Había más de un evento de esta clase. Queda el que conocen quienes participan."
    ),
    MOVE_REFUSED: _(
        "La clase cambió de horario, y el calendario no aceptó mover su evento: sigue en el de "
        "antes. Mirá el evento en Google Calendar, y después reparalo desde la página de la clase."
    ),
    RECURRING: _(
        "El evento ahora se repite en el calendario. La clase es una sola, y quienes participan "
        "conocen solo esa. No tocamos nada: si no lo querías, reparalo desde la página de la "
        "clase, y su evento deja de repetirse."
    ),
    MANY_AT_ONCE: _(
        "Muchos eventos cambiaron a la vez; puede que ahora sea otro calendario. No tocamos nada: "
        "mirá en el panel las clases que tienen una diferencia, y reparalas desde ahí."
    ),
}
