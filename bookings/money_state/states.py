"""The states of a purchase's money, with their words: the table of docs/money-states.md."""

from enum import Enum
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

NOTHING_PAID = _("No pagaste nada. Si un pago llega después, te lo devolvemos.")
ALL_BACK, REST_BACK = _("Te devolvemos %(back)s."), _("Te devolvemos %(came)s.")
# What goes back, or not, of a purchase that ends.
BACK_ONLINE = _(
    "Te devolvemos %(back)s al medio con que pagaste; con tarjeta puede tardar hasta el próximo "
    "resumen."
)
BACK_BY_HAND = _("Tu profe te devuelve %(back)s %(how)s.")
NOT_BACK = _("No se devuelven %(kept)s: ya pasó el plazo.")
AS_PAID, IN_CASH, BY_TRANSFER = _("por donde le pagaste"), _("en efectivo"), _("por transferencia")
# An announced transfer whose time or place is not kept any more.
NO_LONGER_KEPT = _(
    "Ya no se guarda: si sigue libre cuando la confirme, es tuya; si no, te devuelve el dinero."
)


class MoneyState(Enum):
    """The first one that fits counts (purchase_facts.py).

    Texts may name the ``VALUES`` of describing.py. badge: on home and lists. line: on the page of a
    class or place. cancelling: on the page that asks before cancelling. hers: on her sheet of a
    class. report: in lists and files of the panel. look: the class's state whose colour it has.
    """

    badge: Promise
    line: Promise | str
    cancelling: Promise | str
    hers: str
    report: str
    look: str

    def __new__(cls, key: str, *words: Any) -> "MoneyState":
        state = object.__new__(cls)
        state._value_ = key
        state.badge, state.line, state.cancelling, state.hers, state.report, state.look = words
        return state

    FREE_AWAITS_MINIMUM = (
        "free_awaits_minimum",
        _("Por decidir"),
        _("%(people)s. Se decide el %(until)s: si no se llega, se cancela."),
        _("No hay nada que devolver."),
        "Sin costo",
        "Gratis",
        "scheduled",
    )
    FREE = (
        "free",
        _("Confirmada"),
        "",
        _("No hay nada que devolver."),
        "Sin costo",
        "Gratis",
        "scheduled",
    )
    UNDECIDED = (
        "undecided",
        _("Falta que acepte tu profe"),
        _(
            "No está en la lista de precios. Si tu profe la acepta, la agendamos apenas esté "
            "paga; si no, te devolvemos todo lo que hayas pagado."
        ),
        ALL_BACK,
        "Precio por decidir: %(amount)s",
        "Por decidir",
        "preparing",
    )
    DISPUTED = (
        "disputed",
        _("En revisión"),
        _("Hay un reclamo por tu pago: lo resuelve %(provider)s."),
        _("El reclamo decide qué pasa con %(came)s."),
        "En disputa: %(came)s",
        "En disputa",
        "cancelled",
    )
    REFUND_FAILED = (
        "refund_failed",
        _("Devolución pendiente"),
        _("No pudimos devolverte %(back)s. Tu profe ya lo sabe, y lo arregla con vos."),
        _("No pudimos devolverte %(back)s. Tu profe ya lo sabe, y lo arregla con vos."),
        "Devolución rechazada: %(back)s",
        "Devolución rechazada",
        "preparing",
    )
    OWED_BY_HAND = (
        "owed_by_hand",
        _("Devolución pendiente"),
        BACK_BY_HAND,
        BACK_BY_HAND,
        "Te toca devolver %(back)s",
        "Para devolver",
        "preparing",
    )
    RETURNING = (
        "returning",
        _("Devolución en camino"),
        BACK_ONLINE,
        ALL_BACK,
        "Devolviendo %(back)s",
        "Devolviendo",
        "completed",
    )
    CHARGED_BACK = (
        "charged_back",
        _("Contracargo"),
        _("Tu banco retiró el pago."),
        _("No queda nada por devolver."),
        "Contracargo",
        "Contracargo",
        "completed",
    )
    KEPT_PART = (
        "kept_part",
        _("Cancelada"),
        _("Te devolvimos %(back)s. No se devuelven %(kept)s: ya pasó el plazo."),
        NOT_BACK,
        "Devuelto %(back)s, quedan %(kept)s",
        "Devuelto en parte",
        "cancelled",
    )
    KEPT_ALL = (
        "kept_all",
        _("Cancelada"),
        NOT_BACK,
        NOT_BACK,
        "Quedan %(kept)s",
        "Sin devolución",
        "cancelled",
    )
    RETURNED = (
        "returned",
        _("Devuelto"),
        _("Te devolvimos %(back)s el %(day)s."),
        _("Ya te devolvimos %(back)s."),
        "Devuelto %(back)s",
        "Devuelto",
        "completed",
    )
    REVIEW = (
        "review",
        _("En revisión"),
        _("Algo no coincide con lo que esperábamos, y tu profe lo está mirando."),
        _("Tu profe revisa tu pago, y te devuelve lo que corresponda."),
        "Para revisar: %(review)s",
        "A revisar",
        "preparing",
    )
    ENDED_UNPAID = (
        "ended_unpaid",
        _("Cancelada"),
        _("No pagaste nada."),
        NOTHING_PAID,
        "Sin pago",
        "Sin pago",
        "cancelled",
    )
    UNBOOKED = (
        "unbooked",
        _("Pagado sin reserva"),
        _("Recibimos %(came)s; falta la reserva. Si no llega en un día, te lo devolvemos."),
        ALL_BACK,
        "Pagó %(came)s, sin reserva",
        "Sin reserva",
        "preparing",
    )
    PREPARING = (
        "preparing",
        _("Pagada"),
        _("Tu pago ya está. Estamos preparando el enlace."),
        ALL_BACK,
        "Pagó %(came)s; falta el enlace",
        "Pagada, falta el enlace",
        "preparing",
    )
    NOT_SCHEDULED = (
        "not_scheduled",
        _("Pagada, falta agendar"),
        _("Tu profe la termina de agendar; tu pago está."),
        ALL_BACK,
        "Pagó %(came)s; falta agendarla",
        "Pagada, falta agendar",
        "preparing",
    )
    PARTLY_RETURNED = (
        "partly_returned",
        _("Devuelto en parte"),
        _("Pagaste %(gross)s, y te devolvimos %(back)s."),
        REST_BACK,
        "Pagó %(gross)s, devuelto %(back)s",
        "Devuelto en parte",
        "completed",
    )
    AWAITS_MINIMUM = (
        "awaits_minimum",
        _("Tu lugar está pago"),
        _("%(people)s. Se decide el %(until)s: si no se llega, te devolvemos %(came)s."),
        ALL_BACK,
        "Pagó %(came)s (%(way)s)",
        "Pagado",
        "scheduled",
    )
    PAID = (
        "paid",
        _("Confirmada"),
        _("Pagaste %(came)s el %(day)s."),
        ALL_BACK,
        "Pagó %(came)s (%(way)s)",
        "Pagada",
        "scheduled",
    )
    ANNOUNCED = (
        "announced",
        _("Transferencia avisada"),
        _(
            "Avisaste %(asked)s el %(day)s, operación %(number)s. Falta que tu profe la "
            "confirme: te llega un correo."
        ),
        _("Avisaste %(asked)s, operación %(number)s: si llegó, tu profe te lo devuelve."),
        "Avisó %(asked)s",
        "Transferencia avisada",
        "pending",
    )
    PROCESSING = (
        "processing",
        _("Confirmando el pago"),
        _(
            "Suele tardar unos segundos. No hace falta que pagues de nuevo, ni que te quedes "
            "en esta página."
        ),
        _("Si el pago entra, te lo devolvemos."),
        "Pagando",
        "En proceso",
        "pending",
    )
    COUPON = (
        "coupon",
        _("Pago pendiente"),
        _(
            "%(provider)s todavía no lo acreditó. Si elegiste efectivo, pagá el cupón; puede "
            "tardar hasta dos días hábiles. Si otra persona paga antes, te devolvemos todo."
        ),
        _("Si ya lo pagaste, te devolvemos %(amount)s."),
        "Cupón o pago pendiente: %(amount)s",
        "Pago pendiente",
        "pending",
    )
    SHORT = (
        "short",
        _("Falta una parte"),
        _("Entraron %(came)s de %(amount)s: faltan %(missing)s."),
        ALL_BACK,
        "Entraron %(came)s, faltan %(missing)s",
        "Falta una parte",
        "preparing",
    )
    LAPSED = (
        "lapsed",
        _("Se venció"),
        _(
            "Ya no se guarda. Si igual pagaste y sigue libre, queda para vos; si no, te "
            "devolvemos todo."
        ),
        NOTHING_PAID,
        "Se venció sin pagar",
        "Vencida",
        "expired",
    )
    TIME_TAKEN = (
        "time_taken",
        _("Horario ocupado"),
        _("Otra persona pagó antes una clase a esa hora. Si justo pagaste, te devolvemos todo."),
        NOTHING_PAID,
        "Perdió el horario",
        "Horario ocupado",
        "expired",
    )
    TRANSFER_REFUSED = (
        "transfer_refused",
        _("Transferencia sin llegar"),
        _(
            "Tu profe no encontró la operación %(number)s. Fijate en tu banco si salió, y "
            "avisala de nuevo."
        ),
        _("Si la transferencia llegó igual, tu profe te la devuelve."),
        "La transferencia no llegó",
        "Transferencia sin llegar",
        "pending",
    )
    REJECTED = (
        "rejected",
        _("Pago rechazado"),
        _("No se te cobró nada. Probá con otra tarjeta u otro medio."),
        NOTHING_PAID,
        "Pago rechazado",
        "Rechazado",
        "cancelled",
    )
    KEPT = (
        "kept",
        _("Por pagar"),
        _("Falta pagar %(amount)s."),
        NOTHING_PAID,
        "Sin pagar: %(amount)s",
        "Por pagar",
        "pending",
    )

    @property
    def may_pay(self) -> bool:
        return self in PAYABLE


PAYABLE = {
    MoneyState.SHORT,
    MoneyState.TRANSFER_REFUSED,
    MoneyState.REJECTED,
    MoneyState.KEPT,
}
