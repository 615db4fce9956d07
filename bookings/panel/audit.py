"""The panel's log: a line for each action, buttons and downloads included."""

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar, cast

from django.apps import apps
from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase

from accounts.models import User

View = TypeVar("View", bound=Callable[..., HttpResponseBase])
REPR_LENGTH = 200

# True once this request has its line: Django logs what its own forms save.
_is_logged: ContextVar[bool] = ContextVar("is_logged", default=False)


@receiver(post_save, sender=LogEntry)
def _on_logged(**kwargs: Any) -> None:
    _is_logged.set(True)


def audited(site: AdminSite, view: View) -> View:
    """Log each POST that a view of the panel answers, even with a refusal.

    A form that comes back with errors is not logged.
    """

    @wraps(view)
    def log(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        _is_logged.set(False)
        response = view(request, *args, **kwargs)
        is_action = request.method == "POST" and _is_answered(response)
        # Signing out leaves an anonymous user.
        if is_action and request.user.is_authenticated and not _is_logged.get():
            _log(site, request)
        return response

    return cast(View, log)


def _is_answered(response: HttpResponseBase) -> bool:
    return response.status_code == 302 or "Content-Disposition" in response.headers


def _log(site: AdminSite, request: HttpRequest) -> None:
    model_admin = _find_admin(site, request)
    keys = _chosen_keys(request)
    LogEntry.objects.create(
        user=cast(User, request.user),
        content_type=ContentType.objects.get_for_model(model_admin.model) if model_admin else None,
        object_id=_storable(", ".join(keys)),
        object_repr=_storable(_name(request, model_admin, keys))[:REPR_LENGTH],
        action_flag=CHANGE,
        change_message=_storable(_describe(request, model_admin)),
    )


def _storable(text: str) -> str:
    return text.replace("\0", "")  # which PostgreSQL refuses


def _find_admin(site: AdminSite, request: HttpRequest) -> ModelAdmin[Any] | None:
    """Find the admin of the page by its URL's name: ``<app>_<model>_<page>``."""
    name = (request.resolver_match and request.resolver_match.url_name) or ""
    for model in filter(site.is_registered, apps.get_models()):
        if name.startswith(f"{model._meta.app_label}_{model._meta.model_name}_"):
            return site.get_model_admin(model)
    return None


def _chosen_keys(request: HttpRequest) -> list[str]:
    match = request.resolver_match
    in_address = [str(value) for value in match.kwargs.values()] if match else []
    return in_address or request.POST.getlist("_selected_action")


def _name(request: HttpRequest, model_admin: ModelAdmin[Any] | None, keys: list[str]) -> str:
    if model_admin is None:
        return request.path
    only = model_admin.get_object(request, keys[0]) if len(keys) == 1 else None
    return str(only) if only else f"{model_admin.opts.verbose_name_plural} ({len(keys)})"


def _describe(request: HttpRequest, model_admin: ModelAdmin[Any] | None) -> str:
    """Name the chosen action, else the pressed button (with an underscore), else the path."""
    actions = model_admin.get_actions(request) if model_admin else {}
    action = actions.get(request.POST.get("action", ""))
    if action:
        return str(action[2])
    buttons = [name for name in request.POST if name.startswith("_")]
    pressed = ", ".join(name.strip("_") for name in buttons if name != "_selected_action")
    return pressed or request.path
