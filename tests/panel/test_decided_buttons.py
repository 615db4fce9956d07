"""Everything of the panel that can be pressed was decided about: it asks first, or says why not."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib import admin
from django.contrib.admin import AdminSite
from django.test import RequestFactory
from django.urls import URLPattern

from tests.panel.steps import all_steps

pytestmark = pytest.mark.django_db

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
    "ofertas/<int:offer_id>/borrar": "asks, and deletes only an offer without bookings",
    "semana/dia": "closes days, which it opens as easily; no class moves",
    "semana/hora": "as above, for hours",
    "clase/<uuid:class_id>": "reads",
    "reservar": "a form that was filled in and says which mail leaves; the class can be cancelled",
    "pagina": "a form that was filled in; what it says can be changed back",
    "pagina/vista": "shows what the form would show",
    "pagina/empezar": "a form, as above",
    "pagina/lista": "reads",
    "dinero": "reads",
    "dinero/devolver": "reads",
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
    ("templates/admin/returns.html", ""),  # asks about all of them, devuelta
    ("templates/admin/search_form.html", ""),  # searches a list
    ("templates/admin/calendar.html", ""),  # provider_sign_in
    ("templates/admin/bookings/payment/change_form.html", "_put_aside"),  # payment revisado
    ("templates/admin/bookings/webhookdelivery/change_form.html", "_deliver_again"),
    ("templates/admin/bookings/webhookendpoint/change_form.html", "_rotate"),
    ("templates/admin/bookings/webhookendpoint/change_form.html", "_secret"),
    ("templates/admin/bookings/webhookendpoint/change_form.html", "_test"),
    ("templates/admin/own_page/editor.html", ""),  # pagina
    ("templates/admin/sales/transfers.html", ""),  # asks about the chosen ones, no-llego
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
        *(root / "bookings/panel").rglob("*.py"),
        root / "accounts/admin.py",
    ]:
        for tag in re.findall(r'<(?:button|input)\b[^>]*type="submit"[^>]*>', path.read_text()):
            name = re.search(r'\bname="([^"]*)"', tag)
            buttons.add((str(path.relative_to(root)), name[1] if name else ""))

    assert buttons == DECIDED_BUTTONS
