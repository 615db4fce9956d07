"""Mails to students and to the owners of accounts."""

from datetime import timedelta
from functools import partial

from django.utils.translation import gettext_lazy as _

from bookings.models import NoticeKind
from bookings.notices import facts, links, money_facts
from bookings.notices import skip_rules as skip
from bookings.notices.icalendar import Method
from bookings.notices.mail import Mail, Planned

IF_NOT_YOU = _(
    "Si fuiste vos, no hace falta que hagas nada. Si no, entrá a tu perfil, desconectá lo que no "
    "sea tuyo y cerrá todas las demás sesiones."
)
MEETING = (facts.video_call, facts.how_to_enter)
# For mails about a class that is ahead: each of them is skipped once it is over.
NO_PLACE = (skip.over, skip.not_scheduled, skip.not_in_class)
# News of a class, with its entry for the reader's calendar.
class_news = partial(
    Mail, link=links.see_class, skip_if=(*NO_PLACE, skip.replaced), calendar=Method.REQUEST
)

MAILS_TO_PEOPLE = {
    NoticeKind.CONFIRMATION: class_news(
        subject=_("Tu clase está confirmada: %(day)s, %(clock)s"),
        opening=_("Tu clase está confirmada."),
        facts=(
            facts.offer,
            facts.when,
            *MEETING,
            facts.access_code,
            facts.invitation,
            money_facts.price,
            facts.price_note_of_class,
            money_facts.terms,
        ),
        skip_if=NO_PLACE,
    ),
    NoticeKind.JOINED: class_news(
        subject=_("Ya tenés tu lugar en la clase: %(day)s, %(clock)s"),
        opening=_("Ya tenés tu lugar en la clase de %(host)s."),
        facts=(
            facts.offer,
            facts.open_class,
            facts.when,
            *MEETING,
            money_facts.price,
            money_facts.terms,
        ),
    ),
    NoticeKind.CANCELLED: Mail(
        subject=_("Se canceló la clase: %(day)s, %(clock)s"),
        opening=_("Se canceló esta clase."),
        facts=(
            facts.offer,
            facts.open_class,
            facts.when,
            facts.why_called_off,
            money_facts.money_back,
        ),
        link=links.book_another,
        calendar=Method.CANCEL,
    ),
    NoticeKind.RESCHEDULED: class_news(
        subject=_("Tu clase cambió de horario: %(day)s, %(clock)s"),
        opening=_("Tu clase tiene otro horario."),
        explanation=_("La videollamada es la misma."),
        facts=(facts.known_time, facts.new_time, *MEETING, facts.access_code),
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
        facts=(facts.offer, facts.when, *MEETING, facts.access_code),
    ),
    NoticeKind.WAITING_CLASS_MOVED: Mail(
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
        facts=(facts.offer, facts.when, *MEETING),
    ),
    NoticeKind.LEFT: Mail(
        subject=_("Dejaste tu lugar en la clase: %(day)s, %(clock)s"),
        opening=_("Dejaste tu lugar en la clase de %(host)s."),
        facts=(facts.offer, facts.open_class, facts.when, money_facts.money_back),
        link=links.book_another,
        skip_if=(skip.over, skip.back_in_class, skip.replaced),
        calendar=Method.CANCEL,
    ),
    NoticeKind.REMINDER_DAY: Mail(
        subject=_("Se acerca tu clase: %(day)s, %(clock)s"),
        opening=_("Falta poco para tu clase."),
        facts=(facts.offer, facts.when, *MEETING, facts.access_code),
        link=links.see_class,
        skip_if=NO_PLACE,
        # Until the next reminder.
        plan=Planned(before_start=timedelta(hours=24), useful_for=timedelta(hours=23)),
    ),
    NoticeKind.REMINDER_HOUR: Mail(
        subject=_("Tu clase empieza a las %(clock)s"),
        opening=_("Tu clase empieza a las %(clock)s."),
        facts=(facts.offer, facts.when, *MEETING, facts.access_code, facts.class_page),
        link=links.enter_video_call,
        skip_if=NO_PLACE,
        plan=Planned(before_start=timedelta(minutes=60), useful_for=timedelta(minutes=70)),
    ),
    NoticeKind.PLACE_OFFERED: Mail(
        subject=_("Se liberó un lugar en la clase: %(day)s, %(clock)s"),
        opening=_("Se liberó un lugar en la clase de %(host)s, y es tuyo."),
        explanation=_("Si no lo tomás a tiempo, se lo ofrecemos a quien sigue."),
        facts=(facts.offer, facts.when, facts.offer_end),
        link=links.take_place,
        skip_if=(skip.over, skip.not_scheduled, skip.offer_over, skip.replaced),
    ),
    NoticeKind.HOLD_LOST: Mail(
        subject=_("Se ocupó el horario que te guardábamos"),
        opening=_("Otra persona pagó antes una clase en el horario que te estábamos guardando."),
        explanation=_(
            "Ya no hace falta que lo pagues. Si justo pagaste, te devolvemos todo el dinero."
        ),
        facts=(facts.held_time,),
        link=links.choose_another_time,
    ),
    NoticeKind.MESSAGE: Mail(
        subject="%(message)s",
        opening="%(message)s",
        explanation=_("Te escribe tu profe. Si respondés este correo, le llega."),
        facts=(facts.class_time,),
        link=links.see_classes,
    ),
    NoticeKind.BOOKED_FOR: Mail(
        subject=_("Te reservamos una clase: %(day)s, %(clock)s"),
        opening=_("Tu profe te reservó esta clase. Falta pagarla."),
        explanation=_("Si no la querés, no la pagues: el horario queda libre, y no te cobramos."),
        facts=(facts.offer, facts.when, money_facts.price, facts.pay_until),
        link=links.pay_class,
        skip_if=(skip.over, skip.not_to_pay),
    ),
    # To the written-down address, which may not be the account's.
    NoticeKind.OWN_LINK_CLAIMED: Mail(
        subject=_("Tu clase se guardó en una cuenta: %(day)s, %(clock)s"),
        opening=_("Con el enlace de tu clase, alguien la guardó en su cuenta."),
        explanation=_(
            "Si fuiste vos, no hace falta que hagas nada. Si no, respondé este correo: tu profe "
            "te la devuelve, con un enlace nuevo."
        ),
        facts=(facts.offer, facts.when),
        link=links.see_class,
        skip_if=(skip.claim_decided, skip.replaced),
    ),
    NoticeKind.CLASS_LINK: Mail(
        subject=_("El enlace de tu clase: %(day)s, %(clock)s"),
        opening=_("Tu profe te manda el enlace de tu clase."),
        explanation=_(
            "Sirve sin cuenta, y quien lo tiene puede ver la clase: no lo reenvíes. Los enlaces de "
            "antes ya no sirven."
        ),
        facts=(facts.when, money_facts.price),
        link=links.open_link,
        skip_if=(skip.over, skip.no_link),
    ),
    NoticeKind.GOES_ON: Mail(
        subject=_("Se da la clase: %(day)s, %(clock)s"),
        opening=_("Esta clase se da."),
        facts=(facts.open_class, facts.when, *MEETING),
        link=links.see_class,
        skip_if=NO_PLACE,
    ),
    NoticeKind.TRANSFER_OVER: Mail(
        subject=_("Se venció el tiempo para tu transferencia: %(day)s, %(clock)s"),
        opening=_("Tu transferencia no se confirmó a tiempo, y el horario quedó libre."),
        explanation=_(
            "Si ya transferiste, no perdés nada: escribile a tu profe el número de operación. Si "
            "el horario sigue libre, la clase es tuya; si no, te devuelve el dinero."
        ),
        facts=(facts.when, money_facts.price),
        link=links.see_class,
        skip_if=(skip.over, skip.not_lapsed),
    ),
    NoticeKind.SEAT_TRANSFER_OVER: Mail(
        subject=_("Se venció el tiempo para pagar tu lugar: %(day)s, %(clock)s"),
        opening=_("Tu transferencia no se confirmó a tiempo, y tu lugar quedó libre."),
        explanation=_(
            "Si ya transferiste, no perdés nada: escribile a tu profe el número de operación. Si "
            "queda un lugar, es tuyo; si no, te devuelve el dinero."
        ),
        facts=(facts.open_class, facts.when, facts.place_price),
        link=links.see_seat,
        skip_if=(skip.over, skip.place_not_lapsed),
    ),
    NoticeKind.TRANSFER_REFUSED: Mail(
        subject=_("Tu transferencia no llegó: %(day)s, %(clock)s"),
        opening=_("Tu profe no encontró tu transferencia en su cuenta."),
        explanation=_(
            "Fijate en tu banco si salió, y que el número de operación sea ese. Después avisala de "
            "nuevo, o escribile a tu profe."
        ),
        facts=(facts.when, facts.transfer_amount, facts.operation_number),
        link=links.announce_again,
        skip_if=(skip.announced_again,),
    ),
    NoticeKind.MONEY_RETURNED: Mail(
        subject=_("Te devolvimos dinero"),
        opening=_("Te devolvimos dinero que pagaste por %(provider)s."),
        explanation=_(
            "El dinero vuelve por el mismo medio con que pagaste. Con tarjeta puede tardar hasta "
            "el próximo resumen."
        ),
        facts=(facts.refund_amount, facts.refund_reason, facts.refunded_at, facts.class_time),
        link=links.see_own_payment,
    ),
    NoticeKind.REFUND_FAILED: Mail(
        subject=_("No pudimos devolverte dinero todavía"),
        opening=_("Quisimos devolverte dinero, y %(provider)s no lo aceptó."),
        explanation=_(
            "Tu profe ya lo sabe y te va a contactar para devolvértelo. No hace falta que hagas "
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
    ),
    NoticeKind.GUEST_LEFT: Mail(
        subject=_("Se liberó un lugar en tu clase: %(day)s, %(clock)s"),
        opening=_("Alguien dejó su lugar en tu clase."),
        explanation=_("La clase sigue igual. Podés invitar a otra persona con el código."),
        facts=(facts.offer, facts.when),
        link=links.see_class,
        skip_if=(skip.over, skip.not_scheduled),
    ),
    NoticeKind.IDENTITY_ADDED: Mail(
        subject=_("Hay otra forma de ingresar a tu cuenta"),
        opening=_("Se conectó otra cuenta a la tuya, y ya sirve para ingresar."),
        explanation=IF_NOT_YOU,
        facts=(facts.identity,),
        link=links.see_profile,
    ),
    NoticeKind.IDENTITY_REMOVED: Mail(
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
