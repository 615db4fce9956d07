"""Pages whose style sheets are asked for before the page has arrived."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from django.http import HttpResponse
from django.templatetags.static import static

STYLES = ("css/base.css", "css/site.css")

Arguments = ParamSpec("Arguments")


def preload_styles(view: Callable[Arguments, HttpResponse]) -> Callable[Arguments, HttpResponse]:
    """Name the style sheets in the header ``Link``: a slow connection fetches them meanwhile.

    https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Link
    """

    @wraps(view)
    def answer(*args: Arguments.args, **kwargs: Arguments.kwargs) -> HttpResponse:
        response = view(*args, **kwargs)
        response["Link"] = ", ".join(f"<{static(name)}>; rel=preload; as=style" for name in STYLES)
        return response

    return answer
