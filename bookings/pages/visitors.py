"""Pages that show all visitors the same."""

from collections.abc import Callable
from functools import wraps

from django.contrib.messages import get_messages
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language

KEPT_SECONDS = 10

View = Callable[[HttpRequest], HttpResponse]


def kept_for_visitors(view: View) -> View:
    """Render the page once in some seconds for everybody who is not signed in, in each language.

    A page with a message, or an ``error`` of the sign-in in its address, is rendered anew.
    """

    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponse:
        is_personal = "error" in request.GET or len(get_messages(request)) > 0
        if request.user.is_authenticated or is_personal:
            return view(request)
        key = f"visitors-{get_language()}-{request.path}"
        page = cache.get_or_set(key, lambda: view(request).content, KEPT_SECONDS)
        return HttpResponse(page)

    return answer
