"""The steps of a class."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest
from django.utils.timezone import localdate

from accounts.models import User
from bookings.domain.calendar.repairing import reconcile_class
from bookings.domain.classes.booking import mark_paid
from bookings.domain.classes.cancelling import cancel_class, decide_cancelling
from bookings.domain.classes.changing import (
    change_capacity,
    decide_capacity,
    decide_move,
    hastens_refunds,
    reschedule_class,
)
from bookings.domain.classes.scheduling import (
    must_be_paid,
    rehearse_scheduling,
    schedule_class,
)
from bookings.domain.dry_runs import Consequences, foresee
from bookings.domain.exceptions import BookingError, SlotTakenError, TimeAwaitedError
from bookings.domain.money.money_back import find_money_back
from bookings.domain.places.waiting_list import remove_from_line
from bookings.domain.sales.her_bookings import (
    agree_to_price,
    confirm_payment,
    find_refusal,
    list_displaced,
    rehearse_agreement,
)
from bookings.domain.sales.open_classes import go_on_anyway
from bookings.models import (
    ClassEvent,
    ClassStatus,
    ClassType,
    MinimumDecision,
    Notice,
    NoticeKind,
    RefundCase,
    VirtualClass,
    find_open_class,
)
from bookings.panel.classes.class_forms import CapacityForm, LineForm, MoveForm, ReasonForm
from bookings.panel.classes.class_timeline import describe_drift
from bookings.panel.classes.free_hours import explain_taken, present_hours
from bookings.panel.classes.student_link import ConfirmClaim, ReplaceLink, ReturnClaim
from bookings.panel.lists import class_kind, class_name, day_at
from bookings.panel.money.ledger import list_warnings
from bookings.panel.money.payment_steps import say_returns
from bookings.panel.steps import BACK, Facts, Report, Step, group_mails, list_facts
from bookings.payments.backend import PROVIDER_NAME
from bookings.templatetags.class_times import pesos

MOVE_REFUSED = (
    "El horario ya cambió y avisamos a todos. El calendario no aceptó mover el evento: miralo en "
    "Google Calendar, y después reparalo desde acá."
)
MOVE_PENDING = (
    "El horario ya cambió y avisamos a todos. El calendario no respondió: lo actualizamos apenas "
    "responda."
)
MAIL_SENT = "Un correo que ya salió no se puede retirar."
SCHEDULES = "Se agenda en tu calendario, con su videollamada y su código."


def describe(virtual_class: VirtualClass) -> str:
    when = day_at(virtual_class.start_time)
    return f"{when} · {class_name(virtual_class)} · {class_kind(virtual_class)}"


def name_displaced(facts: Facts | None, row: VirtualClass, seen: Consequences[Any]) -> Facts | None:
    """Add the paid classes that lose their time if the step schedules ``row``."""
    displaced = list_displaced(row) if facts and seen.find(ClassEvent.SCHEDULED) else []
    if facts is None or not displaced:
        return facts
    warnings = (*facts.warnings, *map(_loss_sentence, displaced))
    return replace(facts, warnings=warnings, is_sensitive=True)


def _warn_of_deadline(row: VirtualClass, by: timedelta) -> tuple[str, ...]:
    if not hastens_refunds(row, by):
        return ()
    return (
        "Ojo: el plazo para llegar al mínimo se adelanta con la clase. Si no llega, se cancela "
        "sola y los pagos vuelven. Si la vas a dar igual, elegí antes «Se da igual».",
    )


class CancelClass(Step[VirtualClass]):
    name, is_final, form = "cancelar", True, ReasonForm
    label, bulk, yes = "Cancelar la clase", "Cancelar", "Sí, cancelar"
    warning = "No se puede deshacer: la clase habría que reservarla de nuevo."

    def is_offered(self, row: VirtualClass) -> bool:
        return row.is_scheduled or row.status == ClassStatus.PENDING

    def foresee(self, row: VirtualClass, form: Any, actor: User) -> Facts | None:
        decide = partial(decide_cancelling, row.pk, actor, fresh_sign_in=True)
        seen = foresee(decide, [row.pk])
        happens = [_money_sentence(row, seen)]
        if row.is_scheduled:
            happens.insert(0, "El horario queda libre y la videollamada deja de funcionar.")
        return list_facts(describe(row), seen, *happens)

    def take(self, row: VirtualClass, form: Any, actor: User) -> Report:
        cancel_class(
            class_id=row.pk,
            actor=actor,
            reason=form.cleaned_data["reason"],
            fresh_sign_in=form.fresh_sign_in,
        )
        return Report(f"{row}: cancelada.")


class MoveClass(Step[VirtualClass]):
    name, needs_input, form = "mover", True, MoveForm
    label, yes = "Cambiar el horario", "Sí, cambiar el horario"
    warning = MAIL_SENT

    def is_offered(self, row: VirtualClass) -> bool:
        return row.is_scheduled

    def show_beside(
        self, request: HttpRequest, row: VirtualClass, form: MoveForm
    ) -> dict[str, Any]:
        asked = request.GET
        turned = asked if {"dia", "mes"} & set(asked) else {"dia": f"{localdate(row.start_time)}"}
        kept = {BACK: asked[BACK]} if BACK in asked else {}
        length, user = row.end_time - row.start_time, row.booked_by
        hours = present_hours(form, turned, kept=kept, length=length, user=user, moving=row)
        return {"hours": hours}

    def foresee(self, row: VirtualClass, form: MoveForm, actor: User) -> Facts | None:
        displaced = list(form.cleaned_data["displaces"])
        try:
            displacing = {one.pk for one in displaced}
            move = partial(decide_move, row.pk, actor, form.start, "", displacing)
            seen = foresee(partial(move, fresh_sign_in=True), [row.pk])
        except TimeAwaitedError as refusal:
            form.ask_about(refusal.classes)
            raise
        except SlotTakenError as refusal:
            end = form.start + (row.end_time - row.start_time)
            taken = explain_taken(form.start, end, row.booked_by, row)
            raise BookingError(taken or refusal.text) from refusal
        if displaced:
            form.ask_about(displaced)
        happens = (
            f"Pasa del {day_at(row.start_time)} al {day_at(seen.result.start_time)}.",
            "El enlace y el código siguen iguales.",
            *map(_loss_sentence, displaced),
        )
        refunded = sum(map(_refundable, displaced))
        warnings = _warn_of_deadline(row, form.start - row.start_time)
        mails = group_mails(seen.mails)
        return Facts(describe(row), happens, mails, refunded, warnings, is_sensitive=bool(warnings))

    def take(self, row: VirtualClass, form: MoveForm, actor: User) -> Report:
        moved = reschedule_class(
            class_id=row.pk,
            actor=actor,
            start=form.start,
            reason=form.cleaned_data["reason"],
            displacing={one.pk for one in form.cleaned_data["displaces"]},
            fresh_sign_in=form.fresh_sign_in,
        )
        if moved.event_update_requested_at is not None:
            return Report(MOVE_PENDING, messages.WARNING)
        if moved.calendar_drift:
            return Report(MOVE_REFUSED, messages.WARNING)
        return Report("Listo: cambió el horario y avisamos a todos.")


class GoOn(Step[VirtualClass]):
    name, label, yes = "seguir", "Se da igual", "Sí, la doy igual"
    warning = "Después solo podés cancelarla."

    def is_offered(self, row: VirtualClass) -> bool:
        open_class = find_open_class(row)
        is_waiting = open_class is not None and open_class.decision == MinimumDecision.WAITING
        return is_waiting and row.is_scheduled

    def foresee(self, row: VirtualClass, form: Any, actor: User) -> Facts | None:
        seen = foresee(lambda: go_on_anyway(class_id=row.pk, actor=actor), [row.pk])
        return list_facts(
            describe(row), seen, "Se da con las personas que tenga, aunque no llegue al mínimo."
        )

    def take(self, row: VirtualClass, form: Any, actor: User) -> Report:
        go_on_anyway(class_id=row.pk, actor=actor)
        return Report("Listo: la clase se da, y avisamos a quienes ya tienen su lugar.")


class AgreeToPrice(Step[VirtualClass]):
    name, label = "aceptar", "Aceptar la clase"
    bulk, yes = "Aceptar las que no están en la lista de precios", "Sí, aceptarla"
    warning = "No se puede deshacer: después solo podés cancelarla."

    def is_offered(self, row: VirtualClass) -> bool:
        return row.is_undecided

    def foresee(self, row: VirtualClass, form: Any, actor: User) -> Facts | None:
        agree = partial(rehearse_agreement, row.pk, actor, fresh_sign_in=True)
        seen = foresee(agree, [row.pk])
        named = f"{row.booked_by} nombró un precio de {pesos(row.class_price)}."
        waits = "Todavía no está pagada: se agenda apenas lo esté."
        happens = [named, _scheduling_sentence(seen) or waits]
        if seen.refunded:
            happens.append(f"Se cancela, y vuelven {pesos(seen.refunded)} por {PROVIDER_NAME}.")
        return name_displaced(list_facts(describe(row), seen, *happens), row, seen)

    def take(self, row: VirtualClass, form: Any, actor: User) -> Report:
        agreed = agree_to_price(class_id=row.pk, by=actor, fresh_sign_in=form.fresh_sign_in)
        done = "aceptada y agendada" if agreed.is_scheduled else "aceptada"
        return Report(f"{row}: {done}.")


class MarkAsPaid(Step[VirtualClass]):
    name, label = "pagada", "Marcar como pagada y agendar"
    bulk, yes = "Marcar como pagadas y agendar", "Sí, ya la cobré"
    warning = "No se puede deshacer: si te equivocás, hay que cancelar la clase."

    def is_offered(self, row: VirtualClass) -> bool:
        is_settled = row.is_undecided or row.is_paid
        return row.status == ClassStatus.PENDING and not is_settled

    def foresee(self, row: VirtualClass, form: Any, actor: User) -> Facts | None:
        pay = partial(mark_paid, row.pk, actor, in_cash=True)
        seen = foresee(lambda: find_refusal(pay(), actor), [row.pk])
        if not seen and seen.result is not None:
            raise seen.result
        happens = [_scheduling_sentence(seen)]
        if seen.find(ClassEvent.PAID):
            missing = row.purchase.missing if row.purchase else 0
            happens.insert(0, f"Queda anotado que cobraste {pesos(missing)} a mano.")
        warnings = list_warnings(row.purchase)
        facts = list_facts(describe(row), seen, *filter(None, happens), warnings=warnings)
        return name_displaced(facts, row, seen)

    def take(self, row: VirtualClass, form: Any, actor: User) -> Report:
        confirm_payment(class_id=row.pk, actor=actor, fresh_sign_in=form.fresh_sign_in)
        return Report(f"{row}: pagada y agendada.")


class ScheduleClass(Step[VirtualClass]):
    """Also finishes an interrupted scheduling."""

    name, yes = "agendar", "Sí, agendar"
    label = bulk = "Agendar en el calendario"
    warning = MAIL_SENT

    def is_offered(self, row: VirtualClass) -> bool:
        may_be = row.is_paid or not must_be_paid()
        return row.status == ClassStatus.PENDING and not row.is_undecided and may_be

    def foresee(self, row: VirtualClass, form: Any, actor: User) -> Facts | None:
        seen = foresee(lambda: rehearse_scheduling(row, actor), [row.pk])
        unpaid = f"Todavía no está pagada ({pesos(row.class_price)})."
        happens = [SCHEDULES] if row.is_paid or not row.class_price else [SCHEDULES, unpaid]
        return list_facts(describe(row), seen, *happens)

    def take(self, row: VirtualClass, form: Any, actor: User) -> Report:
        schedule_class(preference_id=row.preference_id, actor=actor)
        return Report(f"{row}: agendada.")


class RepairEvent(Step[VirtualClass]):
    name, yes = "reparar", "Sí, reparar"
    label = bulk = "Reparar el evento del calendario"
    warning = "Lo que cambiaste a mano en el evento se pierde."

    def is_offered(self, row: VirtualClass) -> bool:
        return row.is_scheduled and bool(row.calendar_drift)

    def foresee(self, row: VirtualClass, form: Any, actor: User) -> Facts | None:
        parts = row.activities.select_related("user")
        if find_open_class(row):
            parts = parts.exclude(user=row.booked_by_id)  # the teacher
        people = tuple(str(one.user) for one in parts)
        happens = ["El evento vuelve a decir lo que dice la clase."]
        if row.calendar_drift:
            happens.insert(0, f"{describe_drift(row)}.")
        mails = ((f"Solo si cambia el enlace: {NoticeKind.LINK_CHANGED.label}", people),)
        return Facts(describe(row), tuple(happens), mails)

    def take(self, row: VirtualClass, form: Any, actor: User) -> Report:
        reconcile_class(class_id=row.pk, actor=actor)
        return Report(f"{row}: el calendario dice lo mismo.")


class ChangeCapacity(Step[VirtualClass]):
    name, needs_input, form = "lugares", True, CapacityForm
    label, yes = "Cambiar los lugares", "Sí, cambiar los lugares"
    warning = "Un lugar que se ofreció no se puede retirar."

    def is_offered(self, row: VirtualClass) -> bool:
        is_group = row.class_type == ClassType.GROUP
        return is_group and row.is_scheduled and not row.has_ended()

    def foresee(self, row: VirtualClass, form: Any, actor: User) -> Facts | None:
        capacity, own = form.capacity, form.own_places
        seen = foresee(lambda: decide_capacity(row.pk, capacity, actor), [row.pk])
        after = seen.result.capacity - own
        places = f"Pasa de {row.capacity - own} a {after} lugares. El precio no cambia."
        return list_facts(describe(row), seen, places, *_offer_sentences(seen.mails))

    def take(self, row: VirtualClass, form: Any, actor: User) -> Report:
        changed = change_capacity(class_id=row.pk, capacity=form.capacity, actor=actor)
        return Report(f"Ahora hay {changed.capacity - form.own_places} lugares.")


class RemoveFromLine(Step[VirtualClass]):
    """A link beside each person leads here."""

    name, needs_input, is_final, form = "espera", True, True, LineForm
    label, yes = "Quitar de la lista de espera", "Sí, quitar"
    warning = "Pierde su turno: si vuelve a anotarse, queda al final."

    def is_offered(self, row: VirtualClass) -> bool:
        return False

    def foresee(self, row: VirtualClass, form: Any, actor: User) -> Facts | None:
        entry_id = form.cleaned_data["entry"]
        seen = foresee(lambda: remove_from_line(class_id=row.pk, entry_id=entry_id), [row.pk])
        if not row.waiting_list.open().filter(pk=entry_id).exists():
            return None
        happens = (f"{seen.result.user} sale de la lista de espera.", *_offer_sentences(seen.mails))
        return Facts(describe(row), happens, group_mails(seen.mails))

    def take(self, row: VirtualClass, form: Any, actor: User) -> Report:
        entry = remove_from_line(class_id=row.pk, entry_id=form.cleaned_data["entry"])
        return Report(f"{entry.user} salió de la lista de espera.")


CLASS_STEPS = [
    GoOn(),
    AgreeToPrice(),
    MarkAsPaid(),
    ScheduleClass(),
    MoveClass(),
    ChangeCapacity(),
    RemoveFromLine(),
    RepairEvent(),
    ReplaceLink(),
    ConfirmClaim(),
    ReturnClaim(),
    CancelClass(),
]


NOBODY_PAID = "Nadie pagó su lugar."
FREE = "Es gratis: no hay nada que devolver."
NOTHING_LEFT = "No queda nada para devolver."
UNPAID = "No está pagada. Si llega un pago después, vuelve solo."


def _money_sentence(row: VirtualClass, seen: Consequences[VirtualClass]) -> str:
    purchase, goes_back = row.purchase, say_returns(seen.by_hand)
    if purchase is None:
        each = f"Vuelven {pesos(seen.refunded)} por {PROVIDER_NAME}, a cada persona lo que pagó."
        return " ".join([each, *goes_back] if seen.refunded else goes_back) or NOBODY_PAID
    if seen.refunded:
        online = f"Vuelven {pesos(seen.refunded)} a {row.booked_by} por {PROVIDER_NAME}."
        goes_back.insert(0, online)
    nothing = NOTHING_LEFT if purchase.was_paid else FREE if purchase.is_free else UNPAID
    return " ".join(goes_back) or nothing


def _scheduling_sentence(seen: Consequences[BookingError | None]) -> str:
    if seen.result is not None:
        return f"No se puede agendar: {str(seen.result.text).lower()}"
    return SCHEDULES if seen.find(ClassEvent.SCHEDULED) else ""


def _loss_sentence(displaced: VirtualClass) -> str:
    amount = _refundable(displaced)
    back = f" Se cancela, y vuelven {pesos(amount)} por {PROVIDER_NAME}." if amount else ""
    return f"Pierde su horario: {describe(displaced)}.{back}"


def _refundable(virtual_class: VirtualClass) -> int:
    """Return the centavos that the provider refunds if the class is cancelled."""
    purchase = virtual_class.purchase
    return find_money_back(purchase, RefundCase.SLOT_LOST).online if purchase else 0


def _offer_sentences(mails: list[Notice]) -> list[str]:
    offers = [mail for mail in mails if mail.kind == NoticeKind.PLACE_OFFERED]
    return [f"El lugar se le ofrece a {mail.user}." for mail in offers]
