"""What every template keeps to: no inline code, the colour of a button, and money's one source."""

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
from bookings.panel.classes.class_steps import CLASS_STEPS
from bookings.panel.money.payments import PaymentAdmin
from bookings.panel.student_files import PersonAdmin
from tests.pages.texts import plain_text_of
from tests.sales.money_rows import CASES

ROOT = Path(settings.BASE_DIR) / "templates"
TEMPLATES = sorted(
    path for folder in ("accounts", "bookings") for path in (ROOT / folder).rglob("*.html")
)
BUTTON = re.compile(r'<(button|a)\b[^>]*?class="([^"]*\bbutton\b[^"]*)"[^>]*>(.*?)</\1>', re.DOTALL)
TEXT = re.compile(r'translate "([^"]+)"')
TAKES_AWAY = re.compile(
    r"^(Sí, )?(borrar|cancelar|dejar|quitar|devolver|desconectar)\b", re.IGNORECASE
)


def test_students_buttons_have_the_colour_of_what_they_do():
    wrong = []
    for template in TEMPLATES:
        for tag, classes, inside in BUTTON.findall(template.read_text()):
            takes_away = any(TAKES_AWAY.match(text) for text in TEXT.findall(inside))
            is_red = "button-danger" in classes
            # A quiet one leads to the page that asks.
            if is_red is not takes_away and not (takes_away and "button-quiet" in classes):
                wrong.append(f"{template.name}: {tag} {classes}: {' '.join(inside.split())}")

    assert wrong == []


def test_the_panels_steps_have_the_colour_of_what_they_do():
    steps = [*CLASS_STEPS, *PaymentAdmin.steps, *PersonAdmin.steps]

    takes_away = {step.name for step in steps if TAKES_AWAY.match(str(step.yes))}

    assert {step.name for step in steps if step.is_final} == takes_away


# Mail programs know no content policy, and load no style sheet.
ALL_TEMPLATES = sorted(set(ROOT.rglob("*.html")) - set((ROOT / "notices").rglob("*.html")))
INLINE = re.compile(r"<style|\sstyle=|\son[a-z]+=|javascript:|<script(?![^>]*\ssrc=)", re.I)
FOREIGN = re.compile(r"<(?:link|script|img|iframe)[^>]*(?:href|src)=\"(?:https?:)?//", re.I)


def test_templates_bring_nothing_inline_or_foreign():
    found = [
        (path.name, text)
        for path in ALL_TEMPLATES
        for pattern in (INLINE, FOREIGN)
        for text in pattern.findall(path.read_text())
    ]

    assert found == []


# --- The state and the words of money come from describe_money alone ------------------------------


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
    "transfer.form.receipt",
    "transfer.choose_url",
    "transfer.form.operation_number",
    "transfer.is_chosen",
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
    rooms = [ROOT / room for room in ("bookings", "notices", "accounts")]
    return [path for room in rooms for path in sorted(room.rglob("*.*"))]


def test_no_template_asks_rows_for_the_state_of_money():
    asked = {
        f"{path.relative_to(ROOT)}: {'.'.join(found.groups())}"
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
