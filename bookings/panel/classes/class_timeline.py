"""The timeline of a class."""

from datetime import datetime

from accounts.models import User
from bookings.domain.calendar.comparing import RECURS
from bookings.models import CalendarDrift, ClassEvent, ClassLog, ClassStatus, VirtualClass
from bookings.panel.lists import Entry, day_at
from bookings.templatetags.class_times import pesos

# For each event the kind of its entry, and its text.
TEXTS = {
    ClassEvent.BOOKED: ("start", "Se reservó"),
    ClassEvent.BOOKED_FOR: ("start", "Se reservó"),
    ClassEvent.PAID: ("good", "Se confirmó el pago"),
    ClassEvent.SCHEDULED: ("good", "Quedó agendada"),
    ClassEvent.JOINED: ("plain", "Se sumó {person}"),
    ClassEvent.LEFT: ("plain", "Dejó su lugar {person}"),
    ClassEvent.RESCHEDULED: ("plain", "Cambió de horario: del {from} al {to}"),
    ClassEvent.ZONE_CHANGED: ("plain", "Cambió la hora oficial: la clase sigue el {to}"),
    ClassEvent.PRICE_AGREED: ("good", "Se aceptó su precio, que no está en la lista"),
    ClassEvent.PUBLISHED: ("good", "Se publicó"),
    ClassEvent.SEAT_PAID: ("good", "{person} pagó su lugar: {amount}"),
    ClassEvent.SEAT_LOST: ("bad", "Pagó {person}, pero se quedó sin lugar: se le devuelve"),
    ClassEvent.GOES_ON: ("good", "Se da"),
    ClassEvent.TRANSFER_ANNOUNCED: ("plain", "Avisó una transferencia {person}"),
    ClassEvent.TRANSFER_CONFIRMED: ("good", "Llegó la transferencia de {person}"),
    ClassEvent.TRANSFER_REFUSED: ("bad", "No llegó la transferencia de {person}"),
    ClassEvent.TRANSFER_RETURNED: ("plain", "Se devolvió la transferencia de {person}"),
    ClassEvent.CASH_RETURNED: ("plain", "Le devolviste {amount} a {person}"),
    ClassEvent.CANCELLED: ("bad", "Se canceló"),
    ClassEvent.COMPLETED: ("good", "Se completó"),
    ClassEvent.REOPENED: ("plain", "Se abrió de nuevo: un reloj adelantado la había completado"),
    ClassEvent.NO_SHOW: ("bad", "Faltó {person}"),
    ClassEvent.SHOWED_UP: ("plain", "Se corrigió la falta de {person}"),
    ClassEvent.OFFERED: ("plain", "Se ofreció un lugar a {person}, hasta el {until}"),
    ClassEvent.CAPACITY_CHANGED: ("plain", "Pasó de {places_before} a {places} lugares"),
    ClassEvent.MESSAGE_SENT: ("plain", "Salió un mensaje. Personas que lo reciben: {people}"),
    ClassEvent.LINK_CHANGED: ("plain", "Se cambió el enlace del estudiante"),
    ClassEvent.LINK_MAILED: ("plain", "Se mandó el enlace por correo"),
    ClassEvent.CLAIMED: ("good", "La tomó {person} con su cuenta"),
    ClassEvent.UNCLAIMED: ("bad", "Volvió atrás: salió de la cuenta de {person}"),
    ClassEvent.EVENT_REMOVED: ("plain", "Se quitó el evento del calendario"),
    ClassEvent.EVENT_DRIFTED: ("bad", "El calendario empezó a decir otra cosa"),
    ClassEvent.EVENT_REPAIRED: ("good", "Se reparó el evento del calendario"),
    ClassEvent.REBUILT: ("good", "Se recuperó del calendario"),
}
TIMES = ("from", "to", "until")
NUMBERS = ("places_before", "places", "people")
SERVICE, UNKNOWN = "el servicio", "—"


def build_timeline(virtual_class: VirtualClass) -> list[Entry]:
    """Oldest first, in two queries."""
    lines = list(virtual_class.log.select_related("actor").order_by("at", "id"))
    ids = {line.details["person"] for line in lines if "person" in line.details}
    people = {str(pk): str(person) for pk, person in User.objects.in_bulk(ids).items()}
    entries = [_entry(line, people) for line in lines]
    if not any(line.event in {ClassEvent.BOOKED, ClassEvent.BOOKED_FOR} for line in lines):
        who = f"por {virtual_class.booked_by}"
        entries.insert(0, Entry(virtual_class.created_at, "start", "Se reservó", who))
    return entries


def describe_drift(virtual_class: VirtualClass) -> str:
    drifts = virtual_class.log.filter(event=ClassEvent.EVENT_DRIFTED)
    noted = drifts.order_by("at", "id").last()
    if noted is None or noted.details.get("drift") != virtual_class.calendar_drift:
        return str(virtual_class.get_calendar_drift_display())
    return _drift(noted)


def _entry(line: ClassLog, people: dict[str, str]) -> Entry:
    kind, text = TEXTS[ClassEvent(line.event)]
    words = {name: _moment(line.details.get(name)) for name in TIMES}
    words |= {name: str(line.details.get(name, UNKNOWN)) for name in NUMBERS}
    words["amount"] = pesos(line.details.get("amount", 0))
    words["person"] = people.get(line.details.get("person", ""), UNKNOWN)
    details = [f"por {line.actor or SERVICE}", _transition(line), *_sale(line), _drift(line)]
    details.append(line.reason)
    return Entry(line.at, kind, text.format(**words), " · ".join(filter(None, details)))


def _sale(line: ClassLog) -> list[str]:
    told = line.details
    offer = f"oferta «{told['offer']}»" if "offer" in told else ""
    if "code" not in told:
        return [offer]
    return [offer, f"código {told['code']}: {pesos(told['discount']['amount'])} menos"]


def _transition(line: ClassLog) -> str:
    states = [line.from_status, line.to_status] if line.to_status else []
    return " → ".join(str(ClassStatus(state).label) for state in states if state)


def _drift(line: ClassLog) -> str:
    kind = line.details.get("drift")
    if kind not in CalendarDrift.values:
        return ""
    if line.details.get(RECURS):
        return "El evento se repite"
    where = f" ({_moment(line.details['start'])})" if "start" in line.details else ""
    return f"{CalendarDrift(kind).label}{where}"


def _moment(text: str | None) -> str:
    return day_at(datetime.fromisoformat(text)) if text else UNKNOWN
