"""Responses to methods that an address does not have."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin


class WrongMethodMiddleware(MiddlewareMixin):
    """Give a browser's empty 405 a page, and remove the refused OPTIONS from ``Allow``."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if "Allow" in response:
            methods = response["Allow"].split(", ")
            response["Allow"] = ", ".join(name for name in methods if name != "OPTIONS")
        is_refused = response.status_code == HTTPStatus.METHOD_NOT_ALLOWED
        if is_refused and request.method == "GET" and not response.content:
            response.content = render(request, "405.html").content
        return response
