"""Whatever is asked of the panel's lists and forms, by whoever may look: no page breaks."""

import re
from datetime import timedelta
from itertools import cycle

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.db.models import UUIDField
from django.urls import reverse

from accounts.models import User
from bookings.models import (
    BankTransfer,
    BookingRules,
    Closure,
    Entry,
    Hold,
    Notice,
    NoticeKind,
    Payment,
    Price,
    Purchase,
    Refund,
    SpecialHours,
    UserActivity,
    VirtualClass,
    WebhookDelivery,
    WebhookEndpoint,
    WeeklyHours,
)
from bookings.models.sales.discount_code import DiscountCode
from bookings.webhooks.endpoints import record_test_event
from tests.bookings.webhooks.factories import WebhookEndpointFactory
from tests.discount_codes import DiscountCodeFactory
from tests.factories import (
    BankTransferFactory,
    HoldFactory,
    PaymentFactory,
    PlaceFactory,
    PurchaseFactory,
    VirtualClassFactory,
)
from tests.panel.moments import MONDAY, NOW, at

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]

NINES = "9" * 30
# What the boxes of a form are filled with, in turns, so that each is met beside the others.
FILLINGS = [("",), ("\0", NINES), (NINES, "\0")]
# The boxes of a list that are not about one of its rows.
OF_LISTS = {"action", "index", "q", "select_across"}
# What the box of a chosen row holds, when it holds none: of models with a UUID, and of others.
NO_UUIDS = ["\0", "00000000-0000-0000-0000-000000000000"]
NO_NUMBERS = ["\0", "-1", NINES]
LIST_QUERIES = ["", "?foo=1", "?q=%00&p=x&o=x&all=x", "?id__exact=x&status__exact=x"]


def make_row(model, owner):
    """Make something to look at, of any model in the panel."""
    day = {"start": "09:00", "end": "13:00"}
    length = {"class_type": "individual", "minutes": 60}
    hours = {"start_time": at("15:00"), "end_time": at("16:00"), "class_type": "grupal"}
    makers = {
        BankTransfer: lambda: BankTransferFactory(purchase=VirtualClassFactory().purchase),
        BookingRules: lambda: BookingRules.objects.create(),
        DiscountCode: DiscountCodeFactory,
        Entry: lambda: VirtualClassFactory(in_cash=NOW).purchase.entries.get(),
        Closure: lambda: Closure.objects.create(first_day=MONDAY, last_day=MONDAY),
        Hold: lambda: HoldFactory(user=owner, expires_at=NOW + timedelta(1), **hours),
        LogEntry: lambda: LogEntry.objects.create(user=owner, action_flag=2),
        Notice: lambda: Notice.objects.create(user=owner, kind=NoticeKind.GUESSING),
        Payment: PaymentFactory,
        Price: lambda: Price.objects.create(**length, amount=1, valid_from=MONDAY),
        Purchase: PlaceFactory,
        Refund: lambda: Refund.objects.create(
            purchase=PurchaseFactory(),
            way="cash",
            reason="cancelled",
            amount=1,
            next_attempt_at=None,
        ),
        SpecialHours: lambda: SpecialHours.objects.create(day=MONDAY, **day),
        User: lambda: owner,
        UserActivity: lambda: VirtualClassFactory(scheduled=True).activities.get(),
        VirtualClass: lambda: VirtualClassFactory(scheduled=True),
        WebhookDelivery: lambda: record_test_event(WebhookEndpointFactory()),
        WebhookEndpoint: lambda: WebhookEndpointFactory(),
        WeeklyHours: lambda: WeeklyHours.objects.create(weekday=0, **day),
    }
    return makers[model]()


def pages_of(model, row):
    """Give the addresses of list, empty form and row, as far as there are any."""
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    yield from (reverse(f"{name}_changelist") + query for query in LIST_QUERIES)
    if model is not WeeklyHours:  # has one page
        yield reverse(f"{name}_add")
        yield f"{reverse(f'{name}_add')}?valid_from=x&first_day=x&user=x&amount={NINES}"
        yield reverse(f"{name}_change", args=[row.pk])


def answers_of(client, address):
    """Look at a page, and send its form filled with all kinds of nonsense, while it is taken."""
    shown = client.get(address)
    yield "GET", shown.status_code
    if "?" in address:
        return
    # Without the boxes of a list's rows: a malformed row is refused before anything else is read.
    boxes = {*re.findall(r' name="([^"]+)"', shown.content.decode())}
    boxes -= {"_selected_action", "csrfmiddlewaretoken"}
    for filling in FILLINGS if boxes - OF_LISTS else FILLINGS[-1:]:
        sent = dict(zip(sorted(boxes), cycle(filling), strict=False))
        yield f"POST {filling}", client.post(address, sent).status_code


@pytest.mark.parametrize("model", admin.site._registry, ids=lambda model: model.__name__)
def test_no_page_breaks(model, panel, student):
    row = make_row(model, student)
    panel.raise_request_exception = False

    broken = [
        (address, how, status)
        for address in pages_of(model, row)
        for how, status in answers_of(panel, address)
        if status >= 500
    ]

    assert broken == []


def test_no_page_breaks_for_staff_who_may_only_look(host, student, sign_in):
    host.is_staff = True
    host.save()
    host.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    client = sign_in(host)
    pages = [
        address
        for model in admin.site._registry
        for address in pages_of(model, make_row(model, student))
        if address.endswith("/") and not address.endswith("/add/")
    ]

    answers = {address: client.get(address, follow=True).status_code for address in pages}

    assert {address: status for address, status in answers.items() if status != 200} == {}


def test_nul_and_huge_numbers_in_a_filter_are_refused(panel):
    panel.raise_request_exception = False
    filters = [
        "bookings/payment/exportar/?status__exact=%00",
        "bookings/payment/exportar/?preference_id=%00",
        "bookings/payment/?status__exact=%00",
        "bookings/notice/?kind__exact=%00",
        "bookings/webhookdelivery/?event__kind=a%00b",
        "accounts/user/?level__exact=%00",
        f"bookings/entry/?id__in={NINES}",
        f"admin/logentry/?id__in={NINES}",
    ]

    answers = {one: panel.get(f"/admin/{one}").status_code for one in filters}

    assert answers == dict.fromkeys(filters, 400)


def list_wishes(model):
    """Give the actions of a model's list, each with a row that there is not."""
    steps = getattr(admin.site._registry[model], "steps", ())
    *others, last = ["delete_selected", *(step.name for step in steps if step.bulk)]
    # Rows are looked up before an action sees them: one action meets each value, others meet one.
    rows = NO_UUIDS if isinstance(model._meta.pk, UUIDField) else NO_NUMBERS
    return [(last, row) for row in rows] + [(name, "x") for name in others]


def test_an_action_for_rows_that_are_none_breaks_nothing(panel):
    panel.raise_request_exception = False

    broken = []
    for model in admin.site._registry:
        address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        for name, row in list_wishes(model):
            answer = panel.post(address, {"action": name, "_selected_action": [row]})
            if answer.status_code >= 500:
                broken.append((address, name, row))

    assert broken == []
