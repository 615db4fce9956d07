"""Responses to methods that an address does not have."""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


class WrongMethodMiddleware:
    """Give a browser's empty 405 a page, and remove the refused OPTIONS from ``Allow``."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if "Allow" in response:
            methods = response["Allow"].split(", ")
            response["Allow"] = ", ".join(name for name in methods if name != "OPTIONS")
        is_refused = response.status_code == HTTPStatus.METHOD_NOT_ALLOWED
        if is_refused and request.method == "GET" and not response.content:
            response.content = render(request, "405.html").content
        return response
