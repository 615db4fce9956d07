"""Of what use an answer of a provider is, in one word."""

import pytest
import requests

from accounts.sign_in.adapters import SECONDS, TimedAdapter
from config.lib.provider_calls import outcome_of


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (0, "unavailable"),
        (200, "ok"),
        (302, "ok"),
        (401, "refused"),
        (404, "refused"),
        (429, "unavailable"),
        (500, "unavailable"),
        (503, "unavailable"),
    ],
)
def test_an_answer_has_an_outcome(status, outcome):
    assert outcome_of(status) == outcome


def test_a_failure_may_be_a_usual_answer():
    assert outcome_of(404, usual=(404,)) == "ok"
    assert outcome_of(403, usual=(404,)) == "refused"


def test_a_call_to_an_identity_provider_without_an_answer_is_counted():
    session = requests.Session()
    session.mount("http://", TimedAdapter())
    counted = SECONDS.labels("127.0.0.1", "unavailable")
    before = counted._sum.get()

    with pytest.raises(requests.ConnectionError):
        session.get("http://127.0.0.1:1/token")

    assert counted._sum.get() > before
