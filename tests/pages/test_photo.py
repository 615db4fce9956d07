"""``/foto``: the teacher's photo, which browsers keep."""

import io

import pytest
from django.conf import settings
from PIL import Image

from bookings.domain.desk.own_page import set_photo
from tests.factories import draw_photo

pytestmark = pytest.mark.django_db


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
