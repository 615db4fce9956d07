"""What the referee judges by: what is stored, what the world saw, what people were promised."""

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from email import message_from_string
from pathlib import Path
from typing import Any, Literal

from accounts.models import User
from bookings.models import (
    BankTransfer,
    ClassLog,
    Entry,
    Notice,
    Payment,
    PaymentCharge,
    Purchase,
    Refund,
    UserActivity,
    VirtualClass,
    WaitingListEntry,
)
from tests.drills.standins import Remote

Kind = Literal["lost", "doubled", "wrong"]
# Django's folder of mails parts them by such a line.
END_OF_MAIL = "\n" + "-" * 79 + "\n"


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken promise.

    invariant: I1 to I9. subject: what was lost or doubled, such as ``event``.
    """

    invariant: str
    kind: Kind
    subject: str
    about: str


@dataclass(slots=True)
class Promises:
    """What people were answered, which must hold whatever happened since.

    bookings: preference ids. places: class and person; left: those given up since. codes: the code
    that a class showed.
    """

    bookings: set[str] = field(default_factory=set)
    places: set[tuple[uuid.UUID, uuid.UUID]] = field(default_factory=set)
    left: set[tuple[uuid.UUID, uuid.UUID]] = field(default_factory=set)
    codes: dict[uuid.UUID, str] = field(default_factory=dict)


@dataclass(slots=True)
class Rows:
    """What the service has stored."""

    classes: list[VirtualClass] = field(default_factory=list)
    activities: list[UserActivity] = field(default_factory=list)
    log: list[ClassLog] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    payments: list[Payment] = field(default_factory=list)
    charges: list[PaymentCharge] = field(default_factory=list)
    refunds: list[Refund] = field(default_factory=list)
    people: list[User] = field(default_factory=list)
    line: list[WaitingListEntry] = field(default_factory=list)
    purchases: list[Purchase] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    transfers: list[BankTransfer] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail that left."""

    message_id: str
    to: str
    subject: str


@dataclass(slots=True)
class Outside:
    """What the world has seen of the service.

    events, charges: as Google and Mercado Pago store them, deleted ones too. mails: all that left.
    """

    events: list[dict[str, Any]] = field(default_factory=list)
    charges: list[dict[str, Any]] = field(default_factory=list)
    mails: list[Mail] = field(default_factory=list)


def read_rows() -> Rows:
    """Read everything that is stored."""
    return Rows(
        classes=list(VirtualClass.objects.all()),
        activities=list(UserActivity.objects.all()),
        log=list(ClassLog.objects.all()),
        notices=list(Notice.objects.select_related("user")),
        payments=list(Payment.objects.all()),
        charges=list(PaymentCharge.objects.all()),
        refunds=list(Refund.objects.select_related("charge")),
        people=list(User.objects.all()),
        line=list(WaitingListEntry.objects.all()),
        purchases=list(Purchase.objects.all()),
        entries=list(Entry.objects.select_related("charge")),
        transfers=list(BankTransfer.objects.all()),
    )


def look_outside(google: Remote, mercadopago: Remote, mails: Path) -> Outside:
    """Ask the stand-ins what they were told, and read the mails that left."""
    return Outside(google.events(), mercadopago.payments(), list(read_mails(mails)))


def read_mails(folder: Path) -> Iterator[Mail]:
    """Read the mails of Django's file backend, in the order in which they left."""
    for file in sorted(folder.glob("*.log")):
        for text in file.read_text().split(END_OF_MAIL):
            mail = message_from_string(text.lstrip("\n"))
            if mail["Message-ID"]:
                yield Mail(mail["Message-ID"], mail["To"], str(mail["Subject"]))


def count_mails(mails: Iterable[Mail], notices: Iterable[uuid.UUID]) -> int:
    """Count the mails of these notices: a Message-ID begins with its notice's id."""
    ids = set(map(str, notices))
    return sum(mail.message_id.strip("<").partition(".")[0] in ids for mail in mails)
