"""schemathesis tries every operation of the document: whatever is answered, was documented.

SCHEMATHESIS_EXAMPLES says how many requests are made up for each, besides those for every limit.
"""

import os
from copy import deepcopy

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, Phase, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import FailureGroup

from config.api.openapi import get_document

WISH = {"start": "2030-01-05T15:00:00-03:00", "end": "2030-01-05T16:00:00-03:00"}
EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "3"))
CONFIG = SchemathesisConfig.from_dict(
    {
        "generation": {"allow-x00": False, "codec": "utf-8"},
        "checks": {
            # That a class ends after it begins, and in the future, no JSON Schema can say.
            "positive_data_acceptance": {
                "expected-statuses": [
                    "2xx",
                    "302",
                    "304",
                    "400",
                    "401",
                    "403",
                    "404",
                    "409",
                    "410",
                    "415",
                ]
            },
        },
    }
)


# A stranger may ask for these too, but a person gets another answer.
ANSWERED_DIFFERENTLY = {"/api/auth/session", "/api/auth/signin", "/api/auth/signout"}


def load(document):
    """Give schemathesis a document, and the service in this very process."""
    loaded = schemathesis.openapi.from_dict(document, config=CONFIG)
    loaded.app = get_wsgi_application()
    return loaded


def where_a_session_counts(document):
    """Keep what reads a session, and leave its mention out: the test brings one of its own."""
    for path, item in [*document["paths"].items()]:
        operations = item.values()
        wanted = [one for one in operations if "security" in one or path in ANSWERED_DIFFERENTLY]
        if not wanted:
            del document["paths"][path]
        for operation in operations:
            operation.pop("security", None)
    return document


for_strangers = load(get_document().content)
for_a_person = load(where_a_session_counts(deepcopy(get_document().content)))
thorough = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=EXAMPLES < 100,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("open_connection", "booked")]


# Where its client in this process keeps cookies for.
ADDRESS = "http://localhost"
# Nothing is compressed on the way, for the client in between would not unpack it.
PLAIN = {"Accept-Encoding": "identity"}


def give_a_possible_time(case):
    """Let a class that is right otherwise end soon after it begins: no schema can ask for that."""
    if case.meta and case.meta.generation.mode.is_positive and isinstance(case.body, dict):
        case.body |= {name: WISH[name] for name in ("start", "end") if name in case.body}


@for_a_person.parametrize()
@thorough
def test_a_person_gets_what_is_documented(case, session_cookie):
    give_a_possible_time(case)

    response = case.call_and_validate(ADDRESS, headers=PLAIN, cookies=session_cookie)

    assert response.status_code != 401


@for_strangers.parametrize()
@thorough
def test_a_stranger_gets_what_is_documented(case):
    case.call_and_validate(ADDRESS, headers=PLAIN)


def test_a_status_that_is_not_documented_is_noticed():
    document = deepcopy(get_document().content)
    del document["paths"]["/api/calendar"]["post"]["responses"]["404"]
    case = load(document)["/api/calendar"]["POST"].Case(
        body={"preferenceId": "unknown"}, media_type="application/json"
    )

    with pytest.raises(FailureGroup, match="Undocumented status code"):
        case.call_and_validate(ADDRESS, headers=PLAIN)
