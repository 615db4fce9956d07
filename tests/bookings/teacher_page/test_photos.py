"""The teacher's photo: what is taken, what is made of it, and what is left behind."""

import io
import struct
import zlib

import pytest
from django.core.files.storage import default_storage
from PIL import Image, ImageCms

from bookings.domain.desk.own_page import (
    MAX_BYTES,
    QUALITIES,
    encode_photo,
    load_teacher_page,
    remove_photo,
    set_photo,
    write_teacher_page,
)
from bookings.domain.exceptions import PhotoError
from bookings.models import StoredFile, TeacherPage
from tests.factories import TeacherPageFactory

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


def test_what_was_transparent_is_white():
    file = io.BytesIO()
    Image.new("RGBA", (300, 300), (0, 0, 0, 0)).save(file, "PNG")

    assert opened(encode_photo(file)[96]).getpixel((48, 48)) == (255, 255, 255)


def test_colours_of_another_profile_are_converted(picture):
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    # What this profile calls red is green.
    swapped = srgb.replace(b"rXYZ", b"....").replace(b"gXYZ", b"rXYZ").replace(b"....", b"gXYZ")

    pictures = [encode_photo(picture(icc_profile=profile)) for profile in (swapped, srgb, b"?")]

    green, red, without = [opened(made[96]).getpixel((48, 10)) for made in pictures]
    assert green[1] > 200 > 60 > green[0]
    assert red[0] == without[0] > 200


def test_a_rich_picture_is_made_smaller_by_its_quality():
    file = io.BytesIO()
    Image.effect_noise((640, 640), 8).convert("RGB").save(file, "PNG")
    plain = io.BytesIO()
    opened(file.getvalue()).save(plain, "JPEG", quality=QUALITIES[0], optimize=True)

    assert len(encode_photo(file)[640]) <= MAX_BYTES < plain.tell()


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


def test_formats_beside_the_three_are_refused(picture):
    for kind in ("GIF", "BMP", "TIFF"):
        with pytest.raises(PhotoError, match="No pudimos leer"):
            encode_photo(picture(kind))


def test_a_damaged_photo_is_refused(picture):
    with pytest.raises(PhotoError, match="No pudimos leer"):
        encode_photo(io.BytesIO(picture("PNG").getvalue()[:200]))


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
def test_the_same_photo_again_changes_nothing(picture):
    first = set_photo(picture()).photo_urls

    assert set_photo(picture()).photo_urls == first
    assert StoredFile.objects.count() == 3


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
