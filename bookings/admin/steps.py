"""Steps of the panel: actions that move money, times or people, with a page to confirm each.

Pages and list actions show what the domain's own decision would write. The confirmation carries a
digest of these facts: if they have changed, nothing is done and the page asks again, so a second
submit does nothing. A sum that changes after that is refused by the decision
(``refunding_exactly``).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.models import User
from accounts.sign_in.fresh_sign_in import ask_to_confirm, is_fresh
from bookings.domain.exceptions import BookingError, ClassNotFoundError, RefundOutdatedError
from bookings.domain.money.refunds import refunding_exactly
from bookings.models import Notice
from calendar_sync import CalendarError, CalendarNotConnectedError, CalendarRefusedError

Row = TypeVar("Row", bound=Model)
Group = tuple[str, tuple[str, ...]]

AT_MOST = 100  # rows of one action: more names are not read
TOO_MANY = f"Elegí hasta {AT_MOST} por vez, para poder leer qué va a pasar con cada una."
CHANGED = "Algo cambió desde que lo miraste, y no se hizo nada. Así queda ahora."
CHOOSE_AGAIN = "Se devuelve dinero: después de ingresar, elegí las filas de nuevo."
NOTHING_TO_DO = "No hay nada que hacer: ya está así."
GONE = "Eso cambió mientras mirabas. Fijate cómo está ahora y volvé a intentar."
NOT_CONNECTED = "El calendario no está conectado. Reconectalo en «Calendario» y volvé a intentar."
CALENDAR_DOWN = "El calendario no respondió. Volvé a intentar en unos minutos: no se duplica nada."
CALENDAR_REFUSED = "El calendario no lo aceptó. Mirá el evento en Google Calendar."


@dataclass(frozen=True, slots=True)
class Facts:
    """What a step would do to one row.

    about: the row, in words. happens: sentences. mails: kinds, each with its receivers. refunded:
    centavos that go back through the provider.
    """

    about: str
    happens: tuple[str, ...] = ()
    mails: tuple[Group, ...] = ()
    refunded: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a step. level: one of ``django.contrib.messages``."""

    text: str
    level: int = messages.SUCCESS


class Step(Generic[Row]):
    """One thing that the teacher can do to a row, or to several.

    name: the last part of its address. label: text of its link. yes: text of the button that
    confirms. bulk: name of the list's action, if any. permission: as for an admin's action.
    needs_input: True if the facts depend on the form. is_final: True if it cannot be undone.
    is_sensitive: True if it always asks for a fresh sign-in, as a refund does anyway.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    yes: ClassVar[str]
    warning: ClassVar[str] = ""
    bulk: ClassVar[str] = ""
    permission: ClassVar[str] = "change"
    needs_input: ClassVar[bool] = False
    is_final: ClassVar[bool] = False
    is_sensitive: ClassVar[bool] = False

    def is_offered(self, row: Row) -> bool:
        return True

    def make_form(self, data: Any, rows: Sequence[Row]) -> forms.Form:
        return forms.Form(data)

    def foresee(self, row: Row, form: Any, actor: User) -> Facts | None:
        """Return what it would do; None for nothing. Raises BookingError."""
        raise NotImplementedError

    def take(self, row: Row, form: Any, actor: User) -> Report:
        """Do it. Raises BookingError, CalendarError."""
        raise NotImplementedError


class Reason(forms.Form):
    reason = forms.CharField(label="Por qué (queda en la historia)", max_length=500, required=False)


def group_mails(mails: Sequence[Notice]) -> tuple[Group, ...]:
    """Group mails by kind, with their receivers' names."""
    kinds = dict.fromkeys(mail.get_kind_display() for mail in mails)
    return tuple(
        (kind, tuple(str(mail.user) for mail in mails if mail.get_kind_display() == kind))
        for kind in kinds
    )


@dataclass(slots=True)
class Preview(Generic[Row]):
    """The facts of the chosen rows. refusals: why others cannot be done."""

    facts: list[Facts] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    @property
    def refunded(self) -> int:
        return sum(one.refunded for one in self.facts)

    @property
    def mails(self) -> int:
        return sum(len(people) for one in self.facts for _, people in one.mails)

    @property
    def digest(self) -> str:
        seen = [(str(row.pk), facts) for row, facts in zip(self.rows, self.facts, strict=True)]
        return salted_hmac("bookings.admin.steps", repr(seen)).hexdigest()


def look_ahead(step: Step[Row], rows: Sequence[Row], form: Any, actor: User) -> Preview[Row]:
    """Preview a step for each row; a refusal does not stop the others."""
    preview = Preview[Row]()
    for row in rows:
        whose = f"{row}: " if len(rows) > 1 else ""
        try:
            facts = step.foresee(row, form, actor)
        except BookingError as refusal:
            preview.refusals.append(whose + explain(refusal))
            continue
        if facts is None:
            preview.refusals.append(whose + NOTHING_TO_DO)
        else:
            preview.facts.append(facts)
            preview.rows.append(row)
    return preview


def explain(error: BookingError | CalendarError) -> str:
    if isinstance(error, ClassNotFoundError):  # its own text is about access codes
        return GONE
    if isinstance(error, BookingError):
        return str(error.text)
    if isinstance(error, CalendarNotConnectedError):
        return NOT_CONNECTED
    return CALENDAR_REFUSED if isinstance(error, CalendarRefusedError) else CALENDAR_DOWN


if TYPE_CHECKING:
    _Base = admin.ModelAdmin[Any]
else:
    _Base = object


class StepsMixin(_Base):
    """Adds pages and list actions for ``steps`` to an admin."""

    steps: ClassVar[Sequence[Step[Any]]] = ()

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_step"
        view = self.admin_site.admin_view(self.show_step)
        return [path("<path:object_id>/paso/<slug:name>/", view, name=name), *super().get_urls()]

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        actions = super().get_actions(request)
        own = {
            step.name: (_ask_about_chosen(step), step.name, step.bulk)
            for step in self.steps
            if step.bulk and self.may_take(request, step)
        }
        return actions | own

    def may_take(self, request: HttpRequest, step: Step[Any]) -> bool:
        return bool(getattr(self, f"has_{step.permission}_permission")(request))

    def list_steps(self, request: HttpRequest, row: Model) -> list[tuple[str, str]]:
        """List the label and address of each step that the row offers."""
        return [
            (step.label, self.step_address(step.name, row))
            for step in self.steps
            if self.may_take(request, step) and step.is_offered(row)
        ]

    def step_address(self, name: str, row: Model) -> str:
        page = f"admin:{self.opts.app_label}_{self.opts.model_name}_step"
        return reverse(page, args=[row.pk, name])

    def list_address(self) -> str:
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist")

    def row_address(self, row: Model) -> str:
        """Return the address to which a step leads back."""
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_change", args=[row.pk])

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        row = context.get("original")
        context["steps"] = self.list_steps(request, row) if row else []
        return super().render_change_form(request, context, *args, **kwargs)

    def show_step(self, request: HttpRequest, object_id: str, name: str) -> HttpResponse:
        """Show what a step would do to one row; do it once confirmed."""
        step = next((one for one in self.steps if one.name == name), None)
        if step is None:
            raise Http404
        if not self.may_take(request, step):
            raise PermissionDenied
        row = self.get_object(request, object_id)
        if row is None:  # a second submit, of what the first one deleted
            self.message_user(request, GONE, messages.WARNING)
            return HttpResponseRedirect(self.list_address())
        return self.ask(request, step, [row], only=row)

    def ask(
        self,
        request: HttpRequest,
        step: Step[Any],
        rows: Sequence[Model],
        only: Model | None = None,
    ) -> HttpResponse:
        """Show the facts and a button; do it if exactly these facts are confirmed."""
        here = request.get_full_path()
        if step.is_sensitive and not is_fresh(request):
            return ask_to_confirm(request, page=here)
        actor = cast(User, request.user)
        is_confirmed = request.method == "POST" and "seen" in request.POST
        form = _read(request, step, rows, is_confirmed=is_confirmed)
        preview = Preview[Any]()
        if form.is_bound and form.is_valid():
            preview = look_ahead(step, rows, form, actor)
        if preview.refunded and not is_fresh(request):
            if not only:
                self.message_user(request, CHOOSE_AGAIN)
            return ask_to_confirm(request, page=here)
        seen = request.POST.get("seen", "") if is_confirmed else ""
        is_changed = bool(seen and preview.rows)
        if is_changed and constant_time_compare(seen, preview.digest):
            rows = self._take(request, step, preview, form)
            if not rows:
                return HttpResponseRedirect(self.row_address(only) if only else here)
            form = _read(request, step, rows, is_confirmed=True)
            preview = look_ahead(step, rows, form, actor) if form.is_valid() else Preview()
        return self._show(request, step, rows, only, form, preview, is_changed=is_changed)

    def _show(
        self,
        request: HttpRequest,
        step: Step[Any],
        rows: Sequence[Model],
        only: Model | None,
        form: forms.Form,
        preview: Preview[Any],
        *,
        is_changed: bool,
    ) -> HttpResponse:
        """Render the page. is_changed: True if other facts had been confirmed."""
        context = {
            **self.admin_site.each_context(request),
            "title": step.label if only else step.bulk,
            "opts": self.opts,
            "list_address": self.list_address(),
            "step": step,
            "form": form,
            "preview": preview,
            "only": only,
            "chosen": [] if only else [row.pk for row in rows],
            "checkbox_name": ACTION_CHECKBOX_NAME,
            "changed": CHANGED if is_changed else "",
            "back": self.row_address(only) if only else request.get_full_path(),
        }
        return TemplateResponse(request, "admin/step.html", context)

    def _take(
        self, request: HttpRequest, step: Step[Any], preview: Preview[Any], form: forms.Form
    ) -> list[Model]:
        """Take the step for each row; report and log it.

        Return the rows, read again, that would now refund another sum; nothing was done to them.
        """
        outdated: list[Model] = []
        for row, facts in zip(preview.rows, preview.facts, strict=True):
            try:
                with refunding_exactly(facts.refunded):
                    report = step.take(row, form, cast(User, request.user))
            except RefundOutdatedError:
                outdated.append(self.get_queryset(request).get(pk=row.pk))
                continue
            except BookingError as error:
                report = Report(f"{row}: {explain(error)}", messages.ERROR)
            except CalendarError as error:
                is_down = not isinstance(error, CalendarNotConnectedError | CalendarRefusedError)
                level = messages.WARNING if is_down else messages.ERROR
                report = Report(f"{row}: {explain(error)}", level)
            self.log_change(request, row, step.bulk or step.label)
            self.message_user(request, report.text, report.level)
        return outdated


def _read(
    request: HttpRequest, step: Step[Any], rows: Sequence[Model], *, is_confirmed: bool
) -> forms.Form:
    """Read the form from the page or the address."""
    data = request.POST if is_confirmed else request.GET
    form = step.make_form(data, rows)
    is_given = is_confirmed or any(name in data for name in form.fields)
    return form if is_given or not step.needs_input else step.make_form(None, rows)


def _ask_about_chosen(step: Step[Any]) -> Any:
    def ask(
        model_admin: StepsMixin, request: HttpRequest, chosen: QuerySet[Any]
    ) -> HttpResponse | None:
        rows = list(chosen[: AT_MOST + 1])
        if len(rows) > AT_MOST:
            model_admin.message_user(request, TOO_MANY, messages.ERROR)
            return None
        return model_admin.ask(request, step, rows)

    return ask
