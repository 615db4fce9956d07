"""Mercado Pago's error answers, with the words Mercado Pago uses."""

from typing import Any, NoReturn

from tests.standins.messages import RefusedError, json_reply

# What it says when a fault names only the status.
USUAL_ERRORS = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    409: "conflict",
    429: "too_many_requests",
}
CAUSES = {
    2000: "Payment not found",
    2017: "Invalid transaction_amount for update",
    2024: "Payment too old to be refunded",
    2063: "The action requested is not valid for the current payment state",
    4040: "amount must be a positive number",
    4292: "Header X-Idempotency-Key can't be null",
}


def api_error(code: int, error: str = "", message: str = "", cause: int = 0) -> dict[str, Any]:
    """Give the body of an API error; ``cause`` is one of the numbers above."""
    word = error or USUAL_ERRORS.get(code, "internal_error")
    text = message or CAUSES.get(cause) or word
    causes = [{"code": cause, "description": CAUSES[cause], "data": None}] if cause else []
    return {"message": text, "error": word, "status": code, "cause": causes}


def refuse(code: int, error: str = "", message: str = "", cause: int = 0) -> NoReturn:
    raise RefusedError(json_reply(api_error(code, error, message, cause), code))
