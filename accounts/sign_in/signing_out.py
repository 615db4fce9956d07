from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from accounts.sessions.languages import remember_in_browser

# Not cookies: browsers would delete those of every other site of the domain too.
FORGET = '"cache", "storage"'


def sign_out(request: HttpRequest, answer: HttpResponse, *, text: str = "") -> HttpResponse:
    """End the session and clear the browser's cache and storage.

    text: the message on the next page.
    """
    if request.user.is_authenticated:
        messages.success(request, text or _("Cerraste tu sesión."))
        remember_in_browser(answer, request.user.language)
    logout(request)
    answer["Clear-Site-Data"] = FORGET
    return answer
