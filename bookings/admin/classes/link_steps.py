"""The steps of a class's link."""

from typing import Any

from accounts.models import User
from bookings.admin.classes.forms import ReturnForm
from bookings.admin.steps import Facts, Report, Step, group_mails
from bookings.domain.dry_runs import foresee
from bookings.domain.people.claiming import return_claim
from bookings.domain.places.class_links import replace_link
from bookings.models import ClassLink, VirtualClass


def find_open_link(row: VirtualClass) -> ClassLink | None:
    """Return None if the class is over."""
    link: ClassLink | None = getattr(row, "link", None)
    return None if row.has_ended() else link


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


class ReturnClaim(Step[VirtualClass]):
    name, needs_input, is_final, form = "deshacer", True, True, ReturnForm
    label, yes = "La tomó otra persona", "Sí, quitar la clase de esa cuenta"
    warning = "Quien la tomó ya vio el enlace de la videollamada."

    def is_offered(self, row: VirtualClass) -> bool:
        link = find_open_link(row)
        return link is not None and link.claimed_by_id is not None

    def foresee(self, row: VirtualClass, form: ReturnForm, actor: User) -> Facts | None:
        claimer = row.booked_by
        seen = foresee(lambda: _return(row, form, actor), [])
        happens = (
            f"Las clases que {claimer} tomó con ese enlace salen de su cuenta, con sus pagos.",
            f"Quedan para {seen.result.booked_by}, sin cuenta, cada una con un enlace nuevo.",
        )
        return Facts(str(row), happens, group_mails(seen.mails))

    def take(self, row: VirtualClass, form: ReturnForm, actor: User) -> Report:
        returned = _return(row, form, actor)
        return Report(f"Listo: la clase es de {returned.booked_by}. Mandale el enlace nuevo.")


def _return(row: VirtualClass, form: ReturnForm, by: User) -> VirtualClass:
    given = form.cleaned_data
    return return_claim(
        class_id=row.pk, name=given["who"], phone=given["phone"], email=given["email"], by=by
    )
