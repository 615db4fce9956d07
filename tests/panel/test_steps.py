"""Actions that move money, times or people show a page first, and are done once if confirmed.

The mails that the page names are the mails that leave. Staff without the permission get 403.
"""

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.utils import timezone

from accounts.models import User
from bookings.models import Hold, Notice
from tests.factories import UserFactory
from tests.panel.steps import address_of, all_steps, seen_on

pytestmark = pytest.mark.django_db


def everything():
    """Read every row of ours, but what a look itself writes: sessions and the panel's history."""
    rows = {}
    with connection.cursor() as cursor:
        for model in [*apps.get_app_config("bookings").get_models(), User]:
            # Without Django's conversions, which would take most of this test's time.
            cursor.execute(f'SELECT * FROM "{model._meta.db_table}"')  # noqa: S608 - our tables
            rows[model] = sorted(map(repr, cursor.fetchall()))
    return rows


def mails_named(page):
    """Give which mails the page of a step names, with the people who get them."""
    [facts] = page.context["preview"].facts.values()
    return {(kind, person) for kind, people in facts.mails for person in people}


def mails_since(earlier):
    """Give who is promised which mail at once, that was not promised before."""
    new = Notice.objects.exclude(pk__in=earlier).filter(due_at__lte=timezone.now())
    return {(mail.get_kind_display(), str(mail.user)) for mail in new}


@pytest.mark.parametrize(
    ("model", "step"),
    [pytest.param(*one, id=f"{one[0].__name__}-{one[1].name}") for one in all_steps()],
)
def test_a_step_asks_first_is_taken_once_and_then_does_nothing(
    model, step, chosen, panel, teacher, google, sign_in
):
    row, given = chosen(model, step.name)
    address = address_of(row, step.name)
    looker = sign_in(UserFactory(is_staff=True))
    before, known = everything(), [*Notice.objects.values_list("pk", flat=True)]

    refused = [looker.get(address), looker.post(address, {**given, "seen": "x"})]
    page = panel.get(address, given)
    asked = everything()
    taken = panel.post(address, {**given, "seen": seen_on(page)})
    done, mails = everything(), mails_since(known)
    again = panel.post(address, {**given, "seen": seen_on(page)})

    assert [answer.status_code for answer in refused] == [403, 403]
    assert asked == before
    if step.name != "reparar" and model is not Notice:
        assert mails_named(page) == mails
    assert taken.status_code == 302
    assert again.status_code == (302 if model is Hold else 200)  # a hold that was released is gone
    if step.name != "reparar":  # of which only the calendar knows what there is to do
        assert done != before
    assert everything() == done
    assert LogEntry.objects.filter(user=teacher, object_id=str(row.pk)).count() == 1
