"""The schemas of the document allow exactly the values that the service takes."""

import pytest
from jsonschema import Draft202012Validator

from config.api.openapi import get_document

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("booked")]

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
