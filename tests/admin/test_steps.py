"""What moves money, times or people is shown first, and done once, when it was confirmed."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.contrib.admin import AdminSite
from django.contrib.admin.models import LogEntry
from django.test import RequestFactory
from django.urls import URLPattern
from django.utils import timezone

from accounts.models import Session, User
from accounts.services import write_down
from bookings.admin import steps
from bookings.admin.classes.steps import CLASS_STEPS
from bookings.domain.checkout.settling import confirm_payment, settle
from bookings.domain.lifecycle.scheduling import schedule_class
from bookings.domain.money.refunds import refundable_amount, request_partial_refund
from bookings.domain.people.claiming import claim_class
from bookings.domain.places.class_links import make_link
from bookings.domain.places.joining import join_class
from bookings.domain.places.waiting_list import wait_for_place
from bookings.domain.recovery.comparing import compare_all
from bookings.domain.recovery.repairs import record_drift
from bookings.models import (
    BankTransfer,
    DiscountCode,
    Hold,
    Notice,
    NoticeKind,
    Payment,
    PriceDecision,
    Refund,
    Seat,
    TransferState,
    VirtualClass,
)
from tests.admin.steps import (
    address_of,
    all_steps,
    confirm,
    confirm_several,
    look,
    look_at_several,
    seen_on,
)
from tests.bookings import drifts
from tests.factories import DiscountCodeFactory, HoldFactory, UserFactory, VirtualClassFactory
from tests.payments import make_payment
from tests.sales.open_classes import hold, publish
from tests.sales.transfers import announce, take_transfers

pytestmark = pytest.mark.django_db

# --- The list of everything that can be pressed, and what was decided about it --------------------

CONFIRMED = {f"{model._meta.model_name} {step.name}" for model, step in all_steps()}
NO_CONFIRMATION = {
    # What neither money, times nor people move by, and why.
    "virtualclass asistencia": "a mark of attendance, taken back by the button beside it",
    "virtualclass correo": "mails the link that the class has already",
    "payment exportar": "reads",
    "payment meses": "reads",
    "payment revisado": "a remark of the teacher's; only news bring the payment back",
    "user datos.json": "reads",
    "closure importar-feriados": "adds days without classes, which can be deleted; no class moves",
    "webhookdelivery entregar": "tells another system again what it was told, under the same id",
    "webhookdelivery send_again": "as above",
    "webhookendpoint probar": "sends a test",
    "webhookendpoint rotar": "both secrets sign for a day",
    "webhookendpoint secreto": "shows",
    "calendario": "reads",
    "semana": "reads",
    "estudiantes": "reads",
    "estudiantes/<uuid:user_id>": "keeps notes, which can be changed back",
    "escribir": "shows the mail, and sends exactly what was shown",
    "precios": "until its day a new price can be changed back; booked classes keep theirs",
    "abiertas": "reads",
    "abiertas/nueva": "a form that was filled in; what it publishes can be cancelled",
    "ofertas": "reads",
    "ofertas/nueva": "a form that was filled in; what it says can be changed back",
    "ofertas/<int:offer_id>": "as above; booked classes keep their price",
    "ofertas/<int:offer_id>/boton": "order and sale, taken back by the button beside it",
    "ofertas/<int:offer_id>/borrar": "asks, and deletes only what nobody booked",
    "semana/dia": "closes days, which it opens as easily; no class moves",
    "semana/hora": "as above, for hours",
    "clase/<uuid:class_id>": "reads",
    "reservar": "a form that was filled in and says which mail leaves; the class can be cancelled",
    "pagina": "a form that was filled in; what it says can be changed back",
    "pagina/vista": "shows what the form would show",
    "pagina/empezar": "a form, as above",
    "pagina/lista": "reads",
    "dinero": "reads",
    "transferencias": "reads",
    "transferencias/avisada/<str:token>": "confirms the steps llego and no-llego, by a mailed link",
    "mas": "reads",
    "tecnico": "reads",
    "logout": "signs out",
    "provider_sign_in": "leads to Google, which asks",
    "save": "a form that was filled in; what it says can be changed back",
}


def test_every_action_of_a_list_was_decided_about(teacher):
    request = RequestFactory().get("/")
    request.user = teacher

    found = {
        f"{model._meta.model_name} {name}"
        for model, model_admin in admin.site._registry.items()
        for name in model_admin.get_actions(request)
        if name != "delete_selected"  # Django asks first
    }

    assert found - CONFIRMED <= set(NO_CONFIRMATION)
    assert found & CONFIRMED == {
        f"{model._meta.model_name} {step.name}" for model, step in all_steps() if step.bulk
    }


def test_every_address_of_the_panel_was_decided_about():
    """An address beside Django's own is a step's page, or in the list above."""
    djangos = {one.name for one in AdminSite().get_urls() if isinstance(one, URLPattern)}
    found = {
        str(one.pattern).strip("/")
        for one in admin.site.get_urls()
        if isinstance(one, URLPattern) and one.name not in {*djangos, "app_list"}
    }
    for model, model_admin in admin.site._registry.items():
        djangos = {str(one.pattern) for one in admin.ModelAdmin(model, admin.site).get_urls()}
        own = {str(one.pattern) for one in model_admin.get_urls()} - djangos
        found |= {f"{model._meta.model_name} {_last_word(pattern)}" for pattern in own}

    with_steps = {f"{model._meta.model_name} step" for model, _ in all_steps()}
    assert found - with_steps <= set(NO_CONFIRMATION)
    assert with_steps <= found


def _last_word(pattern):
    """Name an address by its last fixed word; a step's page ends in the step's name."""
    words = [word for word in pattern.split("/") if word]
    return "step" if words[-1] == "<slug:name>" else words[-1]


# Template or module, and the button's name.
DECIDED_BUTTONS = {
    ("templates/admin/_reconnect.html", ""),  # provider_sign_in
    ("templates/admin/more.html", ""),  # logout
    ("templates/admin/search_form.html", ""),  # searches a list
    ("templates/admin/calendar.html", ""),  # provider_sign_in
    ("templates/admin/bookings/payment/change_form.html", "_put_aside"),  # payment revisado
    ("templates/admin/bookings/webhookdelivery/change_form.html", "_deliver_again"),
    ("templates/admin/bookings/webhookendpoint/change_form.html", "_rotate"),
    ("templates/admin/bookings/webhookendpoint/change_form.html", "_secret"),
    ("templates/admin/bookings/webhookendpoint/change_form.html", "_test"),
    ("templates/admin/own_page/editor.html", ""),  # pagina
    ("templates/admin/own_page/_rows.html", "swap"),  # the same
    ("templates/admin/own_page/start.html", ""),  # pagina/empezar
    ("templates/admin/agenda/_classes.html", ""),  # leads to the step that asks
    ("templates/admin/agenda/book_for.html", ""),  # reservar
    ("templates/admin/agenda/book_for_whom.html", ""),  # searches, and leads to the form
    ("templates/admin/agenda/book_for_whom.html", "is_another"),  # the same
    ("templates/admin/agenda/_student_link.html", ""),  # virtualclass correo
    ("templates/admin/agenda/class.html", ""),  # leads to the step that asks
    ("templates/admin/agenda/class.html", "came"),  # virtualclass asistencia
    ("templates/admin/agenda/day.html", ""),  # semana/dia
    ("templates/admin/agenda/day.html", "last_day"),
    ("templates/admin/agenda/day.html", "open"),
    ("templates/admin/agenda/day.html", "restore"),
    ("templates/admin/agenda/hour.html", "do"),  # semana/hora
    ("templates/admin/bookings/closure/change_list.html", ""),  # closure importar-feriados
    ("templates/admin/bookings/weeklyhours/change_list.html", ""),  # save
    ("bookings/admin/classes/people.py", "came"),  # virtualclass asistencia
    ("templates/admin/bookings/price/new_prices.html", ""),  # precios
    ("templates/admin/sales/_offer.html", "do"),  # ofertas boton
    ("templates/admin/sales/delete_offer.html", ""),  # ofertas borrar
    ("templates/admin/sales/delete_offer.html", "do"),  # ofertas boton
    ("templates/admin/sales/offer.html", ""),  # ofertas nueva
    ("templates/admin/sales/mailed_transfer.html", ""),  # confirms a step
    ("templates/admin/people/student.html", "_notes"),  # save
    ("templates/admin/people/students.html", ""),  # searches
    ("templates/admin/people/write.html", "_look"),  # shows
    ("templates/admin/people/write.html", "_send"),  # escribir
    ("templates/admin/sales/publish.html", ""),  # abiertas/nueva
    ("templates/admin/step.html", ""),  # confirms
}


def test_every_button_of_the_panel_was_decided_about():
    """A button is in one of the lists above, saves a filled-in form, or confirms a step."""
    root, buttons = Path(settings.BASE_DIR), set()
    for path in [
        *(root / "templates/admin").rglob("*.html"),
        *(root / "bookings/admin").rglob("*.py"),
        root / "accounts/admin.py",
    ]:
        for tag in re.findall(r'<(?:button|input)\b[^>]*type="submit"[^>]*>', path.read_text()):
            name = re.search(r'\bname="([^"]*)"', tag)
            buttons.add((str(path.relative_to(root)), name[1] if name else ""))

    assert buttons == DECIDED_BUTTONS


# --- Every step: one request does nothing, the second does it, the third does nothing -------------


@pytest.fixture
def scheduled(host, teacher):
    """Ana's group, in three days at noon, with a place for one guest."""
    start = timezone.localtime() + timedelta(days=3)
    start = start.replace(hour=12, minute=0, second=0, microsecond=0)
    pending = VirtualClassFactory(booked_by=host, start_time=start, max_participants=2)
    return schedule_class(preference_id=pending.preference_id)


@pytest.fixture
def full(scheduled, student):
    """The same, with Bruno in it and Zoe in line."""
    join_class(user=student, access_code=scheduled.access_code)
    wait_for_place(user=UserFactory(name="Zoe"), access_code=scheduled.access_code)
    return VirtualClass.objects.get(pk=scheduled.pk)


@pytest.fixture
def paid(host, mercadopago, teacher):
    """Ana's payment, approved and settled."""
    payment = make_payment(host)
    mercadopago.pay(payment.preference_id)
    settle(payment.preference_id)
    return Payment.objects.get(pk=payment.pk)


@pytest.fixture
def paid_twice(host, mercadopago, teacher):
    """Ana's payment of a class that the teacher had marked as paid."""
    payment = make_payment(host)
    confirm_payment(class_id=payment.virtual_class_id, actor=teacher)
    mercadopago.pay(payment.preference_id)
    settle(payment.preference_id)
    return Payment.objects.get(pk=payment.pk)


@pytest.fixture
def drifted(scheduled, google):
    """Ana's class, whose event was moved by hand."""
    drifts.move(google, scheduled)
    [finding] = compare_all().findings
    record_drift(finding)
    return VirtualClass.objects.get(pk=scheduled.pk)


@pytest.fixture
def chosen(request, student):
    """The row that a step is tried on, and what is filled in."""
    take_transfers()

    def choose(model, name):
        if model is VirtualClass:
            return _choose_class(request, name)
        if model is BankTransfer:
            return _choose_transfer(request, name), {}
        if model is Payment and name == "quedarmelo":
            return request.getfixturevalue("paid_twice"), {}
        if model is Payment:
            row = request.getfixturevalue("paid")
            return row, {"charge": row.charges.get().pk, "amount": "5.000"}
        if model is Hold:
            start = timezone.now() + timedelta(days=1)
            times = {"start_time": start, "end_time": start + timedelta(hours=1)}
            over = timezone.now() + timedelta(minutes=9)
            return HoldFactory(user=student, class_type="grupal", expires_at=over, **times), {}
        if model is DiscountCode:
            return DiscountCodeFactory(is_active=name == "frenar"), {}
        if model is Seat:
            return hold(publish(request.getfixturevalue("teacher")), student), {}
        if model is Notice:
            sent = {"sent_at": timezone.now(), "next_attempt_at": None}
            return Notice.objects.create(user=student, kind=NoticeKind.GUESSING, **sent), {}
        status = "suspended" if name == "reactivar" else "active"
        User.objects.filter(pk=student.pk).update(status=status)
        return User.objects.get(pk=student.pk), {}

    return choose


def _choose_transfer(request, name):
    transfer = announce(VirtualClassFactory(booked_by=request.getfixturevalue("host")))
    if name == "devuelta":
        BankTransfer.objects.update(state=TransferState.TO_RETURN)
    return transfer


def _choose_class(request, name):
    if name in {"pagada", "agendar"}:
        return VirtualClassFactory(booked_by=request.getfixturevalue("host")), {}
    if name == "seguir":
        return publish(request.getfixturevalue("teacher")).virtual_class, {}
    if name == "aceptar":
        waits = {"paid_at": timezone.now(), "price_decision": PriceDecision.WAITING}
        return VirtualClassFactory(booked_by=request.getfixturevalue("host"), **waits), {}
    if name in {"enlace", "deshacer"}:
        return _choose_linked(request, name)
    row = request.getfixturevalue("drifted" if name == "reparar" else "full")
    given = {
        "mover": {"day": f"{timezone.localdate(row.start_time)}", "clock": "17:30"},
        "lugares": {"places": "4"},
        "espera": {"entry": row.waiting_list.first() and row.waiting_list.first().pk},
    }
    return row, given.get(name, {})


def _choose_linked(request, name):
    """Give a class of a person without an account; to undo, one that Ana claimed."""
    link = make_link(VirtualClassFactory(booked_by=write_down(name="Lucía", phone="341 555 0199")))
    given = {}
    if name == "deshacer":
        claim_class(user=request.getfixturevalue("host"), token=link.token)
        given = {"who": "Lucía", "phone": "341 15 555 0199"}
    return VirtualClass.objects.get(pk=link.pk), given


def everything():
    """Read every row of ours, but what a look itself writes: sessions and the panel's history."""
    models = [*apps.get_app_config("bookings").get_models(), User]
    return {model: sorted(map(repr, model.objects.values())) for model in models}


@pytest.mark.parametrize(
    ("model", "step"),
    [pytest.param(*one, id=f"{one[0].__name__}-{one[1].name}") for one in all_steps()],
)
def test_a_step_asks_first_is_taken_once_and_then_does_nothing(
    model, step, chosen, panel, teacher, google
):
    row, given = chosen(model, step.name)
    address = address_of(row, step.name)
    before = everything()

    page = panel.get(address, given)
    blind = panel.post(address, given)
    shown = look(panel, row, step.name, **given)
    asked = everything()
    taken = panel.post(address, {**given, "seen": seen_on(shown)})
    done = everything()
    again = panel.post(address, {**given, "seen": seen_on(shown)})

    assert (page.status_code, blind.status_code, shown.status_code) == (200, 200, 200)
    assert asked == before
    assert taken.status_code == 302
    assert again.status_code == (302 if model is Hold else 200)  # a hold that was released is gone
    if step.name != "reparar":  # of which only the calendar knows what there is to do
        assert done != before
    assert everything() == done
    assert LogEntry.objects.filter(user=teacher, object_id=str(row.pk)).count() == 1


@pytest.mark.parametrize(
    ("model", "step"),
    [pytest.param(*one, id=f"{one[0].__name__}-{one[1].name}") for one in all_steps()],
)
def test_staff_who_may_only_look_is_not_even_asked(model, step, chosen, host, sign_in, teacher):
    row, given = chosen(model, step.name)
    client = sign_in(UserFactory(is_staff=True))
    before = everything()

    answers = [
        client.get(address_of(row, step.name)).status_code,
        client.post(address_of(row, step.name), {**given, "seen": "x"}).status_code,
    ]

    assert answers == [403, 403]
    assert everything() == before


# --- What the pages say is what happens -----------------------------------------------------------


def text_of(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split()).replace("\xa0", " ")


def mails_since(earlier):
    """Give who is promised which mail at once, that was not promised before."""
    new = Notice.objects.exclude(pk__in=earlier).filter(due_at__lte=timezone.now())
    return {(mail.get_kind_display(), str(mail.user)) for mail in new}


@pytest.mark.parametrize("name", [step.name for step in CLASS_STEPS if step.name != "reparar"])
def test_the_mails_that_are_named_are_the_mails_that_leave(name, chosen, panel, google):
    row, given = chosen(VirtualClass, name)
    known = list(Notice.objects.values_list("pk", flat=True))

    [facts] = look(panel, row, name, **given).context["preview"].facts.values()
    confirm(panel, row, name, **given)

    assert {(kind, person) for kind, people in facts.mails for person in people} == mails_since(
        known
    )


def test_cancelling_names_people_money_and_mails(panel, paid, mercadopago):
    page = text_of(panel.get(address_of(paid.virtual_class, "cancelar")))

    assert "Vuelven $ 24.000 a Ana Host por Mercado Pago." in page
    assert "Correo «Clase cancelada»: Ana Host." in page
    assert "No se puede deshacer" in page
    assert mercadopago.refunds == []


def test_money_that_was_taken_by_hand_is_not_promised_back(panel, full):
    VirtualClass.objects.update(paid_at=timezone.now(), class_price=1_500_000)

    page = text_of(panel.get(address_of(full, "cancelar")))

    assert "Cobraste $ 15.000 a mano: devolvelo vos." in page
    assert "Correo «Clase cancelada»: Ana Host, Bruno Student, Zoe." in page


def test_several_classes_are_summed_up(panel, full, paid, mercadopago):
    rows = [full, paid.virtual_class]

    asked = text_of(look_at_several(panel, rows, "cancelar"))
    still = VirtualClass.objects.filter(status="scheduled").count()
    done = text_of(confirm_several(panel, rows, "cancelar"))

    assert "En total son 2, vuelven $ 24.000 y salen 4 correos." in asked
    assert still == 2
    assert done.count("cancelada.") == 2
    assert VirtualClass.objects.filter(status="cancelled").count() == 2
    assert [one["amount"] for one in mercadopago.refunds] == [24_000]


def test_what_changed_since_it_was_shown_is_shown_again(panel, scheduled, student):
    seen = seen_on(look(panel, scheduled, "cancelar"))
    join_class(user=student, access_code=scheduled.access_code)

    page = panel.post(address_of(scheduled, "cancelar"), {"seen": seen})

    assert "Algo cambió desde que lo miraste" in text_of(page)
    assert "Correo «Clase cancelada»: Ana Host, Bruno Student." in text_of(page)
    assert VirtualClass.objects.get().is_scheduled


@pytest.fixture
def refund_in_between(paid, teacher, monkeypatch):
    """Another refund of 1,000 pesos, committed after the facts were compared for the last time."""
    compare = steps.constant_time_compare

    def compare_and_be_late(seen, digest):
        charge = paid.charges.get()
        left = refundable_amount(charge)
        request_partial_refund(charge_id=charge.pk, amount=100_000, left=left, by=teacher)
        monkeypatch.undo()
        return compare(seen, digest)

    monkeypatch.setattr(steps, "constant_time_compare", compare_and_be_late)


OUTDATED = "Mientras tanto se pidió otra devolución. Revisá cuánto queda."


def decided():
    """List the amounts of the refunds, in centavos."""
    return list(Refund.objects.order_by("pk").values_list("amount", flat=True))


@pytest.mark.parametrize("name", ["devolver-todo", "cancelar"])
def test_another_sum_than_was_shown_is_not_given_back(panel, paid, name, refund_in_between):
    row = paid if name == "devolver-todo" else paid.virtual_class
    shown = look(panel, row, name)

    page = panel.post(address_of(row, name), {"seen": seen_on(shown)}, follow=True)

    assert "$ 24.000" in text_of(shown)
    assert OUTDATED in text_of(page)
    assert decided() == [100_000]
    assert VirtualClass.objects.get().is_scheduled

    confirm(panel, row, name)

    assert decided() == [100_000, 2_300_000]


def test_of_several_classes_the_one_with_another_sum_is_refused(
    panel, scheduled, paid, refund_in_between
):
    rows = [scheduled, paid.virtual_class]

    page = confirm_several(panel, rows, "cancelar")

    assert "cancelada." in text_of(page)
    assert OUTDATED in text_of(page)
    assert decided() == [100_000]
    status = dict(VirtualClass.objects.values_list("pk", "status"))
    assert status == {scheduled.pk: "cancelled", paid.virtual_class_id: "scheduled"}


def test_a_part_is_refused_when_another_sum_is_left(panel, paid, refund_in_between):
    given = {"charge": paid.charges.get().pk, "amount": "5.000"}

    page = confirm(panel, paid, "devolver", **given)

    assert OUTDATED in text_of(page)
    assert decided() == [100_000]


def test_what_is_shown_of_one_time_moves_to_no_other(panel, scheduled):
    day = f"{timezone.localdate(scheduled.start_time)}"
    seen = seen_on(look(panel, scheduled, "mover", day=day, clock="17:30"))

    given = {"day": day, "clock": "18:30", "seen": seen}
    page = panel.post(address_of(scheduled, "mover"), given)

    assert "18:30" in text_of(page)
    assert VirtualClass.objects.get().start_time == scheduled.start_time


def test_more_rows_than_anybody_reads_are_refused(panel, scheduled, monkeypatch):
    monkeypatch.setattr("bookings.admin.steps.AT_MOST", 1)
    other = VirtualClassFactory()

    page = look_at_several(panel, [scheduled, other], "cancelar")

    assert page.status_code == 302
    assert VirtualClass.objects.filter(status="cancelled").count() == 0


def test_suspending_says_what_ends_and_what_stays(panel, full, student, sign_in):
    sign_in(student)

    page = text_of(panel.get(address_of(student, "suspender")))

    assert f"Sesiones que se cierran: {Session.objects.filter(user=student).count()}." in page
    assert "Sigue en pie:" in page
    student.refresh_from_db()
    assert student.status == "active"


def test_erasing_names_the_unpaid_class_that_is_cancelled(panel, host, teacher):
    VirtualClassFactory(booked_by=host)

    page = text_of(panel.get(address_of(host, "borrar")))

    assert "Se cancela:" in page
    assert "No se puede deshacer" in page


def test_a_price_that_was_vouched_for_is_named(panel, host, teacher):
    pending = VirtualClassFactory(booked_by=host, class_price=1_500_000)

    page = text_of(panel.get(address_of(pending, "pagada")))

    assert "Queda anotado que cobraste $ 15.000 a mano." in page
    assert "Correo «Clase confirmada»: Ana Host." in page


def test_a_class_that_is_over_can_still_be_vouched_for(panel, host, teacher):
    over = VirtualClassFactory(booked_by=host, ended=True)

    shown = panel.get(address_of(over, "pagada"))

    assert "No se puede agendar: la clase ya terminó." in text_of(shown)
    assert seen_on(shown)
