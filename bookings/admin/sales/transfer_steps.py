"""The steps of a bank transfer."""

from functools import partial
from typing import Any

from django.contrib import messages

from accounts.models import User
from bookings.admin.cells import day_at
from bookings.admin.classes.steps import SCHEDULES, name_displaced
from bookings.admin.steps import Facts, Report, Step, list_facts
from bookings.domain.checkout.transfers import (
    confirm_transfer,
    note_return,
    refuse_transfer,
    rehearse_confirmation,
)
from bookings.domain.dry_runs import Consequences, foresee
from bookings.models import (
    BankTransfer,
    ClassEvent,
    ClassStatus,
    TransferState,
    find_same_numbers,
    list_rests,
)
from bookings.templatetags.class_times import pesos

BY_HAND = "Devolvela vos desde tu banco: el servicio no puede."


class ConfirmTransfer(Step[BankTransfer]):
    name, label, yes = "llego", "Llegó", "Sí, llegó"
    warning = "No se puede deshacer: si te equivocás, hay que cancelar la clase."

    def is_offered(self, row: BankTransfer) -> bool:
        return row.state == TransferState.ANNOUNCED

    def foresee(self, row: BankTransfer, form: Any, actor: User) -> Facts | None:
        about = row.booked_class.pk
        confirm = partial(rehearse_confirmation, row.pk, actor, fresh_sign_in=True)
        seen = foresee(confirm, [about])
        warnings = warn(row, find_same_numbers([row])[row.pk])
        facts = list_facts(describe(row), seen, *_say_what_happens(row, seen), warnings=warnings)
        return name_displaced(facts, row.booked_class, seen)

    def take(self, row: BankTransfer, form: Any, actor: User) -> Report:
        fresh = form.fresh_sign_in
        done = confirm_transfer(transfer_id=row.pk, actor=actor, fresh_sign_in=fresh)
        if done.state == TransferState.TO_RETURN:
            return Report(f"Queda para devolver: {pesos(done.amount)}. {BY_HAND}", messages.WARNING)
        given = f"{row.user} tiene su lugar" if row.seat_id else "la clase quedó agendada"
        return Report(f"{row}: confirmada, y {given}.")


class RefuseTransfer(Step[BankTransfer]):
    name, label, yes = "no-llego", "No llegó", "Sí, no llegó"
    bulk = "No llegaron las elegidas"
    warning = "Si llega después, tu estudiante la puede avisar de nuevo."

    def is_offered(self, row: BankTransfer) -> bool:
        return row.state == TransferState.ANNOUNCED

    def foresee(self, row: BankTransfer, form: Any, actor: User) -> Facts | None:
        about = row.booked_class.pk
        seen = foresee(lambda: refuse_transfer(transfer_id=row.pk, actor=actor), [about])
        what = "El lugar sigue" if row.seat_id else "La clase sigue"
        happens = f"{what} sin pagar, y se guarda hasta que se venza."
        return list_facts(describe(row), seen, happens)

    def take(self, row: BankTransfer, form: Any, actor: User) -> Report:
        refuse_transfer(transfer_id=row.pk, actor=actor)
        return Report(f"{row}: le avisamos a {row.user} que no llegó.")


class NoteReturn(Step[BankTransfer]):
    name, label, yes = "devuelta", "Ya la devolví", "Sí, la devolví"

    def is_offered(self, row: BankTransfer) -> bool:
        return row.state == TransferState.TO_RETURN

    def foresee(self, row: BankTransfer, form: Any, actor: User) -> Facts | None:
        about = row.booked_class.pk
        seen = foresee(lambda: note_return(transfer_id=row.pk, actor=actor), [about])
        [rest] = list_rests(BankTransfer.objects.filter(pk=row.pk))
        happens = f"Queda anotado que le devolviste {pesos(rest)} a {row.user}."
        return list_facts(describe(row), seen, happens)

    def take(self, row: BankTransfer, form: Any, actor: User) -> Report:
        note_return(transfer_id=row.pk, actor=actor)
        return Report(f"{row}: devuelta.")


REFUSE = RefuseTransfer()
TRANSFER_STEPS: list[Step[BankTransfer]] = [ConfirmTransfer(), REFUSE, NoteReturn()]


def describe(transfer: BankTransfer) -> str:
    when = day_at(transfer.booked_class.start_time)
    number = transfer.operation_number
    return f"{transfer.user} · {pesos(transfer.amount)} · operación {number} · clase del {when}"


def warn(transfer: BankTransfer, same: list[BankTransfer]) -> list[str]:
    """same: other transfers of the same number."""
    found = [
        f"Ojo: {one.user} avisó el mismo número de operación por {pesos(one.amount)}, para la "
        f"clase del {day_at(one.booked_class.start_time)} "
        f"({one.get_state_display().lower()}). Fijate que no sea la misma."
        for one in same
    ]
    bought = transfer.seat or transfer.virtual_class
    if transfer.booked_class.status == ClassStatus.CANCELLED:
        found.append("La clase se canceló.")
    elif bought is not None and bought.paid_at is not None:
        payment = getattr(bought, "payment", None)
        way = "por Mercado Pago" if payment and payment.approved_at else "a mano"
        paid = "el lugar ya está pagado" if transfer.seat else "la clase ya está pagada"
        found.append(f"Ojo: {paid} {way}.")
    return found


def _say_what_happens(row: BankTransfer, seen: Consequences[BankTransfer]) -> tuple[str, ...]:
    noted = f"Queda anotado que te llegaron {pesos(row.amount)}."
    if seen.result.state == TransferState.TO_RETURN:
        lost = seen.find(ClassEvent.CANCELLED)
        why = [f"La clase no se puede dar y se cancela: {lost.reason.lower()}"] if lost else []
        if seen.refunded:
            why.append(f"Vuelven {pesos(seen.refunded)} a {row.user} por Mercado Pago.")
        return (noted, *why, f"La transferencia queda para devolver. {BY_HAND}")
    return (noted, SCHEDULES) if seen.find(ClassEvent.SCHEDULED) else (noted,)
