"""The teacher's page, with her photo: a square in three widths, without metadata."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import IO

from django.conf import settings
from django.core.cache import cache
from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage, default_storage
from django.db import DatabaseError, transaction
from django.urls import reverse
from django.utils.translation import get_language
from PIL import Image, ImageOps

from accounts.models import Language
from accounts.phones import normalize_phone
from accounts.selectors import find_teacher
from bookings.domain.pictures import read_picture, write_jpeg
from bookings.models import PHOTO_WIDTHS, Question, Quote, StoredFile, TeacherPage
from bookings.models.teacher_page import ContactWay, photo_name

# A JPEG is reduced to no less than this while it is decoded, and afterwards to the page's widths.
DECODED_SIDE = max(PHOTO_WIDTHS.values()) * 3 // 2
# A page with the photo stays under 100 kB.
MAX_BYTES = 40_000

SELLER = ("seller_name", "cuit", "address", "hours", "hours_en", "data_fiscal_url")
SHOWN = ("name", "face", "colour", "phone", "email")
SELLER_KEY, SELLER_SECONDS = "seller-with-contact", 60
# The weights of a CUIT's digits; the check digit makes the sum divisible by 11.
CUIT_WEIGHTS = (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)


@transaction.atomic
def set_photo(content: IO[bytes]) -> TeacherPage:
    """Replace the photo. Raises PhotoError, without writing."""
    pictures = encode_photo(content)
    widest = max(pictures)
    digest = hashlib.sha256(pictures[widest]).hexdigest()[:16]
    page = lock_teacher_page()
    _delete_files(page)
    page.photo.name = f"{digest}-{widest}"
    for width, picture in pictures.items():
        default_storage.save(photo_name(page.photo, width), ContentFile(picture))
    page.save(update_fields=["photo"])
    return page


@transaction.atomic
def remove_photo() -> TeacherPage:
    page = lock_teacher_page()
    _delete_files(page)
    page.photo.name = ""
    page.save(update_fields=["photo"])
    return page


def encode_photo(content: IO[bytes]) -> dict[int, bytes]:
    """Return a JPEG by width. Raises PhotoError."""
    picture = read_picture(content, DECODED_SIDE)
    return {width: _encode(picture, width) for width in PHOTO_WIDTHS.values()}


def _delete_files(page: TeacherPage) -> None:
    if page.photo:
        for width in PHOTO_WIDTHS.values():
            default_storage.delete(photo_name(page.photo, width))


def _encode(image: Image.Image, width: int) -> bytes:
    # Cut a little above the middle, where faces are.
    square = ImageOps.fit(image, (width, width), Image.Resampling.LANCZOS, centering=(0.5, 0.35))
    return write_jpeg(square, MAX_BYTES)


def load_teacher_page() -> TeacherPage:
    """Return an unsaved page if there is none."""
    stored = TeacherPage.objects.filter(pk=TeacherPage.SINGLETON).first()
    return stored or TeacherPage()


def lock_teacher_page() -> TeacherPage:
    """Create the page if there is none."""
    transaction.on_commit(lambda: cache.delete(SELLER_KEY))
    pages = TeacherPage.objects.select_for_update()
    return pages.get_or_create(pk=TeacherPage.SINGLETON)[0]


def load_seller() -> dict[str, str]:
    """Return the seller's data, the teacher's ``name``, ``face`` (the address of her photo) and
    ``colour``, and the ``phone`` and ``email`` to write to; perhaps a minute old.

    Each page has them, with the hours in the reader's language. Without the database each value
    is empty, also on the page that says so.
    """
    seller: dict[str, str] | None = cache.get(SELLER_KEY)
    if seller is None:
        try:
            page, teacher = load_teacher_page(), find_teacher()
        except DatabaseError:
            return dict.fromkeys((*SELLER, *SHOWN), "")
        typed = teacher.phone if teacher and page.contact != ContactWay.MAIL else ""
        phone = normalize_phone(typed)  # the API stores any text
        email = "" if phone and page.contact == ContactWay.WHATSAPP else settings.ADMIN_EMAIL
        shown = {
            "name": page.name,
            "face": page.photo_urls["small"],
            "colour": page.colour,
            "phone": phone,
            "email": email,
        }
        seller = {name: getattr(page, name) for name in SELLER} | shown
        cache.set(SELLER_KEY, seller, SELLER_SECONDS)
    if get_language() == Language.ENGLISH and seller.get("hours_en"):
        return seller | {"hours": seller["hours_en"]}
    return seller


def read_cuit(typed: str) -> str | None:
    """Return a CUIT as 20-12345678-6; None for a mistyped one."""
    digits = typed.replace("-", "").replace(" ", "")
    if not (digits.isascii() and digits.isdigit() and len(digits) == len(CUIT_WEIGHTS) + 1):
        return None
    weighted = zip(CUIT_WEIGHTS, digits, strict=False)
    # No CUIT has the check digit 10, so no digit matches it.
    if int(digits[-1]) != -sum(weight * int(digit) for weight, digit in weighted) % 11:
        return None
    return f"{digits[:2]}-{digits[2:-1]}-{digits[-1]}"


def list_quotes() -> list[Quote]:
    return list(Quote.objects.all())


def list_questions() -> list[Question]:
    return list(Question.objects.all())


@transaction.atomic
def write_teacher_page(
    *, texts: Mapping[str, str], quotes: Sequence[Quote], questions: Sequence[Question]
) -> None:
    """Replace the given texts, all quotes and all questions."""
    lock_teacher_page()
    TeacherPage.objects.filter(pk=TeacherPage.SINGLETON).update(**texts)
    for position, quote in enumerate(quotes):
        quote.position = position
    for position, question in enumerate(questions):
        question.position = position
    Quote.objects.all().delete()
    Quote.objects.bulk_create(quotes)
    Question.objects.all().delete()
    Question.objects.bulk_create(questions)


class DatabaseStorage(Storage):
    """Keep a few small files as rows, so that each web process and each backup has them.

    https://docs.djangoproject.com/en/5.2/howto/custom-file-storage/
    """

    def exists(self, name: str) -> bool:
        return StoredFile.objects.filter(pk=name).exists()

    def size(self, name: str) -> int:
        return self.open(name).size

    def url(self, name: str | None) -> str:
        return reverse("bookings:photo", args=[name])

    def delete(self, name: str) -> None:
        StoredFile.objects.filter(pk=name).delete()

    def _open(self, name: str, mode: str = "rb") -> "File[bytes]":
        found = StoredFile.objects.filter(pk=name).first()
        if found is None:
            raise FileNotFoundError(name)
        return ContentFile(bytes(found.content), name=name)

    def _save(self, name: str, content: "File[bytes]") -> str:
        StoredFile.objects.create(pk=name, content=content.read())
        return name
