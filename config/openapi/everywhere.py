"""What any operation may answer, described once: components that the operations refer to."""

from typing import Any

from config.api import SIGN_IN_FIRST
from config.errors import BAD_REQUEST, HEADERS_TOO_LARGE, SERVER_ERROR
from config.json_body import BodyTooLargeError

ERROR = {"$ref": "#/components/schemas/Error"}
FOREIGN_ORIGIN = "El pedido viene de otro sitio."
WRONG_TYPE = "Enviá el cuerpo como JSON en UTF-8."

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


RESPONSES: dict[str, Any] = {
    "BadRequest": _answer(
        "The `Host` is not the service's, or a form cannot be read.", BAD_REQUEST
    ),
    "Unauthenticated": _answer(
        "Nobody is signed in, or the session is over.",
        SIGN_IN_FIRST,
        WWW_Authenticate=_header("What is missing: a session.", "Session"),
    ),
    "ForeignOrigin": _answer(
        "A page of another site sent it: `Origin` or `Sec-Fetch-Site` say so.", FOREIGN_ORIGIN
    ),
    "MethodNotAllowed": _answer(
        "What any other method gets at this address.",
        'Método "PUT" no permitido.',
        Allow=_header("The methods that there are.", "POST, OPTIONS"),
    ),
    "Page": {
        "description": "A foreign `Host` (400), headers over 16 KiB (431), a failure (500).",
        "content": {"text/html": {"schema": {"type": "string"}}},
    },
    "OnlyGet": {
        "description": "What any other method gets; there is no body.",
        "headers": {"Allow": _header("The methods that there are.", "GET, HEAD")},
    },
    "BodyTooLarge": _answer("The body is over 64 KiB.", BodyTooLargeError.default_detail),
    "WrongType": _answer(
        "The body is a form or XML, or in another charset than UTF-8.", WRONG_TYPE
    ),
    "HeadersTooLarge": _answer("Address and headers are over 16 KiB.", HEADERS_TOO_LARGE),
    "ServerError": _answer("Something failed that should not have.", SERVER_ERROR),
}


def refer(name: str) -> dict[str, str]:
    """Point at one of the answers above."""
    return {"$ref": f"#/components/responses/{name}"}


def add_common_answers(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Put them into the document; a hook of its generator."""
    components = result["components"]
    components["responses"] = RESPONSES
    components["schemas"] = dict(sorted({**components["schemas"], **SCHEMAS}.items()))
    return result
