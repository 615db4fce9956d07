"""The refusals of the domain, with their texts for students."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from bookings.models import RefundCase, VirtualClass
from bookings.payments.backend import PROVIDER_NAME

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


class BookingError(Exception):
    """A refusal; ``code`` is for the API, logs and ``scheduling_refusal``.

    refund_case: why money goes back if what was paid is refused so. None: it stays.
    """

    text: "StrOrPromise" = _("No se pudo completar la operación.")
    code = "refused"
    refund_case: RefundCase | None = None

    def __init__(self, text: "StrOrPromise" = "") -> None:
        super().__init__(text)
        self.text = text or self.text

    def __str__(self) -> str:
        return str(self.text)


class PreferenceTakenError(BookingError):
    text = _("Esa preferencia de pago ya tiene una reserva.")


class SlotTakenError(BookingError):
    text = _("Ese horario ya está ocupado.")
    code = "slot_taken"
    refund_case = RefundCase.SLOT_LOST


class SlotNotOfferedError(SlotTakenError):
    """Outside of the teacher's hours, in a closure, too soon, too far ahead, or off the grid."""

    text = _("Tu profe no ofrece ese horario.")
    code = "slot_not_offered"


class TimeAwaitedError(SlotTakenError):
    """``classes`` were paid for the time and wait for the calendar."""

    text = _("Hay una clase pagada para ese horario, que espera al calendario.")

    def __init__(self, classes: Sequence[VirtualClass]) -> None:
        super().__init__()
        self.classes = classes


class HoldExpiredError(BookingError):
    text = _("Se venció el tiempo para reservar ese horario. Elegilo de nuevo.")


class NoPriceError(BookingError):
    text = _("No ofrecemos clases de ese tipo y duración.")


class PriceChangedError(BookingError):
    text = _(
        "El precio cambió mientras tanto. Mirá el nuevo antes de seguir: todavía no reservamos "
        "nada."
    )


class OfferOverError(BookingError):
    text = _("Esa clase ya no se ofrece. Estas son las que podés reservar.")


class OfferUsedError(BookingError):
    text = _("Esa clase es una sola vez por persona, y ya la reservaste. Elegí otra.")


class PriceTooLowError(BookingError):
    text = _("El precio es menor que el de la lista.")


class PriceNotAgreedError(BookingError):
    text = _("La clase no está en la lista de precios: falta que tu profe la acepte.")
    code = "price_not_agreed"


class PhotoError(BookingError):
    """An uploaded file that is not taken as a photo."""


class AlreadySetUpError(BookingError):
    text = _("Tus horarios y precios ya están cargados.")


class TooManyError(BookingError):
    """A rate limit; the next try may succeed after ``wait_seconds``."""

    def __init__(self, *, wait_seconds: int) -> None:
        super().__init__()
        self.wait_seconds = wait_seconds


class TooManyHoldsError(TooManyError):
    text = _("Ya tenés varias reservas sin pagar. Pagalas o esperá a que venzan.")


class TooManyLapsedError(TooManyHoldsError):
    text = _(
        "Se te vencieron varias reservas sin pagar. Hasta que pagues una, te guardamos de a una y "
        "con una pausa de dos horas entre ellas."
    )


class TooManyChosenError(TooManyLapsedError):
    text = _(
        "Elegiste muchos horarios en un día. Probá de nuevo en unas horas, o escribile a tu profe."
    )


class TooManyAttemptsError(TooManyError):
    text = _("Demasiados intentos. Probá de nuevo en unos minutos.")


class TooManyBookingsError(TooManyError):
    text = _("Hiciste demasiadas reservas seguidas. Probá de nuevo más tarde.")


class TooManyLookUpsError(TooManyError):
    text = _("Preguntaste demasiadas veces por el pago. Probá de nuevo en un minuto.")


class ClassNotFoundError(BookingError):
    """No class has this preference, code or id, for this person."""

    text = _("No encontramos ninguna clase con ese código de acceso.")
    code = "class_not_found"


class NotHostError(BookingError):
    text = _("Solo quien reservó la clase puede cambiarla o cancelarla.")
    code = "not_host"


class OwnClassError(BookingError):
    text = _("Esta clase la reservaste vos: no hace falta que te sumes.")
    code = "own_class"
    refund_case = RefundCase.PAID_TWICE


class ClassEndedError(BookingError):
    text = _("La clase ya terminó.")
    code = "class_ended"
    refund_case = RefundCase.CLASS_OVER


class ClassFullError(BookingError):
    text = _("La clase está completa.")
    code = "class_full"
    refund_case = RefundCase.PLACE_LOST


class PlaceOfferedError(ClassFullError):
    text = _("El lugar que queda está ofrecido a otra persona de la lista de espera.")
    code = "place_offered"


class PlaceHeldError(ClassFullError):
    text = _("Los lugares que quedan los están pagando otras personas. Probá en unos minutos.")
    code = "place_held"


class OfferLapsedError(BookingError):
    text = _(
        "Te ofrecimos un lugar de esta clase y no lo pagaste: por un día no te ofrecemos otro. Si "
        "queda alguno libre, podés reservarlo igual."
    )


class AlreadyJoinedError(BookingError):
    text = _("Ya tenés un lugar en esta clase.")
    code = "already_joined"
    refund_case = RefundCase.PAID_TWICE


class ClassCancelledError(BookingError):
    text = _("La clase fue cancelada.")
    code = "class_cancelled"
    refund_case = RefundCase.PAID_AFTER_CANCELLING


class ClassCompletedError(BookingError):
    text = _("La clase ya se dio.")
    code = "class_completed"


class ClassPendingError(BookingError):
    text = _("La clase todavía no está confirmada: su horario no se puede cambiar.")
    code = "class_pending"


class FreshSignInNeededError(BookingError):
    """The teacher signed in too long ago for a step that moves the money or data of others."""

    text = _("Para esto tenés que volver a ingresar: pasó un rato desde la última vez.")
    code = "sign_in_again"


class TooLateToChangeError(BookingError):
    text = _("Ya pasó el plazo para ese cambio.")
    code = "too_late"


class SameTimeError(BookingError):
    text = _("La clase ya tiene ese horario.")
    code = "same_time"


class TimeOverError(BookingError):
    text = _("Ese horario ya pasó.")
    code = "time_over"


class NotPaidError(BookingError):
    text = _("El pago de la clase todavía no está confirmado.")
    code = "not_paid"


class PaymentsOffError(BookingError):
    text = _("Todavía no recibimos pagos en línea.")


class TriggerRefusedError(BookingError):
    text = _("No se puede agendar la clase por esta vía.")


class RefundTooLargeError(BookingError):
    text = _("No se puede devolver más de lo que queda del pago.")


class RefundOutdatedError(BookingError):
    text = _("Mientras tanto se pidió otra devolución. Revisá cuánto queda.")


class RefundChangedError(BookingError):
    text = _("Mientras tanto cambió lo que te devolvemos. Fijate de nuevo.")
    code = "refund_changed"


class EventNotSavedError(BookingError):
    """The event is in the calendar; a retry saves the class."""

    text = _("No pudimos guardar la clase agendada. Volvé a intentarlo.")
    code = "event_not_saved"


class ImpossibleHoursError(BookingError):
    def __init__(self, weekday: int, text: str) -> None:
        super().__init__(text)
        self.weekday = weekday


class ClassesAheadError(BookingError):
    text = _(
        "Todavía tenés clases por delante. Cancelalas o dejá tu lugar, o esperá a que pasen, y "
        "después borrá la cuenta."
    )


class TransferWaitsError(BookingError):
    text = _(
        "Una transferencia tuya espera que tu profe la confirme o la devuelva, y sin tu nombre no "
        "sabría a quién. Escribile, y después borrá la cuenta."
    )


class TransferNotOfferedError(BookingError):
    """No time is kept for a bank transfer."""


class TransfersOffError(TransferNotOfferedError):
    text = _("Tu profe no recibe transferencias por acá.")


class OperationNumberError(BookingError):
    text = _("El número de operación tiene entre 4 y 40 letras y números.")


class AlreadyPaidError(BookingError):
    text = _("Ya está pagado.")


class PaymentUnderwayError(BookingError):
    text = format_lazy(
        _("Tu pago por {provider} todavía está pendiente: no hace falta que pagues de nuevo."),
        provider=PROVIDER_NAME,
    )


class TooManyTransfersError(BookingError):
    """A limit of announced transfers; the text says which."""


class TransferDecidedError(BookingError):
    text = _("Sobre esta transferencia ya decidiste.")
