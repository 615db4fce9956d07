"""Random histories: ledger, months, balances and the provider say what a second bookkeeper does.

``HISTORIES=10000 pytest -n auto`` plays so many, shared out among processes; ``HISTORIES_FROM=79``
with one plays a seed again.
"""

import os
import traceback
from datetime import timedelta
from random import Random

import pytest
import requests.adapters
import time_machine
from django.core.cache import cache
from django.db import connection, transaction

from tests.pages.moments import NOW
from tests.sales.addresses import prepare
from tests.sales.books import compare
from tests.sales.histories import History
from tests.standins.direct import CalmCalendar, answer_directly

COUNT, FIRST = int(os.environ.get("HISTORIES", "20")), int(os.environ.get("HISTORIES_FROM", "0"))
AT_A_TIME = 200
ACTS = 8


@pytest.fixture
def near_providers(mercadopago, settings, monkeypatch):
    send = answer_directly(mercadopago)
    monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", send)
    settings.CALENDAR_BACKEND = f"{CalmCalendar.__module__}.{CalmCalendar.__qualname__}"
    return mercadopago


def play(seed, provider, teacher) -> list[str]:
    """Play a history, and roll it back; name what differs, and what was done."""
    account = provider.webhook_secret, provider.notification_url
    provider.reset()
    provider.webhook_secret, provider.notification_url = account
    cache.clear()
    start = NOW + timedelta(minutes=Random(seed).randrange(30 * 24 * 60))
    with time_machine.travel(start, tick=False) as clock, transaction.atomic():
        prepare(Random(seed))
        history = History(seed, provider=provider, teacher=teacher, clock=clock)
        try:
            history.play(ACTS)
            faults = compare(history.books, history.people, history.sign_in(teacher))
            connection.check_constraints()
        except Exception:  # noqa: BLE001 - whatever it is, its seed has to be named
            faults = [traceback.format_exc()]
        transaction.set_rollback(True)
    return faults and [f"HISTORIES_FROM={seed} HISTORIES=1", *faults, *history.acts]


@pytest.mark.django_db
@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, AT_A_TIME))
def test_every_history_ends_with_the_same_sums(near_providers, teacher, first):
    seeds = range(first, min(first + AT_A_TIME, FIRST + COUNT))

    told = [line for seed in seeds for line in play(seed, near_providers, teacher)]

    if told:
        pytest.fail("\n".join(told), pytrace=False)
