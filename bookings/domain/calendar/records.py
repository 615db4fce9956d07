"""The record in an event from which a lost class can be rebuilt.

Encrypted, because other programs may read an event's private properties.
"""

import json
import uuid
from dataclasses import asdict, dataclass

from bookings.models import VirtualClass
from config.lib.encryption import find_sealed, seal

VERSION = 1


@dataclass(frozen=True, slots=True)
class ClassRecord:
    """A class when its event was made. Times: ISO 8601; ``paid_at`` empty if unpaid."""

    class_id: str
    preference_id: str
    host_id: str
    host_email: str
    class_type: str
    price: int
    places: int
    learning_focus: str
    booked_at: str
    paid_at: str
    # The key of the offer; earlier records have none.
    offer: str = ""
    # Centavos, and the code of the discount; earlier records have neither.
    discount: int = 0
    discount_code: str = ""


def seal_record(virtual_class: VirtualClass) -> str:
    record = ClassRecord(
        class_id=str(virtual_class.pk),
        preference_id=virtual_class.preference_id,
        host_id=str(virtual_class.booked_by_id),
        host_email=virtual_class.booked_by.email,
        class_type=virtual_class.class_type,
        price=virtual_class.class_price,
        places=virtual_class.max_participants,
        learning_focus=virtual_class.learning_focus,
        booked_at=virtual_class.created_at.isoformat(),
        paid_at=virtual_class.paid_at.isoformat() if virtual_class.paid_at else "",
        offer=virtual_class.offer.key if virtual_class.offer else "",
        discount=virtual_class.discount,
        discount_code=virtual_class.discount_code.code if virtual_class.discount_code else "",
    )
    return seal(json.dumps({"version": VERSION, **asdict(record)}, ensure_ascii=False))


def open_record(text: str, *, class_id: uuid.UUID) -> ClassRecord | None:
    """Return None for a missing or forged record, or another class's."""
    opened = find_sealed(text) if text else None
    if opened is None:
        return None
    try:
        fields = json.loads(opened)
        if fields.pop("version") != VERSION:
            return None
        record = ClassRecord(**fields)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
    return record if record.class_id == str(class_id) else None
