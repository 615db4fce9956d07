"""Actions that move money, times or people show a page first, and are done once if confirmed.

Staff without the permission get 403.
"""

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.db import connection

from accounts.models import User
from bookings.models import Hold
from tests.admin.steps import address_of, all_steps, look, seen_on
from tests.factories import UserFactory

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
    before = everything()

    refused = [looker.get(address), looker.post(address, {**given, "seen": "x"})]
    page = panel.get(address, given)
    blind = panel.post(address, given)
    shown = look(panel, row, step.name, **given)
    asked = everything()
    taken = panel.post(address, {**given, "seen": seen_on(shown)})
    done = everything()
    again = panel.post(address, {**given, "seen": seen_on(shown)})

    assert [answer.status_code for answer in refused] == [403, 403]
    assert (page.status_code, blind.status_code, shown.status_code) == (200, 200, 200)
    assert asked == before
    assert taken.status_code == 302
    assert again.status_code == (302 if model is Hold else 200)  # a hold that was released is gone
    if step.name != "reparar":  # of which only the calendar knows what there is to do
        assert done != before
    assert everything() == done
    assert LogEntry.objects.filter(user=teacher, object_id=str(row.pk)).count() == 1
