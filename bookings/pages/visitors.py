"""Public pages, cached for visitors."""

from collections.abc import Callable
from functools import wraps
from secrets import token_hex

from django.contrib.messages import get_messages
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language

CACHE_SECONDS = 10
# New at each start: the next release has other style sheets. Workers share it (preload_app).
RELEASE = token_hex(8)

View = Callable[[HttpRequest], HttpResponse]


def cached_for_visitors(view: View) -> View:
    """Cache a page for ten seconds in each language, for people who are not signed in.

    Only the body is kept, so the view must answer 200 and set no headers. A page with a message, or
    with ``?error=`` of a failed sign-in, is not cached.
    """

    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponse:
        is_personal = "error" in request.GET or len(get_messages(request)) > 0
        if request.user.is_authenticated or is_personal:
            return view(request)
        key = f"visitors-{RELEASE}-{get_language()}-{request.path}"
        page = cache.get_or_set(key, lambda: view(request).content, CACHE_SECONDS)
        return HttpResponse(page)

    return answer
