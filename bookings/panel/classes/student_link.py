"""The link of a class, for the teacher to send, and its steps."""

from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

from accounts.models import User
from accounts.phones import whatsapp_share_url, whatsapp_url
from bookings.domain.dry_runs import foresee
from bookings.domain.people.claiming import confirm_claim, replace_link, return_claim
from bookings.models import ClassLink, ClassStatus, VirtualClass
from bookings.notices.facts import site_address
from bookings.panel.steps import Facts, Report, Step, group_mails
from bookings.templatetags.class_times import clock, long_day


def find_open_link(row: VirtualClass) -> ClassLink | None:
    """Return None if the class is over."""
    link: ClassLink | None = getattr(row, "link", None)
    return None if row.has_ended() else link


def find_undecided_claim(row: VirtualClass) -> ClassLink | None:
    link: ClassLink | None = getattr(row, "link", None)
    return link if link and link.is_undecided else None


class ReplaceLink(Step[VirtualClass]):
    name, label, yes = "enlace", "Enlace nuevo", "Sí, cambiar el enlace"
    warning = "Después mandáselo: no sale solo."

    def is_offered(self, row: VirtualClass) -> bool:
        link = find_open_link(row)
        return link is not None and link.claimed_by_id is None

    def foresee(self, row: VirtualClass, form: Any, actor: User) -> Facts | None:
        # The facts name the link by its end, so that a second submit confirms other facts.
        end = row.link.token[-4:]
        foresee(lambda: replace_link(class_id=row.pk, by=actor), [row.pk])
        dies = (
            f"El enlace que termina en «{end}» deja de servir: quien lo abra lee que lo cambiaste."
        )
        return Facts(str(row), (dies, "La clase y su pago quedan como están."))

    def take(self, row: VirtualClass, form: Any, actor: User) -> Report:
        replace_link(class_id=row.pk, by=actor)
        return Report("Listo: este es el enlace nuevo. Mandáselo.")


class ConfirmClaim(Step[VirtualClass]):
    name, label, yes = "misma-persona", "Es la misma persona", "Sí, es la misma persona"
    is_sensitive = True
    warning = "No se puede deshacer."

    def is_offered(self, row: VirtualClass) -> bool:
        claim = find_undecided_claim(row)
        return claim is not None and claim.made_for is not None and claim.made_for.is_placeholder

    def foresee(self, row: VirtualClass, form: Any, actor: User) -> Facts | None:
        claim = find_undecided_claim(row)
        person = claim.made_for if claim else None
        others = [f"Pasa a su cuenta: {one}." for one in _list_classes(person)]
        confirm = partial(confirm_claim, class_id=row.pk, by=actor, fresh_sign_in=True)
        seen = foresee(confirm, [])
        account = f"{seen.result} ({seen.result.mail_address})"
        happens = (
            f"{person}, sin cuenta, y {account} quedan como una sola persona.",
            *(others or ["No tiene otras clases."]),
            "Va a ver lo que anotaste para practicar. Tus notas y su teléfono pasan a su ficha.",
        )
        return Facts(str(row), happens)

    def take(self, row: VirtualClass, form: Any, actor: User) -> Report:
        account = confirm_claim(class_id=row.pk, by=actor, fresh_sign_in=form.fresh_sign_in)
        return Report(f"Listo: todo quedó en la cuenta de {account}.")


class ReturnClaim(Step[VirtualClass]):
    name, is_final, is_sensitive = "deshacer", True, True
    label, yes = "La tomó otra persona", "Sí, quitar la clase de esa cuenta"
    warning = "Quien la tomó ya vio el enlace de la videollamada."

    def is_offered(self, row: VirtualClass) -> bool:
        return find_undecided_claim(row) is not None

    def foresee(self, row: VirtualClass, form: Any, actor: User) -> Facts | None:
        claimer = row.booked_by
        give_back = partial(return_claim, class_id=row.pk, by=actor, fresh_sign_in=True)
        seen = foresee(give_back, [row.pk])
        person = seen.result.booked_by
        known = ", ".join(filter(None, (person.phone, person.mail_address)))
        happens = (
            f"La clase sale de la cuenta de {claimer}, con su pago.",
            f"Vuelve a ser de {person} ({known}), con un enlace nuevo.",
        )
        return Facts(str(row), happens, group_mails(seen.mails))

    def take(self, row: VirtualClass, form: Any, actor: User) -> Report:
        fresh = form.fresh_sign_in
        returned = return_claim(class_id=row.pk, by=actor, fresh_sign_in=fresh)
        return Report(f"Listo: la clase es de {returned.booked_by}. Mandale el enlace nuevo.")


def _list_classes(person: User | None) -> list[VirtualClass]:
    return list(person.booked_classes.order_by("start_time")) if person else []


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
