"""The steps of a bank transfer."""

from functools import partial
from typing import Any

from django.contrib import messages

from accounts.models import User
from bookings.admin.cells import day_at
from bookings.admin.classes.steps import SCHEDULES, name_displaced
from bookings.admin.money.steps import say_returns
from bookings.admin.steps import Facts, Report, Step, list_facts
from bookings.domain.checkout.transfers import (
    confirm_transfer,
    refuse_transfer,
    rehearse_confirmation,
)
from bookings.domain.dry_runs import Consequences, foresee
from bookings.domain.money.money_back import PaidBy, find_paid_by
from bookings.models import (
    BankTransfer,
    ClassEvent,
    ClassStatus,
    TransferState,
    find_same_numbers,
)
from bookings.templatetags.class_times import pesos


class ConfirmTransfer(Step[BankTransfer]):
    name, label, yes = "llego", "Llegó", "Sí, llegó"
    warning = "No se puede deshacer: si te equivocás, hay que cancelar la clase."

    def is_offered(self, row: BankTransfer) -> bool:
        return row.state == TransferState.ANNOUNCED

    def foresee(self, row: BankTransfer, form: Any, actor: User) -> Facts | None:
        booked = row.purchase.booked_class
        confirm = partial(rehearse_confirmation, row.pk, actor, fresh_sign_in=True)
        seen = foresee(confirm, [booked.pk])
        warnings = warn(row, find_same_numbers([row])[row.pk])
        facts = list_facts(describe(row), seen, *_say_what_happens(row, seen), warnings=warnings)
        return name_displaced(facts, booked, seen)

    def take(self, row: BankTransfer, form: Any, actor: User) -> Report:
        fresh = form.fresh_sign_in
        done = confirm_transfer(transfer_id=row.pk, actor=actor, fresh_sign_in=fresh)
        if to_return := sum(one.amount for one in done.refunds.all()):
            return Report(" ".join(say_returns(to_return)), messages.WARNING)
        purchase = row.purchase
        given = f"{purchase.person} tiene su lugar"
        if not purchase.is_place:
            given = "la clase quedó agendada"
        return Report(f"{row}: confirmada, y {given}.")


class RefuseTransfer(Step[BankTransfer]):
    name, label, yes = "no-llego", "No llegó", "Sí, no llegó"
    bulk = "No llegaron las elegidas"
    warning = "Si llega después, tu estudiante la puede avisar de nuevo."

    def is_offered(self, row: BankTransfer) -> bool:
        return row.state == TransferState.ANNOUNCED

    def foresee(self, row: BankTransfer, form: Any, actor: User) -> Facts | None:
        refuse = partial(refuse_transfer, transfer_id=row.pk, actor=actor)
        seen = foresee(refuse, [row.purchase.booked_class.pk])
        what = "El lugar sigue" if row.purchase.is_place else "La clase sigue"
        happens = f"{what} sin pagar, y se guarda hasta que se venza."
        return list_facts(describe(row), seen, happens)

    def take(self, row: BankTransfer, form: Any, actor: User) -> Report:
        refuse_transfer(transfer_id=row.pk, actor=actor)
        return Report(f"{row}: le avisamos a {row.purchase.person} que no llegó.")


REFUSE = RefuseTransfer()
TRANSFER_STEPS: list[Step[BankTransfer]] = [ConfirmTransfer(), REFUSE]


def describe(transfer: BankTransfer) -> str:
    when = day_at(transfer.purchase.booked_class.start_time)
    person, number = transfer.purchase.person, transfer.operation_number
    return f"{person} · {pesos(transfer.amount)} · operación {number} · clase del {when}"


def warn(transfer: BankTransfer, same: list[BankTransfer]) -> list[str]:
    """same: other transfers of the same number."""
    found = [
        f"Ojo: {one.purchase.person} avisó el mismo número de operación por {pesos(one.amount)}, "
        f"para la clase del {day_at(one.purchase.booked_class.start_time)} "
        f"({one.get_state_display().lower()}). Fijate que no sea la misma."
        for one in same
    ]
    purchase = transfer.purchase
    if purchase.booked_class.status == ClassStatus.CANCELLED:
        found.append("La clase se canceló.")
    elif purchase.is_paid:
        way = "por Mercado Pago" if find_paid_by(purchase) == PaidBy.ONLINE else "a mano"
        paid = "el lugar ya está pagado" if purchase.is_place else "la clase ya está pagada"
        found.append(f"Ojo: {paid} {way}.")
    return found


def _say_what_happens(row: BankTransfer, seen: Consequences[BankTransfer]) -> tuple[str, ...]:
    noted = f"Queda anotado que te llegaron {pesos(row.amount)}."
    if not seen.by_hand:
        return (noted, SCHEDULES) if seen.find(ClassEvent.SCHEDULED) else (noted,)
    lost = seen.find(ClassEvent.CANCELLED)
    why = [f"La clase no se puede dar y se cancela: {lost.reason.lower()}"] if lost else []
    if seen.refunded:
        why.append(f"Vuelven {pesos(seen.refunded)} a {row.purchase.person} por Mercado Pago.")
    return (noted, *why, *say_returns(seen.by_hand))
