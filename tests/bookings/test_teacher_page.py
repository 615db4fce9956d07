"""domain/desk/own_page.py: the teacher's page, who sells, and her photo."""

import io
import struct
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.staticfiles import finders
from django.core.files.storage import default_storage
from django.db import DatabaseError, IntegrityError
from django.template import engines
from django.test import RequestFactory
from django.utils.translation import override
from PIL import Image

from bookings.domain.desk.own_page import (
    encode_photo,
    load_seller,
    load_teacher_page,
    read_cuit,
    remove_photo,
    set_photo,
    write_teacher_page,
)
from bookings.domain.exceptions import PhotoError
from bookings.models import StoredFile, TeacherPage
from bookings.models.teacher_page import Colour
from config.env.environment import load_env
from tests.factories import TeacherPageFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def picture() -> Callable[..., io.BytesIO]:
    """Make a picture file: its upper half red, its lower half blue."""

    def make(kind: str = "JPEG", size: tuple[int, int] = (400, 400), **options) -> io.BytesIO:
        image = Image.new("RGB", size, "blue")
        image.paste("red", (0, 0, size[0], size[1] // 2))
        image = image.convert(options.pop("mode", "RGB"))
        file = io.BytesIO()
        image.save(file, kind, **options)
        file.seek(0)
        file.name = f"foto.{kind.lower()}"
        return file

    return make


def render(text):
    return engines["django"].from_string(text).render({}, RequestFactory().get("/"))


def test_an_unwritten_page_is_empty_and_unsaved():
    page = load_teacher_page()

    assert (page.name, page.has_photo, page.photo_url(96)) == ("", False, "")
    assert page.level_lines == page.credential_lines == []
    assert not TeacherPage.objects.exists()


def test_there_is_one_page():
    with pytest.raises(IntegrityError):
        TeacherPageFactory(pk=2)


def test_templates_know_the_teacher_and_ask_once(django_assert_num_queries):
    TeacherPageFactory()

    with django_assert_num_queries(0):
        render("{{ site_name }}")
    with django_assert_num_queries(1):
        text = render("{% if teacher.name %}{{ teacher.name }}, {{ teacher.subject }}{% endif %}")
    assert text == "Ana Suárez, Guitarra"


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


@pytest.mark.django_db(transaction=True)
def test_an_english_page_has_the_hours_in_english_if_she_wrote_them():
    hours = {"hours": "lunes de 9 a 18"}
    write_teacher_page(texts=hours, quotes=[], questions=[])
    with override("en"):
        spanish = load_seller()["hours"]

    write_teacher_page(texts=hours | {"hours_en": "Monday, 9 to 18"}, quotes=[], questions=[])

    with override("en"):
        english = load_seller()["hours"]
    assert [spanish, english, load_seller()["hours"]] == [
        "lunes de 9 a 18",
        "Monday, 9 to 18",
        "lunes de 9 a 18",
    ]


@pytest.fixture
def update(settings, tmp_path, monkeypatch):
    """Migrate with these lines in ENV_FILE, as on a machine with systemd."""

    def migrate(*lines: str) -> None:
        (tmp_path / "env").write_text("\n".join(lines))
        monkeypatch.setenv("ENV_FILE", str(tmp_path / "env"))
        settings.ENV = load_env()
        migration = import_module("bookings.migrations.0012_seller_on_the_teachers_page")
        migration.take_from_environment(apps, None)

    return migrate


def test_an_update_takes_the_seller_from_where_settings_are(update, tmp_path, monkeypatch):
    (tmp_path / "cuit").write_text("20-12345678-6\n")
    monkeypatch.setenv("SELLER_ADDRESS", "Calle 1")

    update(
        "SELLER_NAME= Paula Profe ",
        f"SELLER_CUIT_FILE={tmp_path}/cuit",
        f"SELLER_HOURS={'x' * 200}",
    )

    page = TeacherPage.objects.get()
    assert (page.seller_name, page.cuit, page.address) == (
        "Paula Profe",
        "20-12345678-6",
        "Calle 1",
    )
    assert (page.hours, page.data_fiscal_url, page.about) == ("x" * 120, "", "")


def test_an_update_keeps_the_rest_of_a_page_that_was_saved(update):
    TeacherPage.objects.create(about="Enseño inglés.")

    update("SELLER_NAME=Paula Profe")

    page = TeacherPage.objects.get()
    assert (page.seller_name, page.about) == ("Paula Profe", "Enseño inglés.")


def test_an_update_without_a_seller_creates_no_page(update):
    update("")

    assert not TeacherPage.objects.exists()


def test_a_page_without_the_database_has_a_footer_all_the_same(monkeypatch):
    def fail(**conditions):
        raise DatabaseError

    monkeypatch.setattr(TeacherPage.objects, "filter", fail)

    assert set(load_seller().values()) == {""}


MAKE, GPS, ORIENTATION, IMAGE_LENGTH = 271, 34853, 274, 257


def opened(content):
    return Image.open(io.BytesIO(content))


def camera_data():
    """Write who made the photo and where, and that the camera was held upside down."""
    data = Image.Exif()
    data[MAKE] = "Camera of Ana"
    data[ORIENTATION] = 3
    data.get_ifd(GPS)[1] = "S"
    return data


def png_claiming(width, height):
    """Return the first bytes of a PNG of that size."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    checksum = struct.pack(">I", zlib.crc32(header))
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + checksum + b"\0\0\0\0IDAT"


@pytest.mark.parametrize(
    ("kind", "mode"),
    [
        ("JPEG", "RGB"),
        ("JPEG", "CMYK"),
        ("JPEG", "L"),
        ("PNG", "RGBA"),
        ("PNG", "P"),
        ("WEBP", "RGB"),
    ],
)
def test_a_photo_becomes_squares_of_jpeg_in_three_widths(picture, kind, mode):
    pictures = encode_photo(picture(kind, (900, 1200), mode=mode))

    made = {width: opened(content) for width, content in pictures.items()}
    assert {width: (one.format, one.mode, one.size) for width, one in made.items()} == {
        width: ("JPEG", "RGB", (width, width)) for width in (96, 320, 640)
    }


def test_nothing_of_the_camera_is_left_and_the_picture_stands_upright(picture):
    pictures = encode_photo(picture(exif=camera_data(), comment=b"Ana"))

    for content in pictures.values():
        assert b"Ana" not in content
        assert not opened(content).getexif()
        assert "icc_profile" not in opened(content).info
    red, green, blue = opened(pictures[320]).getpixel((160, 20))
    assert blue > 200 > 60 > red + green


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "No pudimos leer"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "No pudimos leer"),
        (b"%PDF-1.7", "No pudimos leer"),
        (png_claiming(8_000, 8_000), "demasiado grande"),
        (png_claiming(100_000, 100_000), "No pudimos leer"),
    ],
    ids=["empty", "svg", "pdf", "bomb", "larger bomb"],
)
def test_other_files_are_refused(content, message):
    with pytest.raises(PhotoError, match=message):
        encode_photo(io.BytesIO(content))


def test_strange_data_of_the_camera_does_not_spoil_the_photo(picture):
    """Pillow reads a fraction as a whole number, and does not write it again."""
    entries = struct.pack("<HHHIIHHIHH", 2, IMAGE_LENGTH, 5, 1, 38, ORIENTATION, 3, 1, 3, 0)
    data = b"Exif\0\0II*\0" + struct.pack("<I", 8) + entries + struct.pack("<III", 0, 7, 3)

    red, green, blue = opened(encode_photo(picture(exif=data))[320]).getpixel((160, 20))

    assert blue > 200 > 60 > red + green


@pytest.mark.parametrize(
    ("size", "options"),
    [((600, 40_000), {}), ((5_000, 5_000), {"progressive": True})],
    ids=["narrow", "progressive"],
)
def test_a_jpeg_that_cannot_be_reduced_while_it_is_decoded_is_refused_sooner(size, options):
    """A file of 600 kB took 660 MB of memory."""
    file = io.BytesIO()
    Image.new("L", size).save(file, "JPEG", **options)

    with pytest.raises(PhotoError, match="demasiado grande"):
        encode_photo(file)


def test_a_tiny_photo_is_refused(picture):
    with pytest.raises(PhotoError, match="muy chica"):
        encode_photo(picture(size=(1000, 199)))


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_an_animation_is_refused(kind):
    file = io.BytesIO()
    first, second = (Image.new("RGB", (300, 300), colour) for colour in ("red", "blue"))
    first.save(file, kind, save_all=True, append_images=[second])

    with pytest.raises(PhotoError, match="animada"):
        encode_photo(file)


def test_a_phones_jpeg_with_further_pictures_is_taken():
    file = io.BytesIO()
    first, second = (Image.new("RGB", (300, 300), colour) for colour in ("red", "blue"))
    first.save(file, "MPO", save_all=True, append_images=[second])

    assert opened(encode_photo(file)[96]).getpixel((48, 48))[0] > 200


@pytest.mark.django_db
def test_a_new_photo_takes_the_place_of_the_old_one_and_texts_stay(picture):
    TeacherPageFactory(name="Ana")
    set_photo(picture())
    before = load_teacher_page().photo_urls

    set_photo(picture(size=(400, 500)))

    page = load_teacher_page()
    assert page.name == "Ana"
    assert set(page.photo_urls.values()).isdisjoint(before.values())
    assert StoredFile.objects.count() == 3
    assert default_storage.open(page.photo.name).read()[:2] == b"\xff\xd8"


@pytest.mark.django_db
def test_writing_the_texts_keeps_the_photo_and_removing_it_keeps_the_texts(picture):
    set_photo(picture())

    write_teacher_page(texts={"name": "Ana"}, quotes=[], questions=[])
    assert load_teacher_page().has_photo

    remove_photo()
    page = load_teacher_page()
    assert (page.name, page.has_photo, StoredFile.objects.count()) == ("Ana", False, 0)


@pytest.mark.django_db
def test_a_refused_photo_leaves_the_old_one(picture):
    before = set_photo(picture()).photo.name

    with pytest.raises(PhotoError):
        set_photo(picture("GIF"))

    assert TeacherPage.objects.get().photo.name == before
    assert StoredFile.objects.count() == 3


@pytest.mark.parametrize("colour", [one for one in Colour if one])
def test_each_colour_has_its_styles_for_light_and_dark(colour, client):
    TeacherPageFactory(colour=colour)

    page = client.get("/").content.decode()

    assert f'data-colour="{colour}"' in page
    styles = Path(finders.find("css/colours.css")).read_text()
    assert styles.count(f':root[data-colour="{colour}"]') == 2
