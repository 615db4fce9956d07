"""Texts about calendar drifts, for the teacher."""

from django.utils.translation import gettext_lazy as _

from bookings.models import CalendarDrift

# The first word of the occasion of a CALENDAR_CHANGED notice: one of these or a CalendarDrift.
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
