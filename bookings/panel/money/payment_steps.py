"""The steps of a payment."""

import logging
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.utils.text import format_lazy

from accounts.models import User
from bookings.domain.dry_runs import foresee
from bookings.domain.exceptions import RefundTooLargeError
from bookings.domain.money.charges import accept_second_payment
from bookings.domain.money.money_back import promise_cash
from bookings.domain.money.refunds import (
    refundable_amount,
    refuse_other_sum,
    request_partial_refund,
    send_refunds_of,
)
from bookings.domain.money.takings import put_aside
from bookings.domain.sales.settling import settle
from bookings.models import (
    FOREIGN,
    Notice,
    NoticeKind,
    Payment,
    PaymentCharge,
    Refund,
    RefundStatus,
    ReviewReason,
)
from bookings.notices.registry import reason_to_skip
from bookings.panel.inputs import PesosField
from bookings.panel.lists import day_at
from bookings.panel.steps import (
    Facts,
    Group,
    Preview,
    Report,
    Step,
    StepForm,
    group_mails,
)
from bookings.payments.backend import PROVIDER_NAME, name_provider
from bookings.payments.gateway import PaymentError
from bookings.templatetags.class_times import pesos

logger = logging.getLogger(__name__)

# Gravest first: of several refunds the worst gives the report's colour.
REPORTS: dict[str, tuple[int, str]] = {
    RefundStatus.FAILED: (messages.ERROR, "{provider} rechazó la devolución de {amount}."),
    RefundStatus.REQUESTED: (
        messages.WARNING,
        "{provider} no respondió. Vamos a seguir pidiendo la devolución de {amount}: "
        "no se devuelve dos veces.",
    ),
    RefundStatus.IN_PROCESS: (messages.INFO, "{provider} está procesando {amount}."),
    RefundStatus.DONE: (messages.SUCCESS, "Devolviste {amount}."),
}


class PartForm(StepForm):
    """Proposes half of what is left."""

    amount = PesosField(label="Monto en pesos")

    def __init__(self, data: Any, row: Payment) -> None:
        super().__init__(data, row)
        left = list_refundable(row)
        self.initial = {"charge": left[0][0].pk, "amount": left[0][1] // 2} if left else {}
        self.charges = {str(charge.pk): (charge, amount) for charge, amount in left}
        choices = [
            (key, f"Operación {charge.charge_id}: quedan {pesos(amount)}")
            for key, (charge, amount) in self.charges.items()
        ]
        widget = forms.RadioSelect if len(choices) > 1 else forms.HiddenInput
        self.fields["charge"] = forms.ChoiceField(
            label="De qué operación", choices=choices, widget=widget
        )
        self.order_fields(["charge", "amount"])


class _Refund(Step[Payment]):
    """Of several refunds either all are requested or none."""

    is_final = is_sensitive = True
    warning = "Lo que se devolvió no se puede volver a cobrar."

    def is_offered(self, row: Payment) -> bool:
        return bool(list_refundable(row))

    def choose(self, row: Payment, form: Any) -> list[tuple[PaymentCharge, int, int]]:
        """Return operations, each with the centavos to refund and those left."""
        raise NotImplementedError

    def foresee(self, row: Payment, form: Any, actor: User) -> Facts | None:
        chosen = self.choose(row, form)
        if not chosen:
            return None
        about = row.purchase.virtual_class
        request = partial(_request, chosen, actor, fresh_sign_in=True)
        seen = foresee(request, [about.pk] if about else [])
        which = "Operación {}: vuelven" if len(chosen) > 1 else "Vuelven"
        happens = [
            f"{which.format(charge.charge_id)} {pesos(amount)} de {pesos(left)}."
            for charge, amount, left in chosen
        ]
        if about is not None:
            kept = "no saca a nadie de la clase" if row.purchase.is_place else "no cancela la clase"
            happens.append(f"Devolver {kept}.")
        total = sum(refund.amount for refund in seen.result)
        return Facts(_describe(row), tuple(happens), _list_mails(row, seen.result), total)

    def take(self, row: Payment, form: Any, actor: User) -> Report:
        refunds = self.ask(row, form, actor)
        send_refunds_of(row)
        try:
            settle(row.preference_id or "")
        except PaymentError as error:
            logger.info("Payment %s is read again later: %s", row.pk, type(error).__name__)
        return _report(refunds)

    def ask(self, row: Payment, form: Any, actor: User) -> list[Refund]:
        return _request(self.choose(row, form), actor, fresh_sign_in=form.fresh_sign_in)


class RefundAll(_Refund):
    name, label, yes = "devolver-todo", "Devolver todo", "Sí, devolver todo"

    def choose(self, row: Payment, form: Any) -> list[tuple[PaymentCharge, int, int]]:
        return [(charge, left, left) for charge, left in list_refundable(row)]


class RefundPart(_Refund):
    name, label, yes = "devolver", "Devolver una parte", "Sí, devolver este monto"
    needs_input, proposes, form = True, True, PartForm

    def choose(self, row: Payment, form: PartForm) -> list[tuple[PaymentCharge, int, int]]:
        charge, left = form.charges[form.cleaned_data["charge"]]
        amount = form.cleaned_data["amount"]
        if not 0 < amount <= left:
            raise RefundTooLargeError
        return [(charge, amount, left)]

    def ask_anew(self, preview: Preview[Payment]) -> str:
        return f"Ahora son {pesos(preview.refunded)}: confirmalo."


class KeepPayment(Step[Payment]):
    """Keep the online payment of a class that was also paid by hand."""

    name, label, yes = "quedarmelo", "Quedarme con este pago", "Sí, quedarme con este"

    def is_offered(self, row: Payment) -> bool:
        return row.review == ReviewReason.PAID_TWICE

    def foresee(self, row: Payment, form: Any, actor: User) -> Facts | None:
        about = row.purchase.virtual_class
        if not self.is_offered(row) or about is None:
            return None
        seen = foresee(lambda: accept_second_payment(row.pk), [about.pk])
        happens = (
            "Cuenta este pago, y deja de contar lo que cobraste a mano.",
            *say_returns(seen.by_hand),
        )
        return Facts(_describe(row), happens, group_mails(seen.mails), seen.refunded)

    def take(self, row: Payment, form: Any, actor: User) -> Report:
        accept_second_payment(row.pk)
        return Report(f"Listo: queda pagado por {name_provider(row.provider)}.")


class TryAgain(_Refund):
    """Ask the provider again for what it refused to refund; a second refusal flags it again."""

    name, label = "probar", "Probar de nuevo"
    yes = format_lazy("Sí, devolver por {provider}", provider=PROVIDER_NAME)

    def is_offered(self, row: Payment) -> bool:
        return bool(_list_refused(row))

    def choose(self, row: Payment, form: Any) -> list[tuple[PaymentCharge, int, int]]:
        return [
            (charge, min(refused.owed, left), left) for refused, charge, left in _list_refused(row)
        ]

    @transaction.atomic
    def ask(self, row: Payment, form: Any, actor: User) -> list[Refund]:
        refunds = super().ask(row, form, actor)
        put_aside(payment_id=row.pk, reason=ReviewReason.REFUND_FAILED, by=actor)
        return refunds


class ReturnInCash(Step[Payment]):
    """Promise in cash what the provider refused to refund."""

    name, label = "en-efectivo", "Devolver en efectivo"
    yes, is_sensitive = "Sí, lo devuelvo yo", True

    def is_offered(self, row: Payment) -> bool:
        return any(charge.problem not in FOREIGN for _, charge, _ in _list_refused(row))

    def foresee(self, row: Payment, form: Any, actor: User) -> Facts | None:
        if not self.is_offered(row):
            return None
        refused = _list_refused(row)
        total = sum(min(one.owed, left) for one, _, left in refused)
        gone = f"{name_provider(row.provider)} no lo intenta más."
        return Facts(_describe(row), (*say_returns(total), gone))

    def take(self, row: Payment, form: Any, actor: User) -> Report:
        with transaction.atomic():
            for refused, _, _ in _list_refused(row):
                promise_cash(refund_id=refused.pk, by=actor, fresh_sign_in=form.fresh_sign_in)
            put_aside(payment_id=row.pk, reason=ReviewReason.REFUND_FAILED, by=actor)
        return Report("Queda para devolver. Cuando lo hayas hecho, tocá «Ya lo devolví».")


PAYMENT_STEPS = [TryAgain(), ReturnInCash(), RefundPart(), RefundAll(), KeepPayment()]


def list_refundable(payment: Payment) -> list[tuple[PaymentCharge, int]]:
    """List the operations that have money left, with the centavos."""
    amounts = [(charge, refundable_amount(charge)) for charge in payment.charges.all()]
    return [(charge, left) for charge, left in amounts if left > 0]


def say_returns(amount: int) -> list[str]:
    """amount: centavos that the teacher returns herself."""
    return [f"Te toca devolver {pesos(amount)}: queda en «Para devolver»."] if amount else []


def _list_refused(payment: Payment) -> list[tuple[Refund, PaymentCharge, int]]:
    """List the refunds that the provider refused and that are still owed, each with its operation
    and the centavos left of it.
    """
    return [
        (refund, charge, left)
        for charge, left in list_refundable(payment)
        for refund in charge.refunds.all()
        if refund.owed
    ]


@transaction.atomic
def _request(
    chosen: list[tuple[PaymentCharge, int, int]], actor: User, *, fresh_sign_in: bool
) -> list[Refund]:
    request = partial(request_partial_refund, by=actor, fresh_sign_in=fresh_sign_in)
    refunds = [
        request(charge_id=charge.pk, amount=amount, left=left) for charge, amount, left in chosen
    ]
    refuse_other_sum()
    return refunds


def _list_mails(payment: Payment, refunds: list[Refund]) -> tuple[Group, ...]:
    """List the mails that leave once the provider has refunded, which a dry run does not ask."""
    mails = [Notice(kind=NoticeKind.MONEY_RETURNED, user=payment.purchase.person) for _ in refunds]
    return group_mails([mail for mail in mails if not reason_to_skip(mail)])


def _report(refunds: list[Refund]) -> Report:
    now = Refund.objects.filter(pk__in=[one.pk for one in refunds]).order_by("pk")
    texts = [
        REPORTS[one.status][1].format(amount=pesos(one.amount), provider=PROVIDER_NAME)
        for one in now
    ]
    gravest = min((one.status for one in now), key=list(REPORTS).index)
    return Report(" ".join(texts), REPORTS[gravest][0])


def _describe(payment: Payment) -> str:
    virtual_class, person = payment.purchase.virtual_class, payment.purchase.person
    if virtual_class is None:
        return f"{person} · {pesos(payment.amount)} · sin reserva"
    when = day_at(virtual_class.start_time)
    return f"{person} · {pesos(payment.amount)} · clase del {when}"
