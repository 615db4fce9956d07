"""Answers of states that schemathesis does not reach are documented too."""

import pytest
from django.db import OperationalError, connections
from jsonschema import Draft202012Validator

from config.api.openapi import get_document
from tests.api.bodies import post
from tests.api.openapi.calls import FORM, example_call
from tests.sales.open_classes import hold, store

DOCUMENT = get_document().content
OPERATIONS = {
    operation["operationId"]: (path, method, operation)
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
    if path.startswith("/api/")
}

pytestmark = pytest.mark.django_db


def documented(path, method, status):
    answer = DOCUMENT["paths"][path][method]["responses"][str(status)]
    if "$ref" in answer:
        answer = DOCUMENT["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    return answer


def faults(path, method, response):
    schema = documented(path, method, response.status_code)["content"]["application/json"]["schema"]
    validator = Draft202012Validator(schema | {"components": DOCUMENT["components"]})
    return [error.message for error in validator.iter_errors(response.json())]


def test_a_place_that_is_being_paid(mercadopago, teacher, student, sign_in):
    open_class = store(teacher, places=1, minimum=1)
    hold(open_class)
    code = open_class.virtual_class.access_code

    response = post(sign_in(student), "/api/access-code", f'"{code}"')

    assert response.json()["response"]["code"] == "place_held"
    assert faults("/api/access-code", "post", response) == []


def test_a_service_account_that_stands_in(client, settings, teacher):
    settings.CALENDAR_SERVICE_ACCOUNT = {"type": "service_account"}
    teacher.provider_token_revoked_at = teacher.created_at
    teacher.save()

    response = client.get("/readyz")

    assert response.json()["calendar"] == "stand_in"
    assert faults("/readyz", "get", response) == []


@pytest.fixture
def lose_the_database(monkeypatch):
    """Let it take no connection, as one that is full or gone."""

    def refuse():
        raise OperationalError("too many clients")

    def lose():
        monkeypatch.setattr(connections["default"], "connection", None)
        monkeypatch.setattr(connections["default"], "connect", refuse)

    yield lose
    monkeypatch.undo()


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_database_that_takes_no_connection(name, host, sign_in, lose_the_database):
    path, method, operation = OPERATIONS[name]
    call = example_call(method, path, operation)
    raw = {} if call.media_type == FORM else {"content_type": "application/json"}
    client = sign_in(host)
    client.raise_request_exception = False
    lose_the_database()

    response = getattr(client, method)(
        call.path, **(raw | {"data": call.body} if call.body else {})
    )

    documented_headers = documented(path, method, response.status_code).get("headers", {})
    assert ("Retry-After" in response.headers) == (response.status_code >= 500)
    assert ("Retry-After" in documented_headers) == (response.status_code >= 500)
