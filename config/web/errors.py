"""Error responses: JSON below ``/api``, pages elsewhere."""

import sys
from functools import partial
from http import HTTPStatus
from typing import Any

from django.contrib import admin
from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse

from config.lib.api import NOT_FOUND

BAD_REQUEST = "El pedido no es válido."
FORBIDDEN = "No tenés permiso para hacer esto."
SERVER_ERROR = "Error interno del servidor."
OVERLOADED = "Ahora no podemos atender este pedido. Probá de nuevo en unos segundos."
# ``Retry-After`` of a request that got no database connection.
RETRY_SECONDS = 5


def _answer(request: HttpRequest, exception: Any = None, *, status: int, text: str) -> HttpResponse:
    if request.path_info.startswith("/api/"):
        return JsonResponse({"error": text}, status=status)
    if status == HTTPStatus.NOT_FOUND and _is_in_the_panel(request):
        return render(request, "admin/404.html", admin.site.each_context(request), status=status)
    return render(request, f"{status}.html", status=status)


def _is_in_the_panel(request: HttpRequest) -> bool:
    is_below = request.path_info.startswith(reverse("admin:index"))
    return is_below and hasattr(request, "user") and admin.site.has_permission(request)


bad_request = partial(_answer, status=400, text=BAD_REQUEST)
forbidden = partial(_answer, status=403, text=FORBIDDEN)
not_found = partial(_answer, status=404, text=NOT_FOUND)


def server_error(request: HttpRequest) -> HttpResponse:
    if not lacks_connection(sys.exc_info()[1]):
        return _answer(request, status=500, text=SERVER_ERROR)
    response = _answer(request, status=503, text=OVERLOADED)
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def lacks_connection(error: BaseException | None) -> bool:
    """True if the database took no connection, so that a retry may work."""
    return isinstance(error, OperationalError) and connection.connection is None


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return render(request, "403_csrf.html", status=403)
