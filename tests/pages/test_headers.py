"""What an answer says besides its body: HEAD, what browsers may keep, style sheets, photo."""

import io
import re
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from PIL import Image

from bookings.domain.desk.own_page import set_photo
from tests.factories import HoldFactory, VirtualClassFactory, draw_photo
from tests.pages.moments import NOW, tuesday

pytestmark = pytest.mark.django_db


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


# --- HEAD, which link checkers and monitors send --------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/privacidad",
        "/horarios/embebido",
        "/robots.txt",
        "/sitemap.xml",
        "/inicio",
        "/inicio/clases",
        "/inicio/unirse",
        "/admin/",
        "/admin",
        "/nothing",
        "/idioma",
    ],
)
def test_head_is_answered_as_get_is(client, db, path):
    asked, looked = client.get(path), client.head(path)

    assert looked.status_code == asked.status_code
    assert looked.headers.get("Content-Type") == asked.headers.get("Content-Type")
    assert looked.content == b""


def test_panel_is_found_without_the_slash(client):
    response = client.get("/admin?q=x")

    assert (response.status_code, response["Location"]) == (302, "/admin/")


# --- "/foto": the photo of the teacher, which browsers keep ---------------------------------------


@pytest.fixture
def teacher_page():
    return set_photo(draw_photo())


def test_each_width_is_kept_by_browsers_for_a_year_as_nothing_but_a_picture(client, teacher_page):
    for width, address in zip((96, 320, 640), teacher_page.photo_urls.values(), strict=True):
        response = client.get(address)

        assert Image.open(io.BytesIO(response.content)).size == (width, width)
        assert response["Content-Type"] == "image/jpeg"
        assert response["Cache-Control"] == "public, max-age=31536000, immutable"
        assert response["X-Content-Type-Options"] == "nosniff"
        assert response["Content-Security-Policy"].startswith("default-src 'none'")
        assert "Set-Cookie" not in response
        assert "Cookie" not in response.get("Vary", "")


def test_a_person_gets_the_same_answer_without_a_look_at_the_session(
    host, sign_in, teacher_page, django_assert_num_queries
):
    client = sign_in(host)

    client.cookies[settings.CSRF_COOKIE_NAME] = "malformed"

    with django_assert_num_queries(1):
        response = client.get(teacher_page.photo_urls["small"])

    assert response["Cache-Control"].startswith("public")
    assert not response.cookies


def test_the_cookie_of_an_ended_session_is_left_to_a_page_of_its_own(client, teacher_page):
    """A cache would sign every visitor out."""
    client.cookies[settings.SESSION_COOKIE_NAME] = "ended"

    photo = client.get(teacher_page.photo_urls["small"])
    page = client.get("/inicio")

    assert not photo.cookies
    assert "Cookie" not in photo.get("Vary", "")
    assert page.cookies[settings.SESSION_COOKIE_NAME]["max-age"] == 0


@pytest.mark.parametrize(
    "name", ["0123456789abcdef-96", "x", "..%2f", "%00", "0123456789abcdef-97"]
)
def test_an_unknown_photo_is_not_found(client, teacher_page, name):
    assert client.get(f"/foto/{name}.jpg").status_code == 404


@pytest.mark.usefixtures("agenda")
@pytest.mark.parametrize("view", ["book", "hold"])
def test_the_header_names_the_style_sheets_that_all_pages_have(view, host, sign_in):
    end = NOW + timedelta(minutes=15)
    hold = HoldFactory(user=host, start_time=tuesday("10:00"), expires_at=end)
    arguments = [hold.pk] if view == "hold" else []

    page = sign_in(host).get(reverse(f"bookings:{view}", args=arguments))

    linked = re.findall(r'rel="stylesheet" href="([^"]+)"', page.content.decode())
    assert linked
    assert page["Link"] == ", ".join(f"<{sheet}>; rel=preload; as=style" for sheet in linked)
