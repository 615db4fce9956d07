"""What the document shows is true: its examples fit its schemas, and do what they say."""

import json

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from config.api.openapi import get_document
from tests.api.openapi.calls import FORM, example_call

DOCUMENT = get_document().content
OPERATIONS = {
    operation["operationId"]: (path, method, operation)
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
}
# The first example has no channel's token, which only Google has; the scene has no opening hours.
REFUSED = {"receiveCalendarPush": 404, "moveClass": 409}
JSON = "application/json"


def resolve(value):
    """Put in what a reference points at."""
    while "$ref" in value:
        _, *names = value["$ref"].split("/")
        value = DOCUMENT
        for name in names:
            value = value[name]
    return value


def closed(schema):
    """Copy a schema whose objects take no key that it does not name."""
    schema = resolve(schema)
    copy = {
        key: [closed(one) for one in value] if key in {"anyOf", "oneOf"} else value
        for key, value in schema.items()
    }
    if "properties" in schema:
        copy["properties"] = {name: closed(one) for name, one in schema["properties"].items()}
        copy["additionalProperties"] = False
    elif isinstance(schema.get("additionalProperties"), dict):
        copy["additionalProperties"] = closed(schema["additionalProperties"])
    if "items" in schema:
        copy["items"] = closed(schema["items"])
    return copy


def faults(media, value):
    validator = Draft202012Validator(closed(media["schema"]), format_checker=FormatChecker())
    return [error.message for error in validator.iter_errors(value)]


def examples(media):
    named = [example["value"] for example in media.get("examples", {}).values()]
    return named + ([media["example"]] if "example" in media else [])


@pytest.mark.parametrize("name", OPERATIONS)
def test_examples_fit_their_schemas(name):
    _, _, operation = OPERATIONS[name]
    bodies = [operation.get("requestBody", {}), *map(resolve, operation["responses"].values())]

    for media in (media for body in bodies for media in body.get("content", {}).values()):
        for example in examples(media):
            assert faults(media, example) == []


def test_a_session_is_asked_for_where_it_is_needed():
    asking = {
        name
        for name, (_, _, operation) in OPERATIONS.items()
        if {} not in operation.get("security", [{}])
    }

    assert asking == {
        "bookClass",
        "cancelClass",
        "createPaymentPreference",
        "getOwnClass",
        "getUserData",
        "joinClass",
        "listOwnClasses",
        "listSlotsOfClass",
        "moveClass",
        "saveUserData",
    }


@pytest.mark.django_db
@pytest.mark.usefixtures("scene")
@pytest.mark.parametrize("name", OPERATIONS)
def test_an_example_works(name, client, host, sign_in, request):
    if name == "scheduleClass":
        request.getfixturevalue("booked")
    call = example_call(*reversed(OPERATIONS[name][:2]), OPERATIONS[name][2])
    client = sign_in(host) if call.is_signed_in else client
    raw = {"data": call.body} if call.media_type == FORM else {}
    if call.media_type == JSON:
        raw = {"data": json.dumps(call.body), "content_type": JSON}

    response = getattr(client, call.method.lower())(call.path, **raw)

    assert response.status_code in ({REFUSED[name]} if name in REFUSED else {200, 204, 302})
    answer = resolve(OPERATIONS[name][2]["responses"][str(response.status_code)])
    for media_type, media in answer.get("content", {}).items():
        if media_type == JSON:
            assert faults(media, response.json()) == []
    assert set(answer.get("headers", {})) <= set(response.headers)
