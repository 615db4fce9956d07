"""The admin site of the teacher's panel.

Outside ``bookings.admin``, which registers models on this site as soon as it is imported.
"""

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
from django.urls import URLPattern, URLResolver, path, reverse

from accounts.models import User
from accounts.sign_in.signing_out import sign_out
from bookings.panel.home import present_home
from bookings.panel.more import show_more, show_technical

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


class TeacherAdminSite(AdminSite):
    """Django's admin behind the service's own sign-in."""

    site_header = "Panel de la profe"
    site_title = "Panel"
    index_title = "Hoy"
    site_url = "/inicio"
    # The links above lead to the daily pages, and the columns need the room.
    enable_nav_sidebar = False

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Redirect strangers to the sign-in page; raise PermissionDenied for other people."""
        if request.user.is_authenticated:
            raise PermissionDenied
        wanted = request.GET.get("next") or reverse("admin:index")
        return redirect(f"/inicio?{urlencode({'callbackUrl': wanted})}")

    def logout(  # type: ignore[override]  # the stubs promise a page; ours redirects
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Sign out on POST; on GET, ask for confirmation."""
        if request.method != "POST":
            return redirect(f"{reverse('account_logout')}?csrf=true")
        return sign_out(request, redirect(settings.ACCOUNT_LOGOUT_REDIRECT_URL))

    def admin_view(self, view: View, cacheable: bool = False) -> View:
        """Guard a page as Django does, and refuse malformed input."""
        return super().admin_view(_refuse_malformed(view), cacheable)

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        """Show the teacher's day; Django's list of tables to staff who may not see classes."""
        user = request.user
        if isinstance(user, User) and user.has_perm("bookings.view_virtualclass"):
            extra_context = {"home": present_home(user)}
        return super().index(request, extra_context)

    def get_urls(self) -> list[URLPattern | URLResolver]:
        # Imported here: bookings.admin registers its models on this very site.
        from bookings.admin.agenda.blocking import show_day, show_hour
        from bookings.admin.agenda.calendar import show_calendar
        from bookings.admin.agenda.week import show_week
        from bookings.admin.classes.book_for import book_for_student
        from bookings.admin.classes.sheet import show_class
        from bookings.admin.money.new_prices import show_new_prices
        from bookings.admin.money.overview import show_money
        from bookings.admin.people.students import show_student, show_students
        from bookings.admin.people.writing import write_message
        from bookings.admin.sales.offers import (
            act_on_offer,
            ask_to_delete,
            edit_offer,
            show_offers,
        )
        from bookings.admin.sales.open_classes import publish, show_open_classes
        from bookings.admin.sales.transfers import answer_mailed_link, show_transfers
        from bookings.panel.own_page.editor import edit_page, preview_page
        from bookings.panel.own_page.start import show_started, start

        return [
            path("abiertas/", self.admin_view(show_open_classes), name="open_classes"),
            path("abiertas/nueva/", self.admin_view(publish), name="publish"),
            path("calendario/", self.admin_view(show_calendar), name="calendar"),
            path("clase/<uuid:class_id>/", self.admin_view(show_class), name="class_sheet"),
            path("dinero/", self.admin_view(show_money), name="money"),
            path("escribir/", self.admin_view(write_message), name="write"),
            path("estudiantes/", self.admin_view(show_students), name="students"),
            path("estudiantes/<uuid:user_id>/", self.admin_view(show_student), name="student"),
            path("mas/", self.admin_view(show_more), name="more"),
            path("ofertas/", self.admin_view(show_offers), name="offers"),
            path("ofertas/nueva/", self.admin_view(edit_offer), name="new_offer"),
            path("ofertas/<int:offer_id>/", self.admin_view(edit_offer), name="offer"),
            path(
                "ofertas/<int:offer_id>/boton/", self.admin_view(act_on_offer), name="act_on_offer"
            ),
            path(
                "ofertas/<int:offer_id>/borrar/",
                self.admin_view(ask_to_delete),
                name="delete_offer",
            ),
            path("precios/", self.admin_view(show_new_prices), name="new_prices"),
            path("reservar/", self.admin_view(book_for_student), name="book_for"),
            path("semana/", self.admin_view(show_week), name="week"),
            path("semana/dia/", self.admin_view(show_day), name="week_day"),
            path("semana/hora/", self.admin_view(show_hour), name="week_hour"),
            path("tecnico/", self.admin_view(show_technical), name="technical"),
            path("transferencias/", self.admin_view(show_transfers), name="transfers"),
            # The signed address is the permission.
            path("transferencias/avisada/<str:token>/", answer_mailed_link, name="mailed_transfer"),
            path("pagina/", self.admin_view(edit_page), name="teacher_page"),
            path("pagina/vista/", self.admin_view(preview_page), name="teacher_page_preview"),
            path("pagina/empezar/", self.admin_view(start), name="start"),
            path("pagina/lista/", self.admin_view(show_started), name="started"),
            *super().get_urls(),
        ]


def _refuse_malformed(view: View) -> View:
    """Answer 400, not Django's 500, to NUL in a query and malformed keys of a list's action."""
    method = unwrap(view, stop=lambda one: hasattr(one, "__self__"))
    owner = getattr(method, "__self__", None)
    key: Any = owner.opts.pk if isinstance(owner, ModelAdmin) else None

    @wraps(view)
    def check(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if any("\0" in value for values in request.GET.lists() for value in values[1]):
            raise BadRequest  # PostgreSQL refuses it
        for chosen in request.POST.getlist(ACTION_CHECKBOX_NAME) if key else ():
            try:
                key.clean(chosen, None)
            except ValidationError as error:
                raise BadRequest from error
        return view(request, *args, **kwargs)

    return cast(View, check)
