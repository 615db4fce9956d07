"""The steps of a person."""

from functools import partial
from typing import Any

from accounts.models import Session, User, UserStatus
from accounts.services import reactivate, suspend
from bookings.admin.classes.steps import describe
from bookings.admin.steps import Facts, Report, Step, group_mails
from bookings.domain.dry_runs import foresee
from bookings.domain.exceptions import ClassesAheadError, NotHostError, TransferWaitsError
from bookings.domain.people.erasing import erase_person, foresee_erasing, list_claims
from bookings.domain.places.place_offers import list_open_entries
from bookings.domain.queries import list_next_classes_of


class SuspendPerson(Step[User]):
    name = "suspender"
    label, bulk, yes = "Suspender la cuenta", "Suspender", "Sí, suspender"

    def is_offered(self, row: User) -> bool:
        return row.status == UserStatus.ACTIVE and not row.is_superuser

    def foresee(self, row: User, form: Any, actor: User) -> Facts | None:
        if not self.is_offered(row):
            return None
        sessions = Session.objects.filter(user=row).count()
        waits_for = list_open_entries(row).values_list("virtual_class", flat=True)
        seen = foresee(partial(suspend, user=User.objects.get(pk=row.pk)), list(waits_for))
        happens = [f"No puede entrar hasta que la reactives. Sesiones que se cierran: {sessions}."]
        happens += [f"Sigue en pie: {describe(one)}." for one in list_next_classes_of(row)]
        return Facts(_name(row), tuple(happens), group_mails(seen.mails))

    def take(self, row: User, form: Any, actor: User) -> Report:
        suspend(user=row)
        return Report(f"{row}: cuenta suspendida.")


class ReactivatePerson(Step[User]):
    name = "reactivar"
    label, bulk, yes = "Reactivar la cuenta", "Reactivar", "Sí, reactivar"

    def is_offered(self, row: User) -> bool:
        return row.status == UserStatus.SUSPENDED

    def foresee(self, row: User, form: Any, actor: User) -> Facts | None:
        if not self.is_offered(row):
            return None
        return Facts(_name(row), ("Puede volver a entrar y reservar.",))

    def take(self, row: User, form: Any, actor: User) -> Report:
        reactivate(user=row)
        return Report(f"{row}: cuenta reactivada.")


class ErasePerson(Step[User]):
    name = "borrar"
    is_final = is_sensitive = True
    label, yes = "Borrar la cuenta", "Sí, borrar la cuenta"
    warning = "No se puede deshacer. Si pidió sus datos, exportalos antes."
    refusals = {
        ClassesAheadError: "Esta persona todavía tiene clases por delante. Cancelalas, o esperá a "
        "que pasen, y después borrá la cuenta.",
        TransferWaitsError: "Esta persona avisó una transferencia. Decí si llegó, o que la "
        "devolviste, y después borrá la cuenta: sin su nombre no sabrías a quién devolverla.",
        NotHostError: "Esta persona tiene una reserva sin pagar, y solo puede cancelarla la profe.",
    }

    def is_offered(self, row: User) -> bool:
        return not row.is_staff and row.status != UserStatus.ERASED

    def foresee(self, row: User, form: Any, actor: User) -> Facts | None:
        if row.status == UserStatus.ERASED:
            return None
        seen = foresee_erasing(user=row, by=actor)
        happens = (
            "Se borran su nombre, su correo, su perfil, sus sesiones y los correos que le "
            "mandamos.",
            *(f"Se cancela: {describe(one)}, sin pagar." for one in seen.result),
            *(f"{one.virtual_class} vuelve a ser de {one.made_for}." for one in list_claims(row)),
            "Quedan, sin su nombre, los pagos y las clases que ya se dieron.",
            "Su correo sale también de los eventos pasados de tu Google Calendar.",
        )
        return Facts(_name(row), happens, group_mails(seen.mails))

    def take(self, row: User, form: Any, actor: User) -> Report:
        """Read the row again so that the panel's log has no name."""
        erase_person(user=row, by=actor, fresh_sign_in=form.fresh_sign_in)
        row.refresh_from_db()
        return Report("La cuenta y sus datos están borrados.")


def _name(person: User) -> str:
    known = person.mail_address or person.phone
    return f"{person.name} ({known})" if known else person.name
