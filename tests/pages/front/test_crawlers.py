"""What search engines and messengers are told."""

import re
from io import BytesIO

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.urls import reverse
from PIL import Image

from bookings.models import TeacherPage
from bookings.pages.front.crawlers import PUBLIC_PAGES

pytestmark = pytest.mark.usefixtures("agenda")

CANONICAL = re.compile(r'<link rel="canonical" href="([^"]+)">')
PICTURE = re.compile(r'<meta property="og:image"\s+content="([^"]+)">')


def jpeg(side: int, color: str = "#804020") -> bytes:
    written = BytesIO()
    Image.new("RGB", (side, side), color).save(written, "JPEG")
    return written.getvalue()


@pytest.fixture
def photo() -> TeacherPage:
    """A page with a photo, as it is stored."""
    name = default_storage.save("3f9c27d1-640", ContentFile(jpeg(640)))
    return TeacherPage.objects.create(name="Ana Suárez", photo=name)


def test_the_sitemap_names_every_page_for_everybody_and_nothing_else(client, settings):
    answer = client.get("/sitemap.xml")

    places = re.findall("<loc>(.*?)</loc>", answer.content.decode())
    assert places == [f"{settings.BASE_URL}{reverse(name)}" for name in PUBLIC_PAGES]
    for place in places:
        html = client.get(place.removeprefix(settings.BASE_URL)).content.decode()
        assert CANONICAL.findall(html) == [place]
        assert 'name="robots"' not in html


def test_robots_txt_names_the_sitemap(client, settings):
    answer = client.get("/robots.txt")

    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert f"Sitemap: {settings.BASE_URL}/sitemap.xml" in answer.content.decode()


def test_a_query_does_not_make_another_page(client, settings):
    html = client.get("/?error=AccessDenied").content.decode()

    assert CANONICAL.findall(html) == [f"{settings.BASE_URL}/"]


def test_messengers_show_her_photo(client, photo, settings):
    address = PICTURE.search(client.get("/").content.decode())[1]

    answer = client.get(address.removeprefix(settings.BASE_URL))

    picture = Image.open(BytesIO(answer.content))
    assert (picture.format, picture.size) == ("JPEG", (1200, 630))
    red, green, blue = picture.getpixel((900, 300))
    assert abs(red - 0x80) + abs(green - 0x40) + abs(blue - 0x20) < 12
    assert answer["Cache-Control"].startswith("public")
    assert "Cookie" not in answer.get("Vary", "")


def test_an_earlier_photo_is_shown_no_more(client, photo):
    assert client.get("/foto/compartir/0000.jpg").status_code == 404


def test_without_a_photo_messengers_show_the_usual_picture(client, settings):
    address = PICTURE.search(client.get("/").content.decode())[1]

    assert address == f"{settings.BASE_URL}/static/img/preview.png"
