"""The pages take the state and the words of money from ``describe_money`` alone."""

import re
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import reverse
from django.utils import timezone, translation

from bookings.models import BookingRules, Payment, Purchase
from bookings.money_state import MoneyState, describe_money, with_money
from tests.pages.texts import plain_text_of
from tests.sales.money_rows import CASES

TEMPLATES = Path(settings.BASE_DIR) / "templates"
ROWS = re.compile(r"(?<![\w-])(payment|transfer|charge|hold|refund)\.(\w+(?:\.\w+)*)")
# Facts of rows that are no state of money.
FACTS = {
    "payment.amount",
    "payment.pk",
    # A time that is chosen and not booked yet.
    "hold.expires_at",
    "hold.kind_label",
    "hold.minutes",
    "hold.pk",
    "hold.start_time",
    "hold.end_time",
    "payment.provider",
    # The form of an announcement, and the offer of one.
    "transfer.account.transfer_alias",
    "transfer.account.transfer_holder",
    "transfer.announce_url",
    "transfer.choose_url",
    "transfer.form.operation_number",
    "transfer.is_refused",
    "transfer.money",
    "transfer.money.is_place",
    "transfer.money.purchase.missing",
    "transfer.plain_amount",
    "transfer.refusal",
    "transfer.until",
}
ASKS = re.compile(
    r"Pagar con Mercado Pago|Pagar antes de|Pay with Mercado Pago|Pay before|Ya transferí|"
    r"I have transferred|Alias o CBU|https://pay\.example"
)


def list_templates() -> list[Path]:
    """The templates of students and of mails."""
    rooms = [TEMPLATES / room for room in ("bookings", "notices", "accounts")]
    return [path for room in rooms for path in sorted(room.rglob("*.*"))]


def test_no_template_asks_rows_for_the_state_of_money():
    asked = {
        f"{path.relative_to(TEMPLATES)}: {'.'.join(found.groups())}"
        for path in list_templates()
        for tag in re.findall(r"{[{%].*?[%}]}", path.read_text())
        for found in ROWS.finditer(re.sub(r'"[^"]*"|\'[^\']*\'', "", tag))
        if ".".join(found.groups()) not in FACTS
    }

    assert asked == set()


@pytest.fixture
def purchase(request, db, agenda) -> Purchase:
    """A purchase of each state, with an open checkout wherever there is one."""
    account = {"transfer_alias": "clases.con.paula"}
    BookingRules.objects.update_or_create(pk=BookingRules.SINGLETON, defaults=account)
    purchase = request.param()
    later = timezone.now() + timedelta(hours=1)
    quote = {"start": later.timestamp(), "end": later.timestamp() + 3600, "is_group_class": False}
    Payment.objects.filter(purchase=purchase).update(
        checkout_url="https://pay.example/1", expires_at=later, quote=quote
    )
    return with_money(Purchase.objects.filter(pk=purchase.pk)).get()


def list_pages(purchase: Purchase) -> dict[str, str]:
    if purchase.virtual_class is None:
        return {"own": reverse("bookings:payment", args=[purchase.payment.pk])}
    booked = purchase.virtual_class_id
    own = ("place", purchase.pk) if purchase.is_place else ("class", booked)
    pages = {
        "own": reverse(f"bookings:{own[0]}", args=[own[1]]),
        "home": "/inicio",
        "list": "/inicio/clases",
    }
    return pages if purchase.is_place else {**pages, "cancel": f"{pages['own']}/cancelar"}


@pytest.mark.parametrize("language", ["es-ar", "en"])
@pytest.mark.parametrize(
    ("state", "purchase"),
    [pytest.param(*one.values, id=one.id) for one in CASES],
    indirect=["purchase"],
)
def test_pages_say_the_words_of_money_and_ask_for_none_in_vain(state, purchase, language, sign_in):
    purchase.person.language = language
    purchase.person.save()
    client = sign_in(purchase.person)

    answers = {name: client.get(page) for name, page in list_pages(purchase).items()}
    texts = {name: unescape(plain_text_of(answer)) for name, answer in answers.items()}

    with translation.override(language):
        money = describe_money(purchase, timezone.now())
        badge, line, cancelling = (
            " ".join(one.split()) for one in (money.badge, money.line, money.cancelling)
        )
    assert {name: answer.status_code for name, answer in answers.items()}["own"] == 200
    assert badge in texts["own"]
    assert line in texts["own"]
    if "list" in texts and not purchase.is_place and state is not MoneyState.PREPARING:
        assert badge in texts["list"]
    if "cancel" in answers and answers["cancel"].status_code == 200 and not purchase.is_paid:
        assert cancelling.rstrip(".") in texts["cancel"]
    if not purchase.is_place and purchase.virtual_class:
        own = answers["own"].content.decode()
        assert f"<h2>{badge}</h2>" not in own
        assert not money.may_pay or own.count('href="/inicio/pagos/') <= 1
    if not money.may_pay:
        assert [name for name, text in texts.items() if ASKS.search(text)] == []
        assert [name for name, one in answers.items() if ASKS.search(one.content.decode())] == []
