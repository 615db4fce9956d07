"""The admin site of the teacher's panel.

Apart from the modules that register models: they need this site at their import.
"""

import re
from collections.abc import Callable
from functools import wraps
from inspect import unwrap
from typing import Any, TypeVar, cast
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, include, path, reverse

from accounts.models import User
from accounts.sessions.open_sessions import sign_out
from bookings.panel.today_page import present_home

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


class TeacherAdminSite(AdminSite):
    site_header = "Panel"
    site_title = "Panel"
    empty_value_display = "—"
    index_title = "Hoy"
    site_url = "/inicio"
    # The header links to the daily pages, and the lists need the width.
    enable_nav_sidebar = False

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Redirect strangers to the sign-in page. Raises PermissionDenied for other people."""
        if self.has_permission(request):
            return redirect("admin:index")
        if request.user.is_authenticated:
            raise PermissionDenied
        wanted = request.GET.get("next") or reverse("admin:index")
        return redirect(f"/inicio?{urlencode({'callbackUrl': wanted})}")

    def logout(  # type: ignore[override]  # the stubs promise a page; ours redirects
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Sign out on POST only."""
        if request.method != "POST":
            return redirect(f"{reverse('account_logout')}?csrf=true")
        return sign_out(request, redirect(settings.ACCOUNT_LOGOUT_REDIRECT_URL))

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Leave one button to a form of Django's that saves."""
        stock = ("show_save_and_continue", "show_save_and_add_another")
        return {**super().each_context(request), **dict.fromkeys(stock, False)}

    def admin_view(self, view: View, cacheable: bool = False) -> View:
        return super().admin_view(_refuse_malformed(view), cacheable)

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        """Show the teacher's day; without the permission, Django's list of tables."""
        user = request.user
        if isinstance(user, User) and user.has_perm("bookings.view_virtualclass"):
            extra_context = {"home": present_home(user)}
        return super().index(request, extra_context)

    def app_index(  # type: ignore[override]  # the stubs promise a page; ours redirects
        self, request: HttpRequest, app_label: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """*Técnico* lists the tables."""
        return redirect("admin:technical")

    def get_urls(self) -> list[URLPattern | URLResolver]:
        # By its name: the pages' modules register models on this very site.
        return [path("", include("bookings.panel.urls")), *super().get_urls()]


# In ``?id__in=``, the one lookup whose values Django does not check.
HUGE_NUMBER = re.compile(r"\b\d{19,}\b")


def _refuse_malformed(view: View) -> View:
    """Answer 400, not Django's 500, to NUL or a huge number in a query, and to malformed keys of a
    list's action.
    """
    method = unwrap(view, stop=lambda one: hasattr(one, "__self__"))
    owner = getattr(method, "__self__", None)
    key: Any = owner.opts.pk if isinstance(owner, ModelAdmin) else None

    @wraps(view)
    def check(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        for name, values in request.GET.lists():
            is_huge = name.endswith("__in") and any(map(HUGE_NUMBER.search, values))
            if is_huge or any("\0" in value for value in values):
                raise BadRequest  # the database refuses it
        for chosen in request.POST.getlist(ACTION_CHECKBOX_NAME) if key else ():
            try:
                key.clean(chosen, None)
            except ValidationError as error:
                raise BadRequest from error
        return view(request, *args, **kwargs)

    return cast(View, check)
