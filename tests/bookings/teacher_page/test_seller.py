"""Who sells the classes, from the teacher's page."""

from importlib import import_module

import pytest
from django.apps import apps
from django.core.cache import cache
from django.db import DatabaseError
from django.urls import reverse

from bookings.domain.desk.own_page import (
    load_seller,
    read_cuit,
    write_teacher_page,
)
from bookings.models import TeacherPage

pytestmark = pytest.mark.django_db

GIVEN = {
    "seller_name": "Paula Profe",
    "cuit": "20123456786",
    "address": "Calle 1",
    "hours": "de 9 a 18",
    "data_fiscal_url": "https://qr.afip.example/?qr=a-b_c,,",
}


@pytest.mark.parametrize("typed", ["20123456786", "20-12345678-6", "20 12345678 6"])
def test_a_cuit_is_written_as_people_write_it(typed):
    assert read_cuit(typed) == "20-12345678-6"


@pytest.mark.parametrize(
    "typed", ["20-12345678-5", "20-12345687-6", "2012345678", "201234567866", "٢٠123456786"]
)
def test_a_mistyped_cuit_is_none(typed):
    assert read_cuit(typed) is None


@pytest.mark.django_db(transaction=True)
def test_what_she_writes_counts_from_then_on():
    write_teacher_page(texts=GIVEN, quotes=[], questions=[])
    load_seller()

    write_teacher_page(texts={"seller_name": "Otra", "hours": ""}, quotes=[], questions=[])

    seller = load_seller()
    assert (seller["seller_name"], seller["hours"]) == ("Otra", "")
    assert seller["address"] == "Calle 1"


def test_an_update_takes_the_seller_from_the_environment(monkeypatch):
    TeacherPage.objects.create()
    monkeypatch.setenv("SELLER_NAME", " Paula Profe ")
    monkeypatch.setenv("SELLER_HOURS", "x" * 200)
    migration = import_module("bookings.migrations.0012_seller_on_the_teachers_page")

    migration.take_from_environment(apps, None)

    page = TeacherPage.objects.get()
    assert (page.seller_name, page.hours, page.cuit) == (
        "Paula Profe",
        ("de 9 a 18" * 20)[:120],
        "",
    )


def test_a_page_without_the_database_has_a_footer_all_the_same(monkeypatch):
    def fail(**conditions):
        raise DatabaseError

    monkeypatch.setattr(TeacherPage.objects, "filter", fail)

    assert set(load_seller().values()) == {""}


def test_she_is_reminded_where_people_pay(teacher, sign_in, settings):
    settings.MERCADOPAGO_ACCESS_TOKEN = "token"
    panel, home = sign_in(teacher), reverse("admin:index")
    before = panel.get(home).content.decode()

    write_teacher_page(texts=GIVEN, quotes=[], questions=[])
    cache.clear()

    assert "Decí quién vende" in before
    assert "Decí quién vende" not in panel.get(home).content.decode()


def test_she_edits_it_on_her_page(teacher, sign_in):
    panel, address = sign_in(teacher), reverse("admin:teacher_page")

    refused = panel.post(address, {"cuit": "20-12345678-5"}).content.decode()
    panel.post(address, {"seller_name": "Paula & Cía", "cuit": "20 12345678 6"})

    assert "Ese CUIT tiene algún número mal" in refused
    assert TeacherPage.objects.get().cuit == "20-12345678-6"
