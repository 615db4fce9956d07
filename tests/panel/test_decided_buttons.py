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
    "virtualclass asistencia": "marks of attendance, taken back by the same form",
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
    "horarios": "reads",
    "semana": "reads",
    "estudiantes": "reads",
    "estudiantes/<uuid:user_id>": "keeps notes, which can be changed back",
    "escribir": "shows the mail, and sends exactly what was shown",
    "precios": "a new price can be changed back until its day; booked classes keep theirs",
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
    "transferencias/<uuid:transfer_id>/comprobante.jpg": "reads",
    "transferencias/cuenta": "a form that was filled in; another account wants a fresh sign-in",
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


# Buttons of a name of their own; the others send their form, whose address is in the list above.
NAMED_BUTTONS = {
    "_put_aside",  # payment revisado
    "_deliver_again",  # webhookdelivery entregar
    "_rotate",  # webhookendpoint rotar
    "_secret",  # webhookendpoint secreto
    "_test",  # webhookendpoint probar
    "swap",  # pagina
    "is_another",  # leads to the form of reservar
    "absent",  # virtualclass asistencia
    "last_day",  # semana/dia
    "open",
    "restore",
    "do",  # semana/hora, ofertas boton
    "_notes",  # save
    "_look",  # shows the mail of escribir, without scripts
    "_send",  # escribir
}


def test_every_named_button_of_the_panel_was_decided_about():
    root, names = Path(settings.BASE_DIR), set()
    for path in [
        *(root / "templates/admin").rglob("*.html"),
        *(root / "bookings/panel").rglob("*.py"),
        root / "accounts/admin.py",
    ]:
        for tag in re.findall(r'<(?:button|input)\b[^>]*type="submit"[^>]*>', path.read_text()):
            names |= set(re.findall(r'\bname="([^"]*)"', tag))

    assert names == NAMED_BUTTONS
