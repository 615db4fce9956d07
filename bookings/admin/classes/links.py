"""The link of a class, for the teacher to send."""

from dataclasses import dataclass
from urllib.parse import quote

from accounts.models import User
from accounts.phones import whatsapp_share_url, whatsapp_url
from bookings.admin.classes.link_steps import find_open_link, find_undecided_claim
from bookings.models import ClassStatus, VirtualClass
from bookings.notices.facts import site_address
from bookings.templatetags.class_times import clock, long_day


@dataclass(frozen=True, slots=True)
class StudentLink:
    """claimed_by: the account that took the student's class, until the teacher decides about it.

    whatsapp_url: without a phone, WhatsApp asks for the person.
    """

    student: User
    address: str = ""
    whatsapp_url: str = ""
    mailto: str = ""
    claimed_by: User | None = None

    @property
    def mail_address(self) -> str:
        return self.student.mail_address


def present_link(virtual_class: VirtualClass) -> StudentLink | None:
    """Return None if nothing is to be decided, and the class is over, cancelled or an account's."""
    claim = find_undecided_claim(virtual_class)
    if claim and claim.made_for:
        return StudentLink(claim.made_for, claimed_by=claim.claimed_by)
    link, student = find_open_link(virtual_class), virtual_class.booked_by
    is_cancelled = virtual_class.status == ClassStatus.CANCELLED
    if link is None or link.claimed_by_id or is_cancelled:
        return None
    address = site_address("bookings:class_link", link.token)
    text = _write(virtual_class, address)
    subject = f"Tu clase del {long_day(virtual_class.start_time)}"
    return StudentLink(
        student=student,
        address=address,
        whatsapp_url=whatsapp_url(student.phone, text) or whatsapp_share_url(text),
        mailto=f"mailto:?subject={quote(subject)}&body={quote(text)}",
    )


def _write(virtual_class: VirtualClass, address: str) -> str:
    start, name = virtual_class.start_time, virtual_class.booked_by.first_name
    then = "la ves y entrás" if virtual_class.is_paid else "la ves y la pagás"
    booked = f"te reservé una clase el {long_day(start)} a las {clock(start)}"
    return f"Hola {name}, {booked}. Acá {then}: {address}"
