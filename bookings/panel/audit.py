"""Who did what in the panel: a line for each act, also for those that Django does not note."""

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar, cast

from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase

from accounts.models import User

View = TypeVar("View", bound=Callable[..., HttpResponseBase])
REPR_LENGTH = 200

# Whether the act of this request has its line already: Django notes what its own forms save.
_is_noted: ContextVar[bool] = ContextVar("is_noted", default=False)


@receiver(post_save, sender=LogEntry)
def _on_noted(**kwargs: Any) -> None:
    _is_noted.set(True)


def audited(site: AdminSite, view: View) -> View:
    """Have a view of the panel note what was asked of it: buttons, actions, files to take along.

    Noted once it was answered, whether or not it could be done; a form with mistakes is no act.
    """

    @wraps(view)
    def watch(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        _is_noted.set(False)
        response = view(request, *args, **kwargs)
        is_act = request.method == "POST" and _is_answered(response)
        # Whoever has just signed out is nobody any more.
        if is_act and request.user.is_authenticated and not _is_noted.get():
            _note(site, request)
        return response

    return cast(View, watch)


def _is_answered(response: HttpResponseBase) -> bool:
    return response.status_code == 302 or "Content-Disposition" in response.headers


def _note(site: AdminSite, request: HttpRequest) -> None:
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
    """Leave out the one character that PostgreSQL keeps in no text; anybody may send it."""
    return text.replace("\0", "")


def _find_admin(site: AdminSite, request: HttpRequest) -> ModelAdmin[Any] | None:
    """Find whose page it is, by its address's name: ``<app>_<model>_<page>``."""
    name = (request.resolver_match and request.resolver_match.url_name) or ""
    return next(
        (
            model_admin
            for model, model_admin in site._registry.items()
            if name.startswith(f"{model._meta.app_label}_{model._meta.model_name}_")
        ),
        None,
    )


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
    """Say which action was chosen, or which button pressed: theirs begin with an underscore.

    A page whose form has neither is named itself.
    """
    action = model_admin.get_action(request.POST.get("action", "")) if model_admin else None
    if action:
        return str(action[2])
    buttons = [name for name in request.POST if name.startswith("_")]
    pressed = ", ".join(name.strip("_") for name in buttons if name != "_selected_action")
    return pressed or request.path
