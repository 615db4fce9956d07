"""Answers that any operation may give."""

from typing import Any

from django.conf import settings

from config.lib.api.schema import ERROR, say_bytes
from config.lib.api.texts import (
    BODY_TOO_LARGE,
    FOREIGN_ORIGIN,
    SIGN_IN_FIRST,
    WRONG_METHOD,
    WRONG_TYPE,
)
from config.web.errors import BAD_REQUEST, HEADERS_TOO_LARGE, OVERLOADED, SERVER_ERROR

SCHEMAS: dict[str, Any] = {
    "Error": {
        "type": "object",
        "description": "Why it was refused. `error` is for people, in the language of the service.",
        "required": ["error"],
        "properties": {"error": {"type": "string"}},
    },
}


def _answer(description: str, text: str, **headers: Any) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "description": description,
        "content": {"application/json": {"schema": ERROR, "example": {"error": text}}},
    }
    if headers:
        answer["headers"] = {name.replace("_", "-"): value for name, value in headers.items()}
    return answer


def _header(description: str, example: str) -> dict[str, Any]:
    return {
        "description": description,
        "required": True,
        "schema": {"type": "string"},
        "example": example,
    }


RETRY_AFTER = {
    "description": "Seconds after which it may be tried again.",
    "schema": {"type": "integer", "minimum": 1},
}


def refer(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/responses/{name}"}


def add_common_answers(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    components = result["components"]
    components["responses"] = _responses()
    components["schemas"] = dict(sorted({**components["schemas"], **SCHEMAS}.items()))
    return result


def _responses() -> dict[str, Any]:
    body = say_bytes(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    headers = say_bytes(settings.MAX_HEADER_BYTES)
    return {
        "BadRequest": _answer(
            "The `Host` is not the service's, or a form cannot be read.", BAD_REQUEST
        ),
        "Unauthenticated": _answer(
            "No session, or the session is over.",
            SIGN_IN_FIRST,
            WWW_Authenticate=_header("What is missing: a session.", "Session"),
        ),
        "ForeignOrigin": _answer(
            "A page of another site sent it: `Origin` or `Sec-Fetch-Site` say so.", FOREIGN_ORIGIN
        ),
        "MethodNotAllowed": _answer(
            "What any other method gets at this address.",
            WRONG_METHOD,
            Allow=_header("The methods that there are.", "POST"),
        ),
        "Page": {
            "description": (
                f"A foreign `Host` (400), headers over {headers} (431), a failure (500)."
            ),
            "content": {"text/html": {"schema": {"type": "string"}}},
        },
        "OnlyGet": {
            "description": "What any other method gets; there is no body.",
            "headers": {"Allow": _header("The methods that there are.", "GET, HEAD")},
        },
        "BodyTooLarge": _answer(f"The body is over {body}.", BODY_TOO_LARGE),
        "WrongType": _answer(
            "The body is a form or XML, or it is compressed (`Content-Encoding`), or in another "
            "charset than UTF-8.",
            WRONG_TYPE,
        ),
        "HeadersTooLarge": _answer(f"Address and headers are over {headers}.", HEADERS_TOO_LARGE),
        "ServerError": _answer("Something failed that should not have.", SERVER_ERROR),
        "Overloaded": _answer(
            "The database takes no connection, and nothing was done.",
            OVERLOADED,
            Retry_After=RETRY_AFTER | {"required": True},
        ),
    }
