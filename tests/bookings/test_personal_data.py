"""What a person can take along, and what is left of them when they go."""

import json
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import Session, User, UserStatus
from bookings.domain.exceptions import BookingError, ClassesAheadError
from bookings.domain.people.personal_data import erase_person
from bookings.domain.places.joining import join_class
from bookings.models import (
    ChargeStatus,
    ClassLog,
    ClassStatus,
    Notice,
    Payment,
    PaymentCharge,
    PaymentStatus,
    UserActivity,
    VirtualClass,
)
from bookings.notices.due import record_due
from tests.accounts.flows import session_of, sign_in
from tests.factories import PaymentFactory, VirtualClassFactory
from tests.panel.steps import address_of, confirm

PRIVATE = ["Ana Host", "ana@example.com", "Rosario", "341 555", "mis exámenes", "Chrome/130"]


@pytest.fixture
def ana(google, teacher):
    """A person with a profile, who signed in as people do."""
    google.add_person(email="ana@example.com", name="Ana Host")
    client = Client(HTTP_USER_AGENT="(Linux; Android 14) Chrome/130")
    sign_in(client, "google", "ana@example.com")
    user = User.objects.get(email="ana@example.com")
    user.location, user.phone = "Rosario", "341 555"
    user.save()
    user.client = client
    return user


@pytest.fixture
def past(ana, student):
    """A class of Ana's that took place, paid, with a guest."""
    virtual_class = VirtualClassFactory(
        booked_by=ana, scheduled=True, learning_focus="mis exámenes", paid_at=timezone.now()
    )
    join_class(user=student, access_code=virtual_class.access_code)
    payment = PaymentFactory(
        purchase=virtual_class.purchase,
        preference_id=virtual_class.preference_id,
        amount=100,
        status=PaymentStatus.APPROVED,
    )
    PaymentCharge.objects.create(
        provider="mercadopago",
        payment=payment,
        charge_id="555",
        status=ChargeStatus.APPROVED,
        amount=100,
        currency="ARS",
        account_id="1",
        provider_updated_at=timezone.now(),
    )
    record_due("confirmation", virtual_class, [ana.pk])
    ended = timezone.now() - timedelta(days=1)
    VirtualClass.objects.filter(pk=virtual_class.pk).update(
        status=ClassStatus.COMPLETED, start_time=ended - timedelta(hours=1), end_time=ended
    )
    return virtual_class


def everything_stored():
    """Give every value of every row of the database as one text."""
    texts = []
    with connection.cursor() as cursor:
        for model in apps.get_models():
            cursor.execute(f'SELECT * FROM "{model._meta.db_table}"')  # noqa: S608 # our own names
            texts += [str(row) for row in cursor.fetchall()]
    return "\n".join(texts)


def delete(user, address):
    return user.client.post("/inicio/perfil/borrar", {"address": address})


# --- Taking along ---------------------------------------------------------------------------------


def test_export_holds_all_that_is_theirs(ana, past):
    response = ana.client.get("/inicio/perfil/mis-datos.json")

    data = json.loads(response.content)
    assert response["Content-Disposition"].startswith('attachment; filename="mis-datos-')
    assert "no-store" in response["Cache-Control"]
    assert data["profile"]["email"] == "ana@example.com"
    assert data["identities"] == [{"provider": "Google", "label": "ana@example.com"}]
    assert [one["browser"] for one in data["sessions"]] == ["Chrome en Android"]
    (its,) = data["classes"]
    assert (its["id"], its["learningFocus"]) == (str(past.pk), "mis exámenes")
    assert its["accessCode"] == past.access_code
    (payment,) = data["payments"]
    assert (payment["amount"], payment["charges"][0]["number"]) == (100, "555")
    assert [one["about"] for one in data["mails"]] == ["Clase confirmada"]


def test_guest_gets_the_class_without_its_code(ana, past, student, sign_in):
    data = json.loads(sign_in(student).get("/inicio/perfil/mis-datos.json").content)

    (joined,) = data["classes"]
    assert (joined["id"], joined["bookedByYou"]) == (str(past.pk), False)
    assert joined["yourPart"] == [{"rol": "participante", "completed": False, "missed": False}]
    assert "accessCode" not in joined
    assert past.access_code not in json.dumps(data)


# --- Going ----------------------------------------------------------------------------------------


def test_nothing_of_the_person_is_left(ana, past):
    before = everything_stored()

    response = delete(ana, "ana@example.com")

    after = everything_stored()
    assert [text for text in PRIVATE if text not in before] == []
    assert [text for text in PRIVATE if text in after] == []
    assert response["Location"] == "/"
    assert session_of(ana.client) == {}
    assert not SocialAccount.objects.filter(user=ana).exists()
    assert not EmailAddress.objects.filter(user=ana).exists()
    assert not Notice.objects.filter(user=ana).exists()


def test_payment_and_the_class_of_others_stay_without_a_name(ana, past, student):
    delete(ana, "ana@example.com")

    past.refresh_from_db()
    payment = Payment.objects.select_related("purchase__person").get()
    assert past.status == ClassStatus.COMPLETED
    assert (payment.purchase.virtual_class_id, payment.amount) == (past.pk, 100)
    assert (str(payment.purchase.person), payment.purchase.person.status) == (
        "Cuenta borrada",
        UserStatus.ERASED,
    )
    assert UserActivity.objects.filter(virtual_class=past, user=student).exists()
    assert ClassLog.objects.filter(virtual_class=past).exists()


def test_what_was_never_paid_goes(ana):
    VirtualClassFactory(booked_by=ana)
    VirtualClassFactory(booked_by=ana, status=ClassStatus.CANCELLED)

    delete(ana, "ana@example.com")

    assert not VirtualClass.objects.exists()


@pytest.mark.parametrize(
    "state",
    [{"scheduled": True}, {"paid_at": timezone.now()}, {"scheduling_requested_at": timezone.now()}],
    ids=["scheduled", "paid", "being scheduled"],
)
def test_class_ahead_stands_in_the_way(ana, state):
    virtual_class = VirtualClassFactory(booked_by=ana, **state)

    response = delete(ana, "ana@example.com")

    assert "Todavía tenés clases por delante" in response.content.decode()
    assert session_of(ana.client) != {}
    virtual_class.refresh_from_db()
    assert virtual_class.status != ClassStatus.CANCELLED
    assert Session.objects.filter(user=ana).exists()


def test_joined_class_ahead_stands_in_the_way(ana, student):
    virtual_class = VirtualClassFactory(booked_by=student, scheduled=True)
    join_class(user=ana, access_code=virtual_class.access_code)

    with pytest.raises(ClassesAheadError):
        erase_person(user=ana, by=ana)

    assert User.objects.get(pk=ana.pk).name == "Ana Host"


@pytest.mark.parametrize("address", ["", "bruno@example.com", "borrar"])
def test_only_the_own_address_confirms(ana, address):
    response = delete(ana, address)

    assert response.status_code == 200
    assert User.objects.get(pk=ana.pk).email == "ana@example.com"


def test_teacher_is_not_erased(teacher):
    with pytest.raises(BookingError, match="La cuenta con la que das clases"):
        erase_person(user=teacher, by=teacher, fresh_sign_in=True)


def test_erasing_again_changes_nothing(ana, past):
    erase_person(user=ana, by=ana)
    once = User.objects.filter(pk=ana.pk).values("email", "name", "status", "created_at").get()

    erase_person(user=User.objects.get(pk=ana.pk), by=ana)

    assert User.objects.filter(pk=ana.pk).values(*once).get() == once
    assert once["status"] == UserStatus.ERASED


# --- The teacher, for somebody who asks by mail ---------------------------------------------------


@pytest.fixture
def panel(teacher, sign_in):
    return sign_in(teacher)


def test_teacher_exports_and_erases(panel, ana, past):
    page = panel.get(f"/admin/accounts/user/{ana.pk}/change/").content.decode()
    data = json.loads(panel.get(f"/admin/accounts/user/{ana.pk}/datos.json").content)
    asked = panel.get(address_of(ana, "borrar")).content.decode()
    confirm(panel, ana, "borrar")

    assert address_of(ana, "borrar") in page
    assert data["profile"]["email"] == "ana@example.com"
    assert "ana@example.com" in asked
    assert User.objects.get(pk=ana.pk).status == UserStatus.ERASED
    assert session_of(ana.client) == {}
    notes = LogEntry.objects.order_by("pk").values_list("change_message", "object_repr")
    assert list(notes) == [
        ("Exportó sus datos.", "Cuenta borrada"),
        ("Borrar la cuenta", "Cuenta borrada"),
    ]
    left = everything_stored()
    assert [text for text in PRIVATE if text in left] == []
