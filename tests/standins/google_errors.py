"""Google's error answers, with the words Google uses."""

from typing import Any, NoReturn

from tests.standins.messages import RefusedError, json_reply

# What Google says when a fault names only the status.
USUAL_REASONS = {
    400: "badRequest",
    401: "authError",
    403: "forbidden",
    404: "notFound",
    409: "duplicate",
    410: "deleted",
    412: "conditionNotMet",
    429: "rateLimitExceeded",
}
MESSAGES = {
    "authError": "Invalid Credentials",
    "backendError": "Backend Error",
    "badRequest": "Bad Request",
    "deleted": "Resource has been deleted",
    "duplicate": "The requested identifier already exists.",
    "forbidden": "Forbidden",
    "insufficientPermissions": "Request had insufficient authentication scopes.",
    "notFound": "Not Found",
    "quotaExceeded": "Calendar usage limits exceeded.",
    "rateLimitExceeded": "Rate Limit Exceeded",
    "userRateLimitExceeded": "User Rate Limit Exceeded",
}


def api_error(
    code: int, reason: str = "", message: str = "", domain: str = "global"
) -> dict[str, Any]:
    """Give the body of an API error.

    https://developers.google.com/workspace/calendar/api/guides/errors
    """
    reason = reason or USUAL_REASONS.get(code, "backendError")
    message = message or MESSAGES.get(reason, reason)
    return {
        "error": {
            "code": code,
            "message": message,
            "errors": [{"domain": domain, "reason": reason, "message": message}],
        }
    }


def refuse(code: int, reason: str = "", message: str = "", domain: str = "global") -> NoReturn:
    """Leave the handler with an API error."""
    headers = {"WWW-Authenticate": 'Bearer realm="https://accounts.google.com/"'}
    raise RefusedError(
        json_reply(api_error(code, reason, message, domain), code, headers if code == 401 else None)
    )


def token_error(code: int, reason: str = "") -> dict[str, str]:
    """Give the body of an error of the token endpoint, which has OAuth's shape."""
    usual = {400: "invalid_grant", 401: "invalid_client", 403: "access_denied"}
    reason = reason or usual.get(code, "internal_failure")
    return {"error": reason, "error_description": "Bad Request" if code == 400 else reason}


def refuse_token(reason: str, code: int = 400) -> NoReturn:
    """Leave the token endpoint with an OAuth error."""
    raise RefusedError(json_reply(token_error(code, reason), code))
