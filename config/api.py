"""How errors look on ``/api``: ``{"error": text}``, or the shape that a view documents."""

import logging
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions, status
from rest_framework.response import Response

from accounts.api_texts import NOT_FOUND, SIGN_IN_FIRST
from config.errors import FORBIDDEN, SERVER_ERROR

logger = logging.getLogger(__name__)


def exception_handler(error: Exception, context: dict[str, Any]) -> Response:
    """Turn whatever a view raised into its documented answer.

    A view may carry ``server_error``, the text of its documented 500, and ``error_body(status,
    text)``, the shape of its error bodies. The text of an unexpected error never leaves the log.
    """
    view = context["view"]
    error = _as_api_exception(error)
    if isinstance(error, exceptions.APIException):
        code, text, headers = error.status_code, first_message(error.detail), _headers(error)
    else:
        logger.error("%s failed", type(view).__name__, exc_info=error)
        code = status.HTTP_500_INTERNAL_SERVER_ERROR
        text, headers = getattr(view, "server_error", SERVER_ERROR), {}
    shape = getattr(view, "error_body", error_body)
    return Response(shape(code, text), status=code, headers=headers)


def error_body(status_code: int, text: str) -> dict[str, Any]:
    """Give the usual body of an error. Spec: Endpoints."""
    return {"error": text}


def first_message(detail: Any, path: str = "") -> str:
    """Reduce the framework's nested error details to one sentence: ``start: Requerido.``"""
    if isinstance(detail, dict):
        key, value = next(iter(detail.items()))
        return first_message(value, path if key == "non_field_errors" else str(key))
    if isinstance(detail, list):
        return first_message(detail[0], path)
    return f"{path}: {detail}" if path else str(detail)


def _as_api_exception(error: Exception) -> Exception:
    """Put Django's refusals, and the framework's own of strangers, into our words."""
    if isinstance(error, Http404):
        return exceptions.NotFound(NOT_FOUND)
    if isinstance(error, PermissionDenied):
        return exceptions.PermissionDenied(FORBIDDEN)
    if isinstance(error, exceptions.NotAuthenticated):
        # The framework has chosen status and challenge already; only its text is replaced.
        error.detail = exceptions.ErrorDetail(SIGN_IN_FIRST, code=error.default_code)
    return error


def _headers(error: exceptions.APIException) -> dict[str, str]:
    headers = {}
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(int(wait))
    return headers
