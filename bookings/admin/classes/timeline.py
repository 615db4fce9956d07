"""The timeline of a class."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from accounts.models import User
from bookings.admin.timeline import Entry
from bookings.domain.recovery.drift import RECURS
from bookings.models import CalendarDrift, ClassEvent, ClassLog, ClassStatus, VirtualClass
from bookings.templatetags.class_times import clock, short_day

TEXTS = {
    ClassEvent.BOOKED: "Se reservó",
    ClassEvent.PAID: "Se confirmó el pago",
    ClassEvent.SCHEDULED: "Quedó agendada",
    ClassEvent.JOINED: "Se sumó {person}",
    ClassEvent.LEFT: "Dejó su lugar {person}",
    ClassEvent.RESCHEDULED: "Cambió de horario: del {from} al {to}",
    ClassEvent.ZONE_CHANGED: "Cambió la hora oficial: la clase sigue el {to}",
    ClassEvent.PRICE_AGREED: "Se aceptó su precio, que no está en la lista",
    ClassEvent.CANCELLED: "Se canceló",
    ClassEvent.COMPLETED: "Se completó",
    ClassEvent.REOPENED: "Se abrió de nuevo: un reloj adelantado la había completado",
    ClassEvent.NO_SHOW: "Faltó {person}",
    ClassEvent.SHOWED_UP: "Se corrigió la falta de {person}",
    ClassEvent.OFFERED: "Se ofreció un lugar a {person}, hasta el {until}",
    ClassEvent.CAPACITY_CHANGED: "Pasó de {places_before} a {places} lugares",
    ClassEvent.EVENT_REMOVED: "Se quitó el evento del calendario",
    ClassEvent.EVENT_DRIFTED: "El calendario empezó a decir otra cosa",
    ClassEvent.EVENT_REPAIRED: "Se reparó el evento del calendario",
    ClassEvent.REBUILT: "Se recuperó del calendario",
}
KINDS = {
    ClassEvent.PAID: "good",
    ClassEvent.PRICE_AGREED: "good",
    ClassEvent.SCHEDULED: "good",
    ClassEvent.COMPLETED: "good",
    ClassEvent.EVENT_REPAIRED: "good",
    ClassEvent.REBUILT: "good",
    ClassEvent.CANCELLED: "bad",
    ClassEvent.NO_SHOW: "bad",
    ClassEvent.EVENT_DRIFTED: "bad",
}
TIMES = ("from", "to", "until")
NUMBERS = ("places_before", "places")
SERVICE, UNKNOWN = "el servicio", "—"


def build_timeline(virtual_class: VirtualClass) -> list[Entry]:
    """List a class's history, oldest first, in two queries."""
    lines = list(virtual_class.log.select_related("actor").order_by("at", "id"))
    people = _name_people(lines)
    entries = [_entry(line, people) for line in lines]
    if not any(line.event == ClassEvent.BOOKED for line in lines):
        who = f"por {virtual_class.booked_by}"
        entries.insert(0, Entry(virtual_class.created_at, "start", "Se reservó", who))
    return entries


def describe_drift(virtual_class: VirtualClass) -> str:
    """Describe how the event differs from its class."""
    lines = virtual_class.log.filter(event=ClassEvent.EVENT_DRIFTED).order_by("at", "id")
    noted = lines.last()
    if noted is None or noted.details.get("drift") != virtual_class.calendar_drift:
        return str(virtual_class.get_calendar_drift_display())
    return _drift(noted)


def _entry(line: ClassLog, people: dict[str, str]) -> Entry:
    event = ClassEvent(line.event)
    words = {name: _moment(line.details.get(name)) for name in TIMES}
    words |= {name: str(line.details.get(name, UNKNOWN)) for name in NUMBERS}
    words["person"] = people.get(str(line.details.get("person")), UNKNOWN)
    details = [f"por {line.actor or SERVICE}", _transition(line), _drift(line), line.reason]
    return Entry(
        line.at,
        "start" if event == ClassEvent.BOOKED else KINDS.get(event, "plain"),
        TEXTS[event].format(**words),
        " · ".join(filter(None, details)),
    )


def _transition(line: ClassLog) -> str:
    if not line.to_status:
        return ""
    after = ClassStatus(line.to_status).label
    if not line.from_status:
        return str(after)
    return f"{ClassStatus(line.from_status).label} → {after}"


def _drift(line: ClassLog) -> str:
    kind = line.details.get("drift")
    if kind not in CalendarDrift.values:
        return ""
    if line.details.get(RECURS):
        return "El evento se repite"
    where = f" ({_moment(line.details['start'])})" if "start" in line.details else ""
    return f"{CalendarDrift(kind).label}{where}"


def _moment(text: object) -> str:
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        return UNKNOWN
    return f"{short_day(moment)}, {clock(moment)}"


def _name_people(lines: Iterable[ClassLog]) -> dict[str, str]:
    ids = {line.details["person"] for line in lines if _is_id(line.details.get("person"))}
    return {str(pk): str(person) for pk, person in User.objects.in_bulk(ids).items()}


def _is_id(value: object) -> bool:
    try:
        return bool(UUID(str(value)))
    except ValueError:
        return False
