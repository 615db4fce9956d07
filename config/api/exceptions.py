"""The answers of ``/api`` to exceptions."""

import logging
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404
from rest_framework import exceptions, status
from rest_framework.response import Response

from config.lib.api import BODY_TOO_LARGE, NOT_FOUND, SIGN_IN_FIRST, Refusal, find_refusal
from config.web.errors import FORBIDDEN, OVERLOADED, RETRY_SECONDS, SERVER_ERROR, lacks_connection

logger = logging.getLogger(__name__)


class BodyTooLargeError(exceptions.APIException):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = BODY_TOO_LARGE


def exception_handler(error: Exception, context: dict[str, Any]) -> Response:
    """Answer an exception as its view documents.

    A view may have ``refusals``, its answers to domain errors; ``server_error``, the text of its
    500; ``error_body(status, text)``; and ``coded_body(reason)`` around a text and its code.
    Without ``server_error``, a lack of database connections is a 503.
    """
    view = context["view"]
    if refusal := find_refusal(getattr(view, "refusals", {}), type(error)):
        return _answer_refusal(view, error, refusal)
    error = _as_api_exception(error)
    if isinstance(error, exceptions.APIException):
        code, text, headers = error.status_code, first_message(error.detail), _headers(error)
    else:
        logger.error("%s failed", type(view).__name__, exc_info=error)
        code, text, headers = _describe_failure(view, error)
    shape = getattr(view, "error_body", error_body)
    return Response(shape(code, text), status=code, headers=headers)


def error_body(status_code: int, text: str) -> dict[str, Any]:
    """Spec: Endpoints."""
    return {"error": text}


def first_message(detail: Any, path: str = "") -> str:
    """Return one sentence, such as ``start: Requerido.``"""
    if isinstance(detail, dict):
        key, value = next(iter(detail.items()))
        return first_message(value, path if key == "non_field_errors" else str(key))
    if isinstance(detail, list):
        return first_message(detail[0], path)
    return f"{path}: {detail}" if path else str(detail)


def _answer_refusal(view: Any, error: Exception, refusal: Refusal) -> Response:
    if refusal.warning:
        logger.warning("%s: %s", refusal.warning, error)
    text = str(refusal.text or error)
    if refusal.has_code:
        body = getattr(view, "coded_body", dict)(
            {"error": text, "code": getattr(error, "code", "")}
        )
    else:
        body = getattr(view, "error_body", error_body)(refusal.status, text)
    wait = refusal.retry_after or getattr(error, "wait_seconds", None)
    headers = {"Retry-After": str(wait)} if wait else {}
    return Response(body, status=refusal.status, headers=headers)


def _describe_failure(view: Any, error: Exception) -> tuple[int, str, dict[str, str]]:
    documented = getattr(view, "server_error", None)
    is_overloaded = lacks_connection(error)
    headers = {"Retry-After": str(RETRY_SECONDS)} if is_overloaded else {}
    if is_overloaded and documented is None:
        return status.HTTP_503_SERVICE_UNAVAILABLE, OVERLOADED, headers
    return status.HTTP_500_INTERNAL_SERVER_ERROR, documented or SERVER_ERROR, headers


def _as_api_exception(error: Exception) -> Exception:
    if isinstance(error, Http404):
        return exceptions.NotFound(NOT_FOUND)
    if isinstance(error, RequestDataTooBig):
        return BodyTooLargeError()
    if isinstance(error, PermissionDenied):
        return exceptions.PermissionDenied(FORBIDDEN)
    if isinstance(error, exceptions.NotAuthenticated):
        # DRF has chosen status and challenge already; only its text is replaced.
        error.detail = exceptions.ErrorDetail(SIGN_IN_FIRST, code=error.default_code)
    return error


def _headers(error: exceptions.APIException) -> dict[str, str]:
    headers = {}
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(int(wait))
    return headers
