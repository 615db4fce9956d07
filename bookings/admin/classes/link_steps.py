"""The steps of a class's link."""

from functools import partial
from typing import Any

from accounts.models import User
from bookings.admin.steps import Facts, Report, Step, group_mails
from bookings.domain.dry_runs import foresee
from bookings.domain.people.claiming import confirm_claim, return_claim
from bookings.domain.places.class_links import replace_link
from bookings.models import ClassLink, VirtualClass


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
