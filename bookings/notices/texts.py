"""What each mail says first: its subject and its opening line."""

from django.utils.translation import gettext_lazy as _

from bookings.models import CalendarDrift, NoticeKind

SUBJECTS = {
    NoticeKind.CONFIRMATION: _("Tu clase está confirmada: %(day)s, %(clock)s"),
    NoticeKind.JOINED: _("Ya tenés tu lugar en la clase: %(day)s, %(clock)s"),
    NoticeKind.CANCELLED: _("Se canceló la clase: %(day)s, %(clock)s"),
    NoticeKind.RESCHEDULED: _("Tu clase cambió de horario: %(day)s, %(clock)s"),
    NoticeKind.ZONE_CHANGED: _("Tu clase sigue a la misma hora: %(day)s, %(clock)s"),
    NoticeKind.WAITING_CLASS_MOVED: _("Cambió de horario la clase que esperás: %(day)s, %(clock)s"),
    NoticeKind.LINK_CHANGED: _("Tu clase tiene otro enlace: %(day)s, %(clock)s"),
    NoticeKind.LEFT: _("Dejaste tu lugar en la clase: %(day)s, %(clock)s"),
    NoticeKind.GUEST_LEFT: _("Se liberó un lugar en tu clase: %(day)s, %(clock)s"),
    NoticeKind.STUDENT_MOVED: _("%(host)s cambió el horario de su clase: %(day)s, %(clock)s"),
    NoticeKind.STUDENT_CANCELLED: _("%(host)s canceló su clase: %(day)s, %(clock)s"),
    NoticeKind.REMINDER_DAY: _("Se acerca tu clase: %(day)s, %(clock)s"),
    NoticeKind.REMINDER_HOUR: _("Tu clase empieza a las %(clock)s"),
    NoticeKind.PLACE_OFFERED: _("Se liberó un lugar en la clase: %(day)s, %(clock)s"),
    NoticeKind.MONEY_RETURNED: _("Te devolvimos dinero"),
    NoticeKind.REFUND_FAILED: _("No pudimos devolverte dinero todavía"),
    NoticeKind.TO_REVIEW: _("Hay un pago para revisar: %(day)s, %(clock)s"),
    NoticeKind.MONEY_BACK: _("Se devuelve un pago: %(day)s, %(clock)s"),
    NoticeKind.UNBOOKED_TO_REVIEW: _("Hay un pago sin reserva para revisar"),
    NoticeKind.HOLD_LOST: _("Se ocupó el horario que te guardábamos"),
    NoticeKind.PRICE_TO_DECIDE: _("%(host)s pidió una clase fuera de tu lista: %(day)s, %(clock)s"),
    NoticeKind.GRANT_REVOKED: _("Tu calendario está desconectado"),
    NoticeKind.ACCOUNT_REFUSED: _("Tu calendario está desconectado"),
    NoticeKind.GRANT_AT_RISK: _("Tu calendario puede desconectarse pronto"),
    NoticeKind.GUESSING: _("Alguien prueba códigos de acceso"),
    NoticeKind.WEBHOOK_DISABLED: _("Dejamos de avisarle a otro sistema"),
    NoticeKind.IDENTITY_ADDED: _("Hay otra forma de ingresar a tu cuenta"),
    NoticeKind.IDENTITY_REMOVED: _("Una forma de ingresar a tu cuenta ya no sirve"),
    NoticeKind.CALENDAR_CHANGED: _("El calendario no coincide con la clase: %(day)s, %(clock)s"),
}
OPENINGS = {
    NoticeKind.CONFIRMATION: _("Tu clase de inglés está confirmada."),
    NoticeKind.JOINED: _("Ya tenés tu lugar en la clase de inglés de %(host)s."),
    NoticeKind.CANCELLED: _("Se canceló esta clase de inglés. No vamos a darla."),
    NoticeKind.RESCHEDULED: _("Tu clase de inglés tiene otro horario."),
    NoticeKind.ZONE_CHANGED: _(
        "Cambió la hora oficial de Argentina. Tu clase de inglés sigue a las %(clock)s, como "
        "habíamos quedado."
    ),
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
    NoticeKind.MONEY_RETURNED: _("Te devolvimos dinero que pagaste por Mercado Pago."),
    NoticeKind.REFUND_FAILED: _("Quisimos devolverte dinero, y Mercado Pago no lo aceptó."),
    NoticeKind.TO_REVIEW: _("El pago de %(host)s necesita que lo mires."),
    NoticeKind.MONEY_BACK: _("Lo que pagó %(host)s vuelve, y la clase se canceló."),
    NoticeKind.UNBOOKED_TO_REVIEW: _(
        "Llegó dinero de alguien que todavía no reservó, y necesita que lo mires."
    ),
    NoticeKind.HOLD_LOST: _(
        "Otra persona pagó antes una clase en el horario que te estábamos guardando."
    ),
    NoticeKind.PRICE_TO_DECIDE: _(
        "%(host)s reservó una clase que tu lista de precios no tiene. No se agenda hasta que la "
        "aceptes."
    ),
    NoticeKind.GRANT_REVOKED: _("Google ya no acepta la conexión con tu calendario."),
    NoticeKind.ACCOUNT_REFUSED: _("Google ya no acepta la cuenta de servicio de tu calendario."),
    NoticeKind.GRANT_AT_RISK: _("La conexión con tu calendario puede cortarse en estos días."),
    NoticeKind.GUESSING: _("Alguien está probando códigos de acceso al azar, y lo frenamos."),
    NoticeKind.WEBHOOK_DISABLED: _(
        "Uno de los sistemas que reciben avisos de tus clases no los acepta, y lo desactivamos."
    ),
    NoticeKind.IDENTITY_ADDED: _("Se conectó otra cuenta a la tuya, y ya sirve para ingresar."),
    NoticeKind.IDENTITY_REMOVED: _(
        "Se desconectó de la tuya una cuenta con la que se podía ingresar. Cerramos tus otras "
        "sesiones."
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
    NoticeKind.HOLD_LOST: _(
        "Ya no hace falta que lo pagues. Si justo pagaste, te devolvemos todo el dinero."
    ),
    NoticeKind.PRICE_TO_DECIDE: _(
        "Si la rechazás, se cancela y vuelve lo que se haya pagado por Mercado Pago."
    ),
    NoticeKind.RESCHEDULED: _("La videollamada es la misma."),
    NoticeKind.ZONE_CHANGED: _(
        "Si la anotaste en tu calendario, fijate que diga esta hora: con este correo va la clase "
        "actualizada. La videollamada es la misma."
    ),
    NoticeKind.WAITING_CLASS_MOVED: _(
        "Seguís en la lista, con tu turno. Si el horario nuevo no te sirve, podés salir."
    ),
    NoticeKind.LINK_CHANGED: _("El anterior ya no sirve. El horario es el mismo."),
    NoticeKind.GUEST_LEFT: _("La clase sigue igual. Podés invitar a otra persona con el código."),
    NoticeKind.PLACE_OFFERED: _("Si no lo tomás a tiempo, se lo ofrecemos a quien sigue."),
    NoticeKind.MONEY_RETURNED: _(
        "El dinero vuelve por el mismo medio con que pagaste. Con tarjeta puede tardar hasta el "
        "próximo resumen."
    ),
    NoticeKind.REFUND_FAILED: _(
        "La profe ya lo sabe y te va a contactar para devolvértelo. No hace falta que hagas nada."
    ),
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
IF_NOT_YOU = _(
    "Si fuiste vos, no hace falta que hagas nada. Si no, entrá a tu perfil, desconectá lo que no "
    "sea tuyo y cerrá todas las demás sesiones."
)
EXPLANATIONS |= {NoticeKind.IDENTITY_ADDED: IF_NOT_YOU, NoticeKind.IDENTITY_REMOVED: IF_NOT_YOU}
# What became of the event of a class; the first word of the notice's occasion.
MANY_AT_ONCE = "many"
MOVE_REFUSED = "refused"
RECURRING = "recurring"
LAW_CONFLICT = "law"
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
    LAW_CONFLICT: _(
        "Cambió la hora oficial, y a la hora que habían acordado ahora hay otra clase. Esta quedó "
        "como estaba, con otra hora en el reloj: movela, o mové la otra, desde el panel."
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
