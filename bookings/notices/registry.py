"""The kinds of mail, one entry each (checklist: docs/contributing.md)."""

from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.utils.functional import Promise, lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from bookings.models import ClassEvent, Notice, NoticeKind, RefundStatus
from bookings.notices import expectations as to
from bookings.notices import facts, links
from bookings.notices import skip_rules as skip
from bookings.notices.expectations import (
    UNTRACKED,
    AfterEvent,
    AfterRefund,
    Expectation,
    OutsidePriceList,
    PaymentToReview,
)
from bookings.notices.facts import Line
from bookings.notices.icalendar import Method
from bookings.notices.planned import Planned
from bookings.notices.skip_rules import SkipRule


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """A kind of mail.

    subject, opening: may name the ``day``, ``clock`` and ``host`` of the class, and the subject of
    the teacher's ``message``.
    skip_if: without rules, the mail leaves however late.
    calendar: the method of the attached file, if any.
    expected: when the mail must exist; ``Planned`` also makes it due.
    """

    subject: Promise | str
    opening: Promise | str
    explanation: Promise | str = ""
    facts: tuple[Line, ...] = ()
    link: Line
    skip_if: tuple[SkipRule, ...] = ()
    calendar: Method | None = None
    expected: Expectation


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


IF_NOT_YOU = _(
    "Si fuiste vos, no hace falta que hagas nada. Si no, entrá a tu perfil, desconectá lo que no "
    "sea tuyo y cerrá todas las demás sesiones."
)
# For mails about a class that is ahead: each of them is skipped once it is over.
NO_PLACE = (skip.over, skip.not_scheduled, skip.not_in_class)
# News of a class, with its entry for the reader's calendar.
class_news = partial(
    Mail, link=links.see_class, skip_if=(*NO_PLACE, skip.replaced), calendar=Method.REQUEST
)
# Mails that the audit does not expect.
untracked = partial(Mail, expected=UNTRACKED)

MAILS = {
    NoticeKind.CONFIRMATION: class_news(
        subject=_("Tu clase está confirmada: %(day)s, %(clock)s"),
        opening=_("Tu clase está confirmada."),
        facts=(
            facts.offer,
            facts.when,
            facts.video_call,
            facts.how_to_enter,
            facts.access_code,
            facts.invitation,
            facts.discount,
        ),
        skip_if=NO_PLACE,
        expected=AfterEvent(ClassEvent.SCHEDULED, to.host),
    ),
    NoticeKind.JOINED: class_news(
        subject=_("Ya tenés tu lugar en la clase: %(day)s, %(clock)s"),
        opening=_("Ya tenés tu lugar en la clase de %(host)s."),
        facts=(
            facts.offer,
            facts.open_class,
            facts.when,
            facts.video_call,
            facts.how_to_enter,
        ),
        expected=AfterEvent(ClassEvent.JOINED, to.person),
    ),
    NoticeKind.CANCELLED: Mail(
        subject=_("Se canceló la clase: %(day)s, %(clock)s"),
        opening=_("Se canceló esta clase. No vamos a darla."),
        facts=(
            facts.offer,
            facts.open_class,
            facts.when,
            facts.why_called_off,
            facts.money_back,
        ),
        link=links.book_another,
        calendar=Method.CANCEL,
        expected=AfterEvent(ClassEvent.CANCELLED, to.everyone),
    ),
    NoticeKind.RESCHEDULED: class_news(
        subject=_("Tu clase cambió de horario: %(day)s, %(clock)s"),
        opening=_("Tu clase tiene otro horario."),
        explanation=_("La videollamada es la misma."),
        facts=(
            facts.known_time,
            facts.new_time,
            facts.video_call,
            facts.how_to_enter,
            facts.access_code,
        ),
        expected=AfterEvent(ClassEvent.RESCHEDULED, to.everyone),
    ),
    NoticeKind.ZONE_CHANGED: class_news(
        subject=_("Tu clase sigue a la misma hora: %(day)s, %(clock)s"),
        opening=_(
            "Cambió la hora oficial de Argentina. Tu clase sigue a las %(clock)s, como "
            "habíamos quedado."
        ),
        explanation=_(
            "Si la anotaste en tu calendario, fijate que diga esta hora: con este correo va la "
            "clase actualizada. La videollamada es la misma."
        ),
        facts=(facts.offer, facts.when, facts.video_call, facts.how_to_enter, facts.access_code),
        expected=AfterEvent(ClassEvent.ZONE_CHANGED, to.everyone),
    ),
    NoticeKind.WAITING_CLASS_MOVED: untracked(
        subject=_("Cambió de horario la clase que esperás: %(day)s, %(clock)s"),
        opening=_("La clase de %(host)s, en la que esperás un lugar, tiene otro horario."),
        explanation=_(
            "Seguís en la lista, con tu turno. Si el horario nuevo no te sirve, podés salir."
        ),
        # Without the video call, which is for people who have a place.
        facts=(facts.time_before, facts.new_time),
        link=links.see_turn,
        skip_if=(skip.over, skip.not_scheduled, skip.not_in_line, skip.replaced),
    ),
    NoticeKind.LINK_CHANGED: class_news(
        subject=_("Tu clase tiene otro enlace: %(day)s, %(clock)s"),
        opening=_("La videollamada de tu clase tiene otro enlace."),
        explanation=_("El anterior ya no sirve. El horario es el mismo."),
        facts=(facts.offer, facts.when, facts.video_call, facts.how_to_enter),
        expected=UNTRACKED,
    ),
    NoticeKind.LEFT: Mail(
        subject=_("Dejaste tu lugar en la clase: %(day)s, %(clock)s"),
        opening=_("Dejaste tu lugar en la clase de %(host)s."),
        facts=(
            facts.offer,
            facts.open_class,
            facts.when,
            facts.money_back,
        ),
        link=links.book_another,
        skip_if=(skip.over, skip.back_in_class, skip.replaced),
        calendar=Method.CANCEL,
        expected=AfterEvent(ClassEvent.LEFT, to.person),
    ),
    NoticeKind.REMINDER_DAY: Mail(
        subject=_("Se acerca tu clase: %(day)s, %(clock)s"),
        opening=_("Falta poco para tu clase."),
        facts=(facts.offer, facts.when, facts.video_call, facts.how_to_enter, facts.access_code),
        link=links.see_class,
        skip_if=NO_PLACE,
        # Until the next reminder.
        expected=Planned(before_start=timedelta(hours=24), useful_for=timedelta(hours=23)),
    ),
    NoticeKind.REMINDER_HOUR: Mail(
        subject=_("Tu clase empieza a las %(clock)s"),
        opening=_("Tu clase empieza a las %(clock)s."),
        facts=(
            facts.offer,
            facts.when,
            facts.video_call,
            facts.how_to_enter,
            facts.access_code,
            facts.class_page,
        ),
        link=links.enter_video_call,
        skip_if=NO_PLACE,
        expected=Planned(before_start=timedelta(minutes=60), useful_for=timedelta(minutes=70)),
    ),
    NoticeKind.PLACE_OFFERED: Mail(
        subject=_("Se liberó un lugar en la clase: %(day)s, %(clock)s"),
        opening=_("Se liberó un lugar en la clase de %(host)s, y es tuyo."),
        explanation=_("Si no lo tomás a tiempo, se lo ofrecemos a quien sigue."),
        facts=(facts.offer, facts.when, facts.offer_end),
        link=links.take_place,
        skip_if=(skip.over, skip.not_scheduled, skip.offer_over, skip.replaced),
        expected=AfterEvent(ClassEvent.OFFERED, to.person),
    ),
    NoticeKind.HOLD_LOST: untracked(
        subject=_("Se ocupó el horario que te guardábamos"),
        opening=_("Otra persona pagó antes una clase en el horario que te estábamos guardando."),
        explanation=_(
            "Ya no hace falta que lo pagues. Si justo pagaste, te devolvemos todo el dinero."
        ),
        facts=(facts.held_time,),
        link=links.choose_another_time,
    ),
    NoticeKind.MESSAGE: untracked(
        subject="%(message)s",
        opening="%(message)s",
        explanation=_("Te escribe tu profe. Si respondés este correo, le llega."),
        facts=(facts.class_time,),
        link=links.see_classes,
    ),
    NoticeKind.BOOKED_FOR: untracked(
        subject=_("Te reservamos una clase: %(day)s, %(clock)s"),
        opening=_("La profe te reservó esta clase. Falta pagarla."),
        explanation=_("Si no la querés, no la pagues: el horario queda libre, y no te cobramos."),
        facts=(facts.offer, facts.when, facts.price, facts.pay_until),
        link=links.pay_class,
        skip_if=(skip.over, skip.not_to_pay),
    ),
    NoticeKind.CLASS_LINK: untracked(
        subject=_("El enlace de tu clase: %(day)s, %(clock)s"),
        opening=_("La profe te manda el enlace de tu clase."),
        explanation=_(
            "Sirve sin cuenta, y quien lo tiene puede ver la clase: no lo reenvíes. Los enlaces de "
            "antes ya no sirven."
        ),
        facts=(facts.when, facts.price),
        link=links.open_link,
        skip_if=(skip.over, skip.no_link),
    ),
    NoticeKind.GOES_ON: Mail(
        subject=_("Se da la clase: %(day)s, %(clock)s"),
        opening=_("Esta clase se da."),
        facts=(facts.open_class, facts.when, facts.video_call, facts.how_to_enter),
        link=links.see_class,
        skip_if=NO_PLACE,
        expected=AfterEvent(ClassEvent.GOES_ON, to.everyone),
    ),
    NoticeKind.TRANSFER_OVER: untracked(
        subject=_("Se venció el tiempo para tu transferencia: %(day)s, %(clock)s"),
        opening=_("Tu transferencia no se confirmó a tiempo, y el horario quedó libre."),
        explanation=_(
            "Si ya transferiste, no perdés nada: si el horario sigue libre cuando la profe la "
            "confirme, la clase es tuya; si no, te devuelve el dinero. Avisale el número de "
            "operación en la página de la clase."
        ),
        facts=(facts.when, facts.price),
        link=links.see_class,
        skip_if=(skip.over, skip.not_lapsed),
    ),
    NoticeKind.TRANSFER_REFUSED: Mail(
        subject=_("Tu transferencia no llegó: %(day)s, %(clock)s"),
        opening=_("La profe no encontró tu transferencia en su cuenta."),
        explanation=_(
            "Fijate en tu banco si salió, y que el número de operación sea ese. Después avisala de "
            "nuevo en la página de la clase, o escribile a la profe."
        ),
        facts=(facts.when, facts.transfer_amount, facts.operation_number),
        link=links.see_class,
        skip_if=(skip.announced_again,),
        expected=AfterEvent(ClassEvent.TRANSFER_REFUSED, to.person),
    ),
    NoticeKind.MONEY_RETURNED: Mail(
        subject=_("Te devolvimos dinero"),
        opening=_("Te devolvimos dinero que pagaste por Mercado Pago."),
        explanation=_(
            "El dinero vuelve por el mismo medio con que pagaste. Con tarjeta puede tardar hasta "
            "el próximo resumen."
        ),
        facts=(facts.refund_amount, facts.refund_reason, facts.refunded_at, facts.class_time),
        link=links.see_own_payment,
        expected=AfterRefund(RefundStatus.DONE),
    ),
    NoticeKind.REFUND_FAILED: Mail(
        subject=_("No pudimos devolverte dinero todavía"),
        opening=_("Quisimos devolverte dinero, y Mercado Pago no lo aceptó."),
        explanation=_(
            "La profe ya lo sabe y te va a contactar para devolvértelo. No hace falta que hagas "
            "nada."
        ),
        facts=(
            facts.refund_amount,
            facts.refund_reason,
            facts.refund_requested_at,
            facts.class_time,
        ),
        link=links.see_own_payment,
        skip_if=(skip.refund_settled,),
        expected=AfterRefund(RefundStatus.FAILED),
    ),
    NoticeKind.GUEST_LEFT: Mail(
        subject=_("Se liberó un lugar en tu clase: %(day)s, %(clock)s"),
        opening=_("Alguien dejó su lugar en tu clase."),
        explanation=_("La clase sigue igual. Podés invitar a otra persona con el código."),
        facts=(
            facts.offer,
            facts.when,
        ),
        link=links.see_class,
        skip_if=(skip.over, skip.not_scheduled),
        expected=AfterEvent(ClassEvent.LEFT, to.host),
    ),
    NoticeKind.STUDENT_MOVED: Mail(
        subject=_("%(host)s cambió el horario de su clase: %(day)s, %(clock)s"),
        opening=_("%(host)s cambió el horario de su clase."),
        facts=(facts.time_before, facts.new_time),
        link=links.see_class_in_panel,
        skip_if=(skip.over, skip.not_scheduled, skip.replaced),
        expected=AfterEvent(ClassEvent.RESCHEDULED, to.teacher_if_by_student),
    ),
    NoticeKind.STUDENT_CANCELLED: Mail(
        subject=_("%(host)s canceló su clase: %(day)s, %(clock)s"),
        opening=_("%(host)s canceló su clase. El horario quedó libre."),
        facts=(
            facts.offer,
            facts.when,
        ),
        link=links.see_class_in_panel,
        expected=AfterEvent(ClassEvent.CANCELLED, to.teacher_if_agreed),
    ),
    NoticeKind.TO_REVIEW: Mail(
        subject=_("Hay un pago para revisar: %(day)s, %(clock)s"),
        opening=_("El pago de %(host)s necesita que lo mires."),
        facts=(
            facts.offer,
            facts.when,
        ),
        link=links.see_payments,
        expected=PaymentToReview(),
    ),
    NoticeKind.SEAT_TO_REVIEW: untracked(
        subject=_("Hay un pago para revisar: %(day)s, %(clock)s"),
        opening=_("El pago de un lugar de tu clase abierta necesita que lo mires."),
        facts=(facts.open_class, facts.when),
        link=links.see_payments,
    ),
    NoticeKind.MONEY_BACK: Mail(
        subject=_("Se devuelve un pago: %(day)s, %(clock)s"),
        opening=_("Lo que pagó %(host)s vuelve, y la clase se canceló."),
        facts=(facts.offer, facts.when, facts.last_reason),
        link=links.see_payments,
        expected=AfterEvent(ClassEvent.CANCELLED, to.teacher_if_given_up),
    ),
    NoticeKind.UNBOOKED_TO_REVIEW: untracked(
        subject=_("Hay un pago sin reserva para revisar"),
        opening=_("Llegó dinero de alguien que todavía no reservó, y necesita que lo mires."),
        link=links.see_payments,
    ),
    NoticeKind.BELOW_MINIMUM: untracked(
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
        ),
        link=links.decide_transfer,
        skip_if=(skip.transfer_decided,),
        expected=AfterEvent(ClassEvent.TRANSFER_ANNOUNCED, to.teacher),
    ),
    NoticeKind.PRICE_TO_DECIDE: Mail(
        subject=_("%(host)s pidió una clase fuera de tu lista: %(day)s, %(clock)s"),
        opening=_(
            "%(host)s reservó una clase que tu lista de precios no tiene. No se agenda hasta que "
            "la aceptes."
        ),
        explanation=_(
            "Si la rechazás, se cancela y vuelve lo que se haya pagado por Mercado Pago."
        ),
        facts=(facts.offer, facts.when, facts.class_description, facts.offered_price),
        link=links.decide_price,
        skip_if=(skip.over, skip.price_decided),
        expected=OutsidePriceList(),
    ),
    NoticeKind.GRANT_REVOKED: untracked(
        subject=_("Tu calendario está desconectado"),
        opening=_("Google ya no acepta la conexión con tu calendario."),
        explanation=lazy(_explain_revoked, str)(),
        facts=(facts.how_to_reconnect, facts.waiting_classes),
        link=links.reconnect,
        skip_if=(skip.reconnected,),
    ),
    NoticeKind.ACCOUNT_REFUSED: untracked(
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
    NoticeKind.GRANT_AT_RISK: untracked(
        subject=_("Tu calendario puede desconectarse pronto"),
        opening=_("La conexión con tu calendario puede cortarse en estos días."),
        explanation=_("Reconectalo ahora, así las clases se siguen agendando solas."),
        facts=(facts.how_to_reconnect,),
        link=links.reconnect,
        skip_if=(skip.reconnected,),
    ),
    NoticeKind.CALENDAR_CHANGED: untracked(
        subject=_("El calendario no coincide con la clase: %(day)s, %(clock)s"),
        opening=_(
            "El evento de la clase de %(host)s en tu calendario ya no dice lo mismo que la clase."
        ),
        facts=(facts.offer, facts.when, facts.drift),
        link=links.see_class_in_panel,
    ),
    NoticeKind.GUESSING: untracked(
        subject=_("Alguien prueba códigos de acceso"),
        opening=_("Alguien está probando códigos de acceso al azar, y lo frenamos."),
        explanation=_(
            "No hace falta que hagas nada. Si un estudiante te dice que su código no anda, que "
            "espere diez minutos. Por hoy no te avisamos de nuevo."
        ),
        link=links.see_people,
    ),
    NoticeKind.WEBHOOK_DISABLED: untracked(
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
    NoticeKind.IDENTITY_ADDED: untracked(
        subject=_("Hay otra forma de ingresar a tu cuenta"),
        opening=_("Se conectó otra cuenta a la tuya, y ya sirve para ingresar."),
        explanation=IF_NOT_YOU,
        facts=(facts.identity,),
        link=links.see_profile,
    ),
    NoticeKind.IDENTITY_REMOVED: untracked(
        subject=_("Una forma de ingresar a tu cuenta ya no sirve"),
        opening=_(
            "Se desconectó de la tuya una cuenta con la que se podía ingresar. Cerramos tus otras "
            "sesiones."
        ),
        explanation=IF_NOT_YOU,
        facts=(facts.identity,),
        link=links.see_profile,
    ),
}
EXPECTATIONS = {kind: mail.expected for kind, mail in MAILS.items()}
PLANNED = {kind: rule for kind, rule in EXPECTATIONS.items() if isinstance(rule, Planned)}


def find_mail(notice: Notice) -> Mail:
    return MAILS[NoticeKind(notice.kind)]


def reason_to_skip(notice: Notice) -> str:
    """Return why a mail is obsolete, or an empty string."""
    rules = (skip.erased, skip.unreachable, *find_mail(notice).skip_if)
    if plan := PLANNED.get(NoticeKind(notice.kind)):
        rules += plan.skip_if
    return next((rule.reason for rule in rules if rule.is_obsolete(notice)), "")
