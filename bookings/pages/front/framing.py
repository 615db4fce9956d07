"""Pages that other sites may show in a frame."""

from collections.abc import Callable
from functools import wraps

from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.clickjacking import xframe_options_exempt

View = Callable[[HttpRequest], HttpResponse]


def framable(view: View) -> View:
    """Let every site frame the page, which must need no cookie, form or script."""

    @xframe_options_exempt
    @wraps(view)
    def framed(request: HttpRequest) -> HttpResponse:
        response = view(request)
        allowed = {"frame-ancestors": "*", "script-src": "'none'", "form-action": "'none'"}
        with_policy(response, allowed)
        # Cross-origin isolated sites show no foreign frame without it.
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        return response

    return framed


def with_policy(response: HttpResponse, directives: dict[str, str]) -> HttpResponse:
    response.headers["Content-Security-Policy"] = build_policy(
        config=settings.CONTENT_SECURITY_POLICY["DIRECTIVES"], replace=directives
    )
    return response
