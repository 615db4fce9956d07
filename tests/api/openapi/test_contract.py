"""schemathesis tries every operation of the document: whatever is answered, was documented.

SCHEMATHESIS_EXAMPLES says how many requests are made up for each, besides those for every limit.
"""

import os
from copy import deepcopy

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, Phase, settings
from jsonschema import Draft202012Validator
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import FailureGroup

from bookings.api.booking import BOOKING_EXAMPLE as WISH
from config.api.openapi.document import get_document

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


def load(document):
    """Give schemathesis a document, and the service in this very process."""
    loaded = schemathesis.openapi.from_dict(document, config=CONFIG)
    loaded.app = get_wsgi_application()
    return loaded


def without_security(document):
    """Leave the session out, so that nobody makes one up: the test brings its own."""
    for item in document["paths"].values():
        for operation in item.values():
            operation.pop("security", None)
    return document


for_strangers = load(get_document().content)
for_a_person = load(without_security(deepcopy(get_document().content)))
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

    # The other 401 is that of a signature.
    assert response.status_code != 401 or "webhooks" in case.path


@for_strangers.parametrize()
@thorough
def test_a_stranger_gets_what_is_documented(case):
    case.call_and_validate(ADDRESS, headers=PLAIN)


TEXTS = (
    "a\x00b",
    "a\tb",
    "\nab",
    "a\x7fb",
    "a\x94b",
    "a\xa0b",
    "a\u2028b",
    "a\u202eb",
    "ñandú 東京 <b>",
    " x ",
    "   ",
    "",
    " " * 300,
    " " * 300 + "x",
    "x" * 30,
    "x" * 31,
    "x" * 255,
    "x" * 256,
)
TIMES = (
    "2030-01-05T15:00:00-03:00",
    "2030-01-05T15:00:00-03",
    "2030-01-05T15:00:00-0300",
    "2030-01-05t18:00:00z",
    "20300105T1500-03",
    "2030-01-05T15",
    "2030-01-05T18:00:00,0Z",
    "2030-01-05 15:00:00Z",
    "2030-01-05_15:00:00Z",
    "2030-01-05",
    "2030-W01-6T15:00:00Z",
    "2030-01-05T15:0000Z",
    "2030-01-05T24:00:00Z",
    "2030-01-05T15:00:00+24",
    "1999-01-05T15:00:00Z",
)


VALUES = {
    "/api/user-data": [
        *[(name, text) for name in ("location", "phone") for text in TEXTS],
        *[("level", level) for level in ("", " ", "basico", "experto")],
    ],
    "/api/booking": [
        *[(name, text) for name in ("preferenceId", "text") for text in TEXTS],
        *[("start", time) for time in TIMES],
    ],
}


@pytest.mark.each_engine
@pytest.mark.parametrize("path", VALUES)
def test_schema_allows_what_the_service_takes(host, sign_in, path):
    operation = get_document().content["paths"][path]["post"]
    content = operation["requestBody"]["content"]["application/json"]
    [example] = content["examples"].values()
    schema = {**content["schema"], "components": get_document().content["components"]}
    validator, client = Draft202012Validator(schema), sign_in(host)
    wrong = []

    for number, (name, value) in enumerate(VALUES[path]):
        # The preference of the example is used already; the profile passes over the key.
        body = {**example["value"], "preferenceId": f"another-{number}", name: value}
        status = client.post(path, body, content_type="application/json").status_code
        # NUL no document can allow or refuse for every string: the parser does, with its own text.
        is_allowed = validator.is_valid(body) and "\0" not in str(value)
        if status != (200 if is_allowed else 400):
            wrong.append((name, value, status))

    assert wrong == []


def test_a_status_that_is_not_documented_is_noticed():
    document = deepcopy(get_document().content)
    del document["paths"]["/api/calendar"]["post"]["responses"]["404"]
    case = load(document)["/api/calendar"]["POST"].Case(
        body={"preferenceId": "unknown"}, media_type="application/json"
    )

    with pytest.raises(FailureGroup, match="Undocumented status code"):
        case.call_and_validate(ADDRESS, headers=PLAIN)
