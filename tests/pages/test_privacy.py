"""``/privacidad`` says what is stored, and the footer who sells; neither goes stale."""

import json
from collections.abc import Iterator
from dataclasses import fields

import pytest
from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.db.models import Model
from django.utils import translation
from django.utils.html import escape

from accounts.models import Session, User
from bookings.domain.people.personal_data import export_person
from bookings.models import (
    BankTransfer,
    ClassLink,
    ClassLog,
    Entry,
    Hold,
    Message,
    Notice,
    OpenClass,
    Payment,
    PaymentCharge,
    PaymentNotification,
    Purchase,
    Quote,
    Refund,
    StoredFile,
    TeacherPage,
    UserActivity,
    VirtualClass,
    WaitingListEntry,
    WebhookAttempt,
    WebhookDelivery,
    WebhookEvent,
)
from bookings.pages.privacy import list_cookies, list_stored_data
from bookings.payments.gateway import PreferenceDraft
from calendar_sync import EventDraft
from config import settings

pytestmark = pytest.mark.django_db

PATH = "/privacidad"
SELLER = {
    "seller_name": "Paula & Cía",
    "cuit": "20-12345678-6",
    "address": "Calle 1, Rosario",
    "hours": "de 9 a 18",
    "data_fiscal_url": "https://qr.afip.example/?qr=abc&x=1",
}
# The rows of the page, and the tables that hold what each one says.
TABLES: dict[str, list[type[Model]]] = {
    "Tu cuenta": [User],
    "Notas sobre vos": [User],
    "Cómo ingresás": [SocialAccount, EmailAddress, EmailConfirmation, SocialToken],
    "Tus sesiones": [Session],
    "Si te anotan sin cuenta": [User, ClassLink],
    "Tus clases": [VirtualClass, UserActivity, ClassLog],
    "Horarios guardados": [Hold],
    "Lugares en clases abiertas": [OpenClass, Purchase],
    "Lista de espera": [WaitingListEntry],
    "Lo que dijiste de las clases": [Quote],
    "Correos que te mandamos": [Notice, Message],
    "Tus pagos": [Purchase, Entry, Payment, PaymentCharge, Refund],
    "Tus transferencias": [BankTransfer, StoredFile],
    "Avisos de Mercado Pago": [PaymentNotification],
    "Avisos a otros sistemas": [WebhookEvent, WebhookDelivery, WebhookAttempt],
    "Lo que se hace en el panel": [LogEntry],
}
# The keys of the data export, and the row that names each one.
EXPORTED_AS = {
    "profile": "Tu cuenta",
    "teacherNotes": "Notas sobre vos",
    "identities": "Cómo ingresás",
    "sessions": "Tus sesiones",
    "classes": "Tus clases",
    "classLinks": "Si te anotan sin cuenta",
    "keptTimes": "Horarios guardados",
    "waitingFor": "Lista de espera",
    "mails": "Correos que te mandamos",
    "purchases": "Tus pagos",
    "payments": "Tus pagos",
    "moneyMoved": "Tus pagos",
    "moneyToReturn": "Tus pagos",
    "transfers": "Tus transferencias",
}
# The texts of a class that a person types, and the words for them in «Tus clases».
SAID_AS = {"learning_focus": "qué querés practicar"}
# What an event or a preference is made of that needs no word on the page.
SILENT_OF_EVENTS = {"event_id", "reference", "earlier_texts", "named_by_provider"}
SILENT_OF_PREFERENCES = {"reference", "return_url", "notification_url", "expires_at", "cash_until"}


def parents(model: type[Model]) -> Iterator[type[Model]]:
    """The models that a row of this one refers to."""
    for field in model._meta.concrete_fields:
        if field.is_relation:
            yield field.related_model


def personal_models() -> set[type[Model]]:
    """People, and every model whose rows lead to one."""
    found: set[type[Model]] = {User}
    before: set[type[Model]] = set()
    while found != before:
        before = set(found)
        found |= {model for model in apps.get_models() if found & set(parents(model))}
    return found


def read(client, language="es-ar"):
    client.cookies["language"] = language
    return client.get(PATH).content.decode()


# --- What is stored -------------------------------------------------------------------------------


def test_each_row_says_where_its_data_is():
    assert [title for title, _, _ in list_stored_data()] == [*TABLES]


def test_each_table_with_a_person_s_data_is_named():
    assert {table for tables in TABLES.values() for table in tables} == personal_models() | {
        Quote,
        StoredFile,
    }


def test_each_part_of_the_export_is_named(student):
    exported = set(json.loads(export_person(student))) - {"exportedAt"}

    assert set(EXPORTED_AS) == exported
    assert set(EXPORTED_AS.values()) <= set(TABLES)


def test_profile_has_nothing_that_the_page_does_not_say(student):
    """A new field is named in the first row of ``list_stored_data``."""
    profile = json.loads(export_person(student))["profile"]
    said = "email name image location level phone newsletter language totalClasses createdAt"
    own = {"id", "status", "updatedAt"}  # the service's own, of no interest

    assert set(profile) == {*said.split(), "lastSignInAt"} | own


def test_each_text_that_a_person_types_for_a_class_is_named():
    details = {title: text for title, text, _ in list_stored_data()}["Tus clases"]

    assert set(SAID_AS) == set(VirtualClass.TYPED)
    assert [text for text in SAID_AS.values() if text not in details] == []


@pytest.mark.parametrize("language", ["es-ar", "en"])
def test_page_shows_each_row_and_cookie(client, language):
    page = read(client, language)

    with translation.override(language):
        said = [text for title, _, kept in list_stored_data() for text in (title, kept)]
        said += [text for cookie in list_cookies() for text in cookie]
    assert [text for text in said if escape(text) not in page] == []


def test_terms_are_those_of_the_settings(client, settings):
    settings.SESSION_COOKIE_AGE = 11 * 86_400

    assert "11 días sin uso" in read(client)
    assert "11 days without use" in read(client, "en")


def test_each_cookie_is_named():
    names = {value for name, value in vars(settings).items() if name.endswith("_COOKIE_NAME")}

    assert {name for name, _, _ in list_cookies()} == names


def test_nothing_more_leaves_than_the_page_says():
    """A new field here is named in ``_privacy_others.html``."""
    sent = {field.name for field in fields(EventDraft)} - SILENT_OF_EVENTS
    paid = {field.name for field in fields(PreferenceDraft)} - SILENT_OF_PREFERENCES

    assert sent == {"summary", "description", "start", "end", "time_zone", "guests"}
    assert paid == {"title", "description", "amount", "payer_name", "payer_email"}


# --- What depends on the configuration ------------------------------------------------------------


def test_calendar_permission_is_explained_as_it_is_asked_for(client, settings):
    settings.CALENDAR_CONSENT = "teacher"
    teacher_only = read(client)
    settings.CALENDAR_CONSENT = "everyone"
    everyone = read(client)

    assert "A estudiantes no les pedimos permiso sobre su calendario" in teacher_only
    assert "Google también te pide permiso sobre los eventos de tu calendario" in everyone
    assert "A estudiantes no les pedimos" not in everyone


@pytest.mark.parametrize("language", ["es-ar", "en"])
def test_google_s_reviewer_finds_the_statement_in_english(client, language):
    page = read(client, language)

    assert "https://developers.google.com/terms/api-services-user-data-policy" in page
    assert "Google API Services User Data Policy</a>, including the Limited Use" in page
    assert "openid email profile" in page


def test_mercado_pago_is_named_when_students_pay_there(client, settings):
    settings.MERCADOPAGO_ACCESS_TOKEN = ""
    assert "Tu nombre, tu correo, la clase y el importe" not in read(client)

    settings.MERCADOPAGO_ACCESS_TOKEN = "token"
    assert "Tu nombre, tu correo, la clase y el importe" in read(client)


def test_error_reports_are_named_when_they_are_sent(client, settings):
    assert "informes de errores" not in read(client)

    settings.HAS_ERROR_REPORTS = True
    assert "informes de errores" in read(client)


def test_rights_and_their_authority_are_named(client):
    page = read(client)

    assert "25.326" in page
    assert 'href="https://www.argentina.gob.ar/aaip"' in page
    assert 'href="/inicio/perfil/borrar"' in page
    assert 'href="/inicio/perfil/mis-datos.json"' in page


# --- Links and the footer -------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/inicio", "/privacidad", "/nowhere"])
def test_footer_shows_the_seller_and_leads_to_the_page(client, path):
    TeacherPage.objects.create(**SELLER)

    footer = client.get(path).content.decode().partition("<footer")[2]

    for text in ("Paula &amp; Cía", "CUIT 20-12345678-6", "Calle 1, Rosario", "de 9 a 18"):
        assert text in footer
    assert 'href="https://qr.afip.example/?qr=abc&amp;x=1"' in footer
    assert 'href="/privacidad"' in footer
    assert "<img" not in footer
