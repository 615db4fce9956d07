"""Pages beside Django's own, and rows that only the domain writes."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar, cast

from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth import get_permission_codename
from django.contrib.auth.decorators import permission_required
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User


class FixedRowsMixin:
    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    has_delete_permission = has_add_permission


class ReadOnlyMixin(FixedRowsMixin):
    has_change_permission = FixedRowsMixin.has_add_permission


Row = TypeVar("Row", bound=Model)
View = Callable[..., HttpResponse]
Pages = dict[str, tuple[str, Callable[..., HttpResponseBase]]]
read_or_send = require_http_methods(["GET", "HEAD", "POST"])


def page_for(
    permission: str | Sequence[str], methods: Callable[[View], View] = require_safe
) -> Callable[[View], View]:
    """Answer 403 to a person without the permission, or without one of several."""
    needs = permission_required(permission, raise_exception=True)

    def guard(view: View) -> View:
        return methods(needs(view))

    return guard


def show_page(request: HttpRequest, template: str, **context: Any) -> HttpResponse:
    """opts: of the model, if the page belongs to its admin."""
    return render(request, template, {**admin.site.each_context(request), **context})


def log_to_panel(
    request: HttpRequest,
    model: type[Model],
    text: str,
    row: Model | None = None,
    *,
    by: User | None = None,
) -> None:
    """row: if the action is on a single one. by: the teacher, if she has no session here."""
    LogEntry.objects.create(
        user=by or cast(User, request.user),
        content_type=ContentType.objects.get_for_model(model),
        object_id=str(row.pk) if row else None,
        object_repr=str(row or model._meta.verbose_name_plural)[:200],
        action_flag=CHANGE,
        change_message=text,
    )


class BackAdmin(admin.ModelAdmin[Row]):
    """A saved form leads back to a page of ours. back: its name."""

    back: ClassVar[str]
    actions = None  # a row is deleted from its form

    def response_post_save_add(self, request: HttpRequest, obj: Row) -> HttpResponseRedirect:
        return HttpResponseRedirect(reverse(self.back))

    response_post_save_change = response_post_save_add


class PagesAdmin(admin.ModelAdmin[Row]):
    """Each action of these pages leaves a line in the panel's log."""

    show_full_result_count = False

    def own_pages(self) -> Pages:
        """Return address and view by the last part of the URL's name."""
        return {}

    def get_urls(self) -> list[URLPattern]:
        own = [
            path(address, self.admin_site.admin_view(view), name=self._url_name(page))
            for page, (address, view) in self.own_pages().items()
        ]
        return [*own, *super().get_urls()]

    def address(self, page: str, *arguments: object) -> str:
        """page: the last part of the URL's name."""
        return reverse(f"admin:{self._url_name(page)}", args=arguments)

    def may(self, request: HttpRequest, verb: str = "change") -> bool:
        """True if the person has Django's permission, also for rows that only the domain writes."""
        codename = get_permission_codename(verb, self.opts)
        return request.user.has_perm(f"{self.opts.app_label}.{codename}")

    def find_row(self, request: HttpRequest, key: object) -> Row:
        """Return a row that the person may change. Raises PermissionDenied, Http404."""
        if not self.may(request):
            raise PermissionDenied
        row = self.get_object(request, str(key))
        if row is None:
            raise Http404
        return row

    def row_address(self, row: Model) -> str:
        return self.address("change", row.pk)

    def back_to(
        self, request: HttpRequest, row: Model, text: str, level: int = messages.SUCCESS
    ) -> HttpResponse:
        self.message_user(request, text, level)
        return HttpResponseRedirect(self.row_address(row))

    def _url_name(self, page: str) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}_{page}"
