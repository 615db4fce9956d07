"""Mails to the teacher. She gets one for each booking, or one a day with all of them."""

from datetime import datetime

from django.conf import settings
from django.utils.functional import lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from bookings.models import CalendarDrift, Notice, NoticeKind
from bookings.notices import facts, links, money_facts
from bookings.notices import skip_rules as skip
from bookings.notices.mail import Mail, Row
from bookings.notices.skip_rules import SkipRule

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
drift = facts.Line(_("Qué pasó"), lambda one: str(DRIFTS.get(one.occasion.partition(" ")[0], "")))

ONE_BY_ONE: dict[NoticeKind, Mail] = {
    NoticeKind.NEW_BOOKING: Mail(
        subject=_("%(host)s reservó una clase: %(day)s, %(clock)s"),
        opening=_("%(host)s reservó una clase."),
        facts=(
            facts.host,
            facts.offer,
            facts.when,
            facts.class_kind,
            facts.purpose,
            money_facts.price,
            money_facts.how_paid,
        ),
        link=links.see_class_in_panel,
        skip_if=(skip.cancelled,),
    ),
    NoticeKind.SEAT_SOLD: Mail(
        subject=_("Reservaron un lugar de tu clase abierta: %(day)s, %(clock)s"),
        opening=_("Alguien reservó un lugar de tu clase abierta."),
        facts=(
            facts.place_holder,
            facts.open_class,
            facts.when,
            facts.places_taken,
            money_facts.price,
            money_facts.how_paid,
        ),
        link=links.see_class_in_panel,
        skip_if=(skip.cancelled, skip.place_given_up),
    ),
}
# What a day's mail tells of each, below the name.
IN_SHORT = (facts.offer, facts.open_class, facts.when, money_facts.price, money_facts.how_paid)


def _list_rows(notice: Notice) -> list[Row]:
    return [row for part in _list_parts(notice) for row in _write_rows(part)]


def _list_parts(notice: Notice) -> list[Notice]:
    """List the bookings of a day's mail, whose occasion is their common time."""
    parts = Notice.objects.filter(
        user=notice.user, kind__in=ONE_BY_ONE, due_at=datetime.fromisoformat(notice.occasion)
    )
    parts = facts.with_subjects(parts).order_by("created_at", "pk")
    return [part for part in parts if not _is_obsolete(part)]


def _is_obsolete(part: Notice) -> bool:
    return any(rule.is_obsolete(part) for rule in ONE_BY_ONE[NoticeKind(part.kind)].skip_if)


def _write_rows(part: Notice) -> list[Row]:
    mail = ONE_BY_ONE[NoticeKind(part.kind)]
    who, *_others = mail.facts
    texts = [text for line in IN_SHORT if (text := line.find_text(part))]
    return [
        (who.find_text(part), " · ".join(texts), False),
        (mail.link.label, mail.link.find_text(part), True),
    ]


def _explain_revoked() -> str:
    if settings.CALENDAR_SERVICE_ACCOUNT:
        return gettext(
            "Mientras tanto usamos la cuenta de servicio. Reconectalo para que las clases vuelvan "
            "a agendarse con tu cuenta."
        )
    return gettext(
        "Hasta que lo reconectes no se agenda ninguna clase. Las pagadas esperan y después se "
        "agendan solas: no hace falta que hagas nada más."
    )


MAILS_TO_TEACHER = {
    **ONE_BY_ONE,
    NoticeKind.DAILY_BOOKINGS: Mail(
        subject=_("Tus reservas nuevas"),
        opening=_("Estas son tus reservas nuevas."),
        rows=_list_rows,
        link=links.see_week,
        skip_if=(SkipRule(skip.ALL_CANCELLED, lambda one: not _list_parts(one)),),
    ),
    NoticeKind.STUDENT_MOVED: Mail(
        subject=_("%(host)s cambió el horario de su clase: %(day)s, %(clock)s"),
        opening=_("%(host)s cambió el horario de su clase."),
        facts=(facts.time_before, facts.new_time),
        link=links.see_class_in_panel,
        skip_if=(skip.over, skip.not_scheduled, skip.replaced),
    ),
    NoticeKind.STUDENT_CANCELLED: Mail(
        subject=_("%(host)s canceló su clase: %(day)s, %(clock)s"),
        opening=_("%(host)s canceló su clase. El horario quedó libre."),
        facts=(
            facts.offer,
            facts.when,
            money_facts.returned_online,
            money_facts.owed_by_hand,
        ),
        link=links.see_class_in_panel,
    ),
    NoticeKind.LINK_CLAIMED: Mail(
        subject=_("%(host)s guardó en su cuenta la clase: %(day)s, %(clock)s"),
        opening=_("Con el enlace que mandaste, una cuenta guardó una clase que reservaste."),
        explanation=_(
            "Si no es la persona para quien la reservaste, en la ficha podés deshacer eso, y la "
            "clase vuelve a ella con un enlace nuevo. Si es la misma, decilo, y esa cuenta va a "
            "ver también sus otras clases."
        ),
        facts=(facts.claimer, facts.written_down, facts.offer, facts.when),
        link=links.see_class_in_panel,
        skip_if=(skip.claim_decided, skip.replaced),
    ),
    NoticeKind.TO_REVIEW: Mail(
        subject=_("Hay un pago para revisar: %(day)s, %(clock)s"),
        opening=_("El pago de %(host)s necesita que lo mires."),
        facts=(facts.offer, facts.when),
        link=links.see_payments,
    ),
    NoticeKind.SEAT_TO_REVIEW: Mail(
        subject=_("Hay un pago para revisar: %(day)s, %(clock)s"),
        opening=_("El pago de un lugar de tu clase abierta necesita que lo mires."),
        facts=(facts.open_class, facts.when),
        link=links.see_payments,
    ),
    NoticeKind.MONEY_BACK: Mail(
        subject=_("Se devuelve un pago: %(day)s, %(clock)s"),
        opening=_("Lo que pagó %(host)s vuelve, y la clase se canceló."),
        facts=(facts.offer, facts.when, money_facts.last_reason),
        link=links.see_payments,
    ),
    NoticeKind.UNBOOKED_TO_REVIEW: Mail(
        subject=_("Hay un pago sin reserva para revisar"),
        opening=_("Llegó dinero de alguien que todavía no reservó, y necesita que lo mires."),
        link=links.see_payments,
    ),
    NoticeKind.BELOW_MINIMUM: Mail(
        subject=_("Tu clase abierta todavía no llega al mínimo: %(day)s, %(clock)s"),
        opening=_("Faltan personas para que se dé tu clase abierta."),
        explanation=_(
            "Si no hacés nada y no llega al mínimo, se cancela sola y devolvemos todo. También "
            "podés darla igual o cambiarle el horario."
        ),
        facts=(facts.open_class, facts.when, facts.people_so_far, facts.decided_at),
        link=links.decide_open_class,
        skip_if=(skip.over, skip.not_scheduled, skip.minimum_decided, skip.replaced),
    ),
    NoticeKind.OPEN_CLASS_LOST: Mail(
        subject=_("Tu clase abierta no se puede dar: %(day)s, %(clock)s"),
        opening=_("Tu clase abierta no se llegó a agendar, y se canceló."),
        facts=(facts.open_class, facts.when, money_facts.last_reason),
        link=links.see_class_in_panel,
    ),
    NoticeKind.MINIMUM_DECIDED: Mail(
        subject=_("Se decidió tu clase abierta: %(day)s, %(clock)s"),
        opening=_("Se decidió si se da tu clase abierta."),
        facts=(
            facts.open_class,
            facts.when,
            facts.decision,
            facts.people_so_far,
            money_facts.owed_for_places,
        ),
        link=links.see_class_in_panel,
    ),
    NoticeKind.SEAT_LEFT: Mail(
        subject=_("Dejaron un lugar de tu clase abierta: %(day)s, %(clock)s"),
        opening=_("Alguien dejó su lugar en tu clase abierta."),
        facts=(
            facts.leaver,
            facts.open_class,
            facts.when,
            facts.places_taken,
            money_facts.returned_online,
            money_facts.owed_by_hand,
            money_facts.kept,
        ),
        link=links.see_class_in_panel,
    ),
    NoticeKind.TRANSFER_ANNOUNCED: Mail(
        subject=_("Avisaron una transferencia: %(day)s, %(clock)s"),
        opening=_("Te avisan que pagaron por transferencia. Fijate en tu cuenta si llegó."),
        explanation=_(
            "El enlace abre una página con los botones «Llegó» y «No llegó», y vale una semana. No "
            "reenvíes este correo: quien tenga el enlace puede confirmar."
        ),
        facts=(
            facts.transfer_sender,
            facts.transfer_amount,
            facts.operation_number,
            facts.when,
            facts.same_number,
            facts.other_transfers,
            facts.all_transfers,
        ),
        link=links.decide_transfer,
        skip_if=(skip.transfer_decided, skip.told_together),
    ),
    NoticeKind.PRICE_TO_DECIDE: Mail(
        subject=_("%(host)s pidió una clase fuera de tu lista: %(day)s, %(clock)s"),
        opening=_(
            "%(host)s reservó una clase que tu lista de precios no tiene. No se agenda hasta que "
            "la aceptes."
        ),
        explanation=_(
            "Si la rechazás, se cancela y vuelve lo que se haya pagado por %(provider)s."
        ),
        facts=(facts.offer, facts.when, facts.class_kind, facts.offered_price),
        link=links.decide_price,
        skip_if=(skip.over, skip.price_decided),
    ),
    NoticeKind.GRANT_REVOKED: Mail(
        subject=_("Tu calendario está desconectado"),
        opening=_("Google ya no acepta la conexión con tu calendario."),
        explanation=lazy(_explain_revoked, str)(),
        facts=(facts.how_to_reconnect, facts.waiting_classes),
        link=links.reconnect,
        skip_if=(skip.reconnected,),
    ),
    NoticeKind.ACCOUNT_REFUSED: Mail(
        subject=_("Tu calendario está desconectado"),
        opening=_("Google ya no acepta la cuenta de servicio de tu calendario."),
        explanation=_(
            "Hasta que la acepte no se agenda ninguna clase. Las pagadas esperan y después se "
            "agendan solas: no hace falta que hagas nada más."
        ),
        facts=(facts.what_to_check, facts.waiting_classes),
        link=links.see_calendar,
        skip_if=(skip.reconnected, skip.account_accepted),
    ),
    NoticeKind.GRANT_AT_RISK: Mail(
        subject=_("Tu calendario puede desconectarse pronto"),
        opening=_("La conexión con tu calendario puede cortarse en estos días."),
        explanation=_("Reconectalo ahora, así las clases se siguen agendando solas."),
        facts=(facts.how_to_reconnect,),
        link=links.reconnect,
        skip_if=(skip.reconnected,),
    ),
    NoticeKind.CALENDAR_CHANGED: Mail(
        subject=_("El calendario no coincide con la clase: %(day)s, %(clock)s"),
        opening=_(
            "El evento de la clase de %(host)s en tu calendario ya no dice lo mismo que la clase."
        ),
        facts=(facts.offer, facts.when, drift),
        link=links.see_class_in_panel,
    ),
    NoticeKind.GUESSING: Mail(
        subject=_("Alguien prueba códigos de acceso"),
        opening=_("Alguien está probando códigos de acceso al azar, y lo frenamos."),
        explanation=_(
            "No hace falta que hagas nada. Si un estudiante te dice que su código no anda, que "
            "espere diez minutos. Por hoy no te avisamos de nuevo."
        ),
        link=links.see_people,
    ),
    NoticeKind.HOLDS_LAPSE: Mail(
        subject=_("A alguien se le vencen reservas sin pagar"),
        opening=_("Una persona guarda horarios o lugares una y otra vez, y no los paga."),
        explanation=_(
            "Por ahora le guardamos de a uno, y con una pausa de dos horas entre ellos. Si no la "
            "conocés, podés suspender su cuenta. Por hoy no te avisamos de nuevo."
        ),
        facts=(facts.lapsing_person,),
        link=links.see_people,
    ),
    NoticeKind.WEBHOOK_DISABLED: Mail(
        subject=_("Dejamos de avisarle a otro sistema"),
        opening=_(
            "Uno de los sistemas que reciben avisos de tus clases no los acepta, y lo desactivamos."
        ),
        explanation=_(
            "Tus clases siguen igual. Lo que quedó sin entregar se guarda 30 días: cuando el otro "
            "sistema ande, activalo de nuevo y sale solo. De lo que pase hasta entonces no se "
            "entera."
        ),
        link=links.see_receivers,
    ),
}
