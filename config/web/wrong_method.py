"""Answers to methods that an address does not have."""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


class WrongMethodMiddleware:
    """Gives Django's 405, which is empty, a page where a browser asks for one.

    Forms are sent to addresses that answer no GET; a bookmark or the address bar leads there. What
    has a body, as below ``/api``, says for itself what is wrong. OPTIONS is a method of no address:
    REST framework refuses it too, and yet names it in ``Allow``.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Put the page into an empty refusal of GET, and take OPTIONS out of ``Allow``."""
        response = self.get_response(request)
        if "Allow" in response:
            methods = response["Allow"].split(", ")
            response["Allow"] = ", ".join(name for name in methods if name != "OPTIONS")
        if _is_blank(request, response):
            page = render(request, "405.html")
            response.content = page.content
        return response


def _is_blank(request: HttpRequest, response: HttpResponse) -> bool:
    is_refused = response.status_code == HTTPStatus.METHOD_NOT_ALLOWED
    return is_refused and request.method == "GET" and not response.content
