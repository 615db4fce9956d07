"""Error responses: JSON below ``/api``, pages elsewhere."""

import sys

from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from config.lib.api.texts import NOT_FOUND

BAD_REQUEST = "El pedido no es válido."
HEADERS_TOO_LARGE = "Los encabezados del pedido son demasiado grandes."
HTTPS_ONLY = "Usá https: por http no se acepta nada."
FORBIDDEN = "No tenés permiso para hacer esto."
SERVER_ERROR = "Error interno del servidor."
OVERLOADED = "Ahora no podemos atender este pedido. Probá de nuevo en unos segundos."
# After which a request whose database took no connection may be sent again.
RETRY_SECONDS = 5


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, 400, BAD_REQUEST)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, 403, FORBIDDEN)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, 404, NOT_FOUND)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500 without the cause; 503 when the database took no connection."""
    if not lacks_connection(sys.exc_info()[1]):
        return _answer(request, 500, SERVER_ERROR)
    response = _answer(request, 503, OVERLOADED)
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def lacks_connection(error: BaseException | None) -> bool:
    """True if the database took no connection, so that a retry may work."""
    return isinstance(error, OperationalError) and connection.connection is None


def headers_too_large(request: HttpRequest) -> HttpResponse:
    return _answer(request, 431, HEADERS_TOO_LARGE, template="400.html")


def https_only(request: HttpRequest) -> HttpResponse:
    return _answer(request, 403, HTTPS_ONLY)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer 403 to a form without its token, usually a page left open too long."""
    return render(request, "403_csrf.html", status=403)


def _answer(request: HttpRequest, status: int, text: str, *, template: str = "") -> HttpResponse:
    if request.path_info.startswith("/api/"):
        return JsonResponse({"error": text}, status=status)
    return render(request, template or f"{status}.html", status=status)
