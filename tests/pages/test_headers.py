"""Which answers a browser may keep: none that shows a person's things after signing out."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import VirtualClassFactory

PERSONAL = "private, no-store"


def test_answer_to_a_person_is_not_kept(host, sign_in):
    client = sign_in(host)
    its_page = f"/inicio/clases/{VirtualClassFactory(booked_by=host, scheduled=True).pk}"
    paths = [
        *("/", "/inicio", "/inicio/clases", its_page, f"{its_page}/clase.ics"),
        *("/inicio/reservar", "/inicio/unirse", "/inicio/perfil", "/nowhere"),
        *("/api/user-data", "/api/calendar", "/api/auth/session", "/api/nowhere"),
    ]

    kept = {path: set(client.get(path)["Cache-Control"].split(", ")) for path in paths}

    assert [path for path in paths if not {"private", "no-store"} <= kept[path]] == []


def test_answer_of_the_panel_is_not_kept(teacher, sign_in):
    assert "no-store" in sign_in(teacher).get(reverse("admin:index"))["Cache-Control"]


@pytest.mark.usefixtures("db")
@pytest.mark.parametrize("path", ["/api/booking", "/api/calendar", "/api/access-code", "/api/x"])
def test_answer_of_the_api_to_anybody_is_not_kept(client, path):
    assert client.post(path, "{", content_type="application/json")["Cache-Control"] == PERSONAL


@pytest.mark.usefixtures("db")
@pytest.mark.parametrize("path", ["/", "/nowhere"])
def test_page_for_everybody_may_be_kept(client, path):
    assert "Cache-Control" not in client.get(path)


@pytest.mark.usefixtures("kept_seller")
def test_looking_costs_no_query(host, sign_in, django_assert_num_queries):
    client = sign_in(host)

    with django_assert_num_queries(1):
        client.get("/inicio/unirse")
    with django_assert_num_queries(0):
        client.get("/api/nowhere")
        Client().get("/inicio")
