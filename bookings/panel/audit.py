"""The panel's log: a line for each action, buttons included."""

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar, cast

from django.contrib.admin import ModelAdmin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
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


def audited(view: View, model_admin: ModelAdmin[Any] | None) -> View:
    """Log each POST that a view of the panel answers with a redirect, even with a refusal.

    A form that comes back with errors is not logged. model_admin: the view's, if any.
    """

    @wraps(view)
    def log(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        _is_logged.set(False)
        response = view(request, *args, **kwargs)
        is_action = request.method == "POST" and response.status_code == 302
        # Signing out leaves an anonymous user.
        if is_action and request.user.is_authenticated and not _is_logged.get():
            in_address = [str(value) for value in kwargs.values()]
            _log(request, model_admin, in_address or request.POST.getlist(ACTION_CHECKBOX_NAME))
        return response

    return cast(View, log)


def _log(request: HttpRequest, model_admin: ModelAdmin[Any] | None, keys: list[str]) -> None:
    name, content_type = request.path, None
    if model_admin is not None:
        only = model_admin.get_object(request, keys[0]) if len(keys) == 1 else None
        name = str(only or f"{model_admin.opts.verbose_name_plural} ({len(keys)})")
        content_type = ContentType.objects.get_for_model(model_admin.model)
    LogEntry.objects.create(
        user=cast(User, request.user),
        content_type=content_type,
        object_id=_storable(", ".join(keys)),
        object_repr=_storable(name)[:REPR_LENGTH],
        action_flag=CHANGE,
        change_message=_storable(_describe(request, model_admin)),
    )


def _storable(text: str) -> str:
    return text.replace("\0", "")  # which PostgreSQL refuses


def _describe(request: HttpRequest, model_admin: ModelAdmin[Any] | None) -> str:
    """Name the chosen action, else the pressed button (with an underscore), else the path."""
    actions = model_admin.get_actions(request) if model_admin else {}
    action = actions.get(request.POST.get("action", ""))
    if action:
        return str(action[2])
    buttons = [name for name in request.POST if name.startswith("_")]
    pressed = ", ".join(name.strip("_") for name in buttons if name != ACTION_CHECKBOX_NAME)
    return pressed or request.path
