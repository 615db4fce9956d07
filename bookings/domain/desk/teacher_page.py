"""The teacher's page."""

from collections.abc import Mapping, Sequence

from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, transaction

from bookings.models import Question, Quote, TeacherPage

SELLER_KEY, SELLER_SECONDS = "seller", 60
# The weights of a CUIT's digits; the check digit makes the sum divisible by 11.
CUIT_WEIGHTS = (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)


def load_teacher_page() -> TeacherPage:
    """Return an unsaved page with the environment's data of the seller if there is none."""
    stored = TeacherPage.objects.filter(pk=TeacherPage.SINGLETON).first()
    return stored or TeacherPage(**_first_values())


def lock_teacher_page() -> TeacherPage:
    """Create the page if there is none."""
    pages = TeacherPage.objects.select_for_update()
    return pages.get_or_create(pk=TeacherPage.SINGLETON, defaults=_first_values())[0]


def load_seller() -> dict[str, str]:
    """Return the seller's data for the footer of each page; another process's are a minute old.

    Without the database each value is empty: the page that says so has a footer too.
    """
    seller: dict[str, str] | None = cache.get(SELLER_KEY)
    if seller is None:
        try:
            page = load_teacher_page()
        except DatabaseError:
            return dict.fromkeys(settings.SELLER, "")
        seller = {name: getattr(page, name) for name in settings.SELLER}
        cache.set(SELLER_KEY, seller, SELLER_SECONDS)
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
    TeacherPage.objects.update_or_create(
        pk=TeacherPage.SINGLETON, defaults=texts, create_defaults=_first_values() | dict(texts)
    )
    transaction.on_commit(lambda: cache.delete(SELLER_KEY))
    for position, quote in enumerate(quotes):
        quote.position = position
    for position, question in enumerate(questions):
        question.position = position
    Quote.objects.all().delete()
    Quote.objects.bulk_create(quotes)
    Question.objects.all().delete()
    Question.objects.bulk_create(questions)


def _first_values() -> dict[str, str]:
    """Return the environment's data of the seller, as far as her form would take them."""
    longest = {one.name: one.max_length for one in TeacherPage._meta.fields}
    given = {name: value[: longest[name]] for name, value in settings.SELLER.items()}
    given["cuit"] = read_cuit(given["cuit"]) or ""
    if not given["data_fiscal_url"].startswith("https://"):
        given["data_fiscal_url"] = ""
    return given
