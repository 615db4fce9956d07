"""Steps: actions that move money, times or people, with a page to confirm each.

The page shows what the domain's own decision would write. The confirmation carries a digest of
these facts: if they have changed, nothing is done and the page asks again, so a second submit does
nothing. A sum that changes after that is refused by the decision (``refunding_exactly``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Generic, cast

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.functional import Promise
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django_htmx.http import HttpResponseClientRedirect

from accounts.models import User
from accounts.sign_in.fresh_sign_in import ask_to_confirm, is_fresh
from bookings.domain.dry_runs import Consequences
from bookings.domain.exceptions import BookingError, ClassNotFoundError
from bookings.domain.money.refunds import refunding_exactly
from bookings.models import Notice
from bookings.panel.pages import Pages, PagesAdmin, Row, show_page
from calendar_sync import CalendarError, CalendarNotConnectedError, CalendarRefusedError

Group = tuple[str, tuple[str, ...]]

BACK = "volver"  # names the page that a step came from
AT_MOST = 100  # rows of one action: more names are not read
TOO_MANY = f"Elegí hasta {AT_MOST} por vez, para poder leer qué va a pasar con cada una."
CHANGED = "Algo cambió desde que lo miraste, y no se hizo nada. Así queda ahora."
ASKED_ANEW = "Cambiaste lo que pediste, y todavía no se hizo nada. Confirmá cómo queda ahora."
CHOOSE_AGAIN = "Se devuelve dinero: después de ingresar, elegí las filas de nuevo."
NOTHING_CHOSEN = "No elegiste nada, y no se hizo nada."
NOTHING_TO_DO = "No hay nada que hacer: ya está así."
GONE = "Eso cambió mientras mirabas. Fijate cómo está ahora y volvé a intentar."
NOT_CONNECTED = "El calendario no está conectado. Reconectalo en «Calendario» y volvé a intentar."
CALENDAR_DOWN = "El calendario no respondió. Volvé a intentar en unos minutos: no se duplica nada."
CALENDAR_REFUSED = "El calendario no lo aceptó. Mirá el evento en Google Calendar."
REFUSALS: dict[type[Exception], str] = {
    ClassNotFoundError: GONE,  # its own text is about access codes
    CalendarNotConnectedError: NOT_CONNECTED,
    CalendarRefusedError: CALENDAR_REFUSED,
}


@dataclass(frozen=True, slots=True)
class Facts:
    """What a step would do to one row.

    about: the row, in words. happens: sentences. mails: kinds, each with its receivers.
    refunded: centavos through the provider. warnings: what to look at first. is_sensitive: it wants
    a fresh sign-in although it refunds nothing itself.
    """

    about: str
    happens: tuple[str, ...] = ()
    mails: tuple[Group, ...] = ()
    refunded: int = 0
    warnings: tuple[str, ...] = ()
    is_sensitive: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """level: one of ``django.contrib.messages``."""

    text: str
    level: int = messages.SUCCESS


class StepForm(forms.Form):
    """row: the only one, or the first of several. fresh_sign_in: the person's, for the domain."""

    fresh_sign_in = False

    def __init__(self, data: Any, row: Any) -> None:
        super().__init__(data)

    @property
    def digest(self) -> str:
        """Of what a valid form asks for; the reason changes nothing."""
        asked = {name: it for name, it in self.cleaned_data.items() if name != "reason"}
        return salted_hmac("bookings.panel.steps", repr(asked)).hexdigest()


class Step(Generic[Row]):
    """One thing that the teacher can do to a row, or to several.

    name: the last part of its address. yes: text of the button that confirms.
    bulk: name of the list's action, if any. permission: the verb of Django's permission.
    needs_input: the facts depend on the form. proposes: the form's first values are shown at once.
    is_final: it takes something away for good; its button is red. is_sensitive: it always needs a
    fresh sign-in. refusals: texts of errors whose own texts address the person.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    yes: ClassVar[str | Promise]
    warning: ClassVar[str] = ""
    bulk: ClassVar[str] = ""
    permission: ClassVar[str] = "change"
    form: ClassVar[type[StepForm]] = StepForm
    needs_input: ClassVar[bool] = False
    proposes: ClassVar[bool] = False
    is_final: ClassVar[bool] = False
    is_sensitive: ClassVar[bool] = False
    refusals: ClassVar[Mapping[type[Exception], str]] = {}

    def is_offered(self, row: Row) -> bool:
        return True

    def foresee(self, row: Row, form: Any, actor: User) -> Facts | None:
        """Return what it would do, after a fresh sign-in; None for nothing. Raises BookingError."""
        raise NotImplementedError

    def take(self, row: Row, form: Any, actor: User) -> Report:
        """Raises BookingError, CalendarError."""
        raise NotImplementedError

    def show_beside(self, request: HttpRequest, row: Row, form: Any) -> dict[str, Any]:
        """Return what else the page of a single row shows."""
        return {}

    def ask_anew(self, preview: "Preview[Row]") -> str:
        """Return the sentence for a person who confirmed another input than the page showed."""
        return ASKED_ANEW


def group_mails(mails: Sequence[Notice]) -> tuple[Group, ...]:
    people: dict[str, list[str]] = {}
    for mail in mails:
        people.setdefault(mail.get_kind_display(), []).append(str(mail.user))
    return tuple((kind, tuple(names)) for kind, names in people.items())


def list_facts(
    about: str, seen: Consequences[Any], *happens: str, warnings: Sequence[str] = ()
) -> Facts | None:
    """Return the facts of a dry run; None if it would change nothing."""
    if not seen:
        return None
    return Facts(about, happens, group_mails(seen.mails), seen.refunded, tuple(warnings))


@dataclass(slots=True)
class Preview(Generic[Row]):
    """refusals: why other rows cannot be done."""

    facts: dict[Row, Facts] = field(default_factory=dict)
    refusals: list[str] = field(default_factory=list)

    @property
    def refunded(self) -> int:
        return sum(one.refunded for one in self.facts.values())

    @property
    def is_sensitive(self) -> bool:
        return bool(self.refunded) or any(one.is_sensitive for one in self.facts.values())

    @property
    def mails(self) -> int:
        return sum(len(people) for one in self.facts.values() for _, people in one.mails)

    @property
    def digest(self) -> str:
        seen = [(str(row.pk), facts) for row, facts in self.facts.items()]
        return salted_hmac("bookings.panel.steps", repr(seen)).hexdigest()


def look_ahead(step: Step[Row], rows: Sequence[Row], form: Any, actor: User) -> Preview[Row]:
    """Preview each row, once the form is valid; a refusal does not stop the others."""
    preview = Preview[Row]()
    for row in rows if form.is_valid() else ():
        facts, problem = None, NOTHING_TO_DO
        try:
            facts = step.foresee(row, form, actor)
        except BookingError as refusal:
            problem = explain(refusal, step.refusals)
        if facts:
            preview.facts[row] = facts
        else:
            preview.refusals.append(f"{row}: {problem}" if len(rows) > 1 else problem)
    return preview


def explain(error: Exception, refusals: Mapping[type[Exception], str] = REFUSALS) -> str:
    """refusals: texts that replace the usual ones."""
    for kind, text in {**REFUSALS, **refusals}.items():
        if isinstance(error, kind):
            return text
    return str(error.text) if isinstance(error, BookingError) else CALENDAR_DOWN


def list_links(
    request: HttpRequest, steps: Sequence[Step[Any]], row: Model, *, back: str = ""
) -> list[tuple[Step[Any], str]]:
    """List the steps that the person can take now, each with its address.

    back: the page that the step leads back to, instead of the row's.
    """
    opts = row._meta
    prefix = f"admin:{opts.app_label}_{opts.model_name}"
    query = f"?{urlencode({BACK: back})}" if back else ""
    return [
        (step, reverse(f"{prefix}_step", args=[row.pk, step.name]) + query)
        for step in steps
        if request.user.has_perm(f"{opts.app_label}.{step.permission}_{opts.model_name}")
        and step.is_offered(row)
    ]


class StepsAdmin(PagesAdmin[Row]):
    """back: the page that a step leads back to, instead of the row or the list as it was."""

    steps: ClassVar[Sequence[Step[Any]]] = ()
    back: ClassVar[str] = ""

    def own_pages(self) -> Pages:
        return {"step": ("<path:object_id>/paso/<slug:name>/", self.show_step)}

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        own = {
            step.name: (partial(type(self).ask_about_chosen, step=step), step.name, step.bulk)
            for step in self.steps
            if step.bulk and self.may(request, step.permission)
        }
        return super().get_actions(request) | own

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """As Django's, with our own words if no row is chosen for a step."""
        bulk = {step.name for step in self.steps if step.bulk}
        if request.POST.get("action") in bulk and "_selected_action" not in request.POST:
            self.message_user(request, NOTHING_CHOSEN, messages.WARNING)
            return HttpResponseRedirect(self.list_address(request))
        return super().changelist_view(request, extra_context)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        row: Model | None = context["original"]  # None for a new one
        context["steps"] = list_links(request, self.steps, row) if row else []
        return super().render_change_form(request, context, *args, **kwargs)

    def show_step(self, request: HttpRequest, object_id: str, name: str) -> HttpResponse:
        step = next((one for one in self.steps if one.name == name), None)
        if step is None:
            raise Http404
        if not self.may(request, step.permission):
            raise PermissionDenied
        row = self.get_object(request, object_id)
        if row is None:  # a second submit: the first one deleted the row
            self.message_user(request, GONE, messages.WARNING)
            return HttpResponseRedirect(self.address("changelist"))
        return self.ask(request, step, [row], only=row)

    def ask_about_chosen(
        self, request: HttpRequest, chosen: QuerySet[Any], *, step: Step[Any]
    ) -> HttpResponse | None:
        rows = list(chosen[: AT_MOST + 1])
        if len(rows) > AT_MOST:
            self.message_user(request, TOO_MANY, messages.ERROR)
            return None
        return self.ask(request, step, rows)

    def ask(
        self, request: HttpRequest, step: Step[Any], rows: list[Any], only: Model | None = None
    ) -> HttpResponse:
        """Show the facts and a button; do it if exactly these facts are confirmed."""
        here = request.get_full_path()
        if step.is_sensitive and not is_fresh(request):
            return _ask_to_confirm(request, here)
        actor, seen = cast(User, request.user), request.POST.get("seen", "")
        form = _read(request, step, rows)
        form.fresh_sign_in = is_fresh(request)
        preview = look_ahead(step, rows, form, actor)
        if preview.is_sensitive and not form.fresh_sign_in:
            if not only:
                self.message_user(request, CHOOSE_AGAIN)
            return _ask_to_confirm(request, here)
        back = self._find_way_back(request, only)
        changed = ""
        if seen and preview.facts:
            if constant_time_compare(seen, preview.digest):
                self._take(request, step, preview, form)
                return HttpResponseRedirect(back)
            is_hers = request.POST.get("asked", form.digest) != form.digest
            changed = step.ask_anew(preview) if is_hers else CHANGED
        return show_page(
            request,
            "admin/step.html",
            opts=self.opts,
            title=step.label if only else step.bulk,
            step=step,
            form=form,
            preview=preview,
            only=only,
            rows=rows,
            changed=changed,
            back=back,
            # With scripts the consequences follow what is filled in.
            is_live=only is not None and step.needs_input,
            is_part="HX-Request" in request.headers,
            **(step.show_beside(request, only, form) if only else {}),
        )

    def _find_way_back(self, request: HttpRequest, only: Model | None) -> str:
        named = request.GET.get(BACK, "")
        if only and url_has_allowed_host_and_scheme(named, allowed_hosts=None):
            return named
        return self.row_address(only) if only else self.list_address(request)

    def row_address(self, row: Model) -> str:
        return reverse(self.back) if self.back else super().row_address(row)

    def list_address(self, request: HttpRequest) -> str:
        return reverse(self.back) if self.back else request.get_full_path()

    def _take(
        self, request: HttpRequest, step: Step[Any], preview: Preview[Any], form: forms.Form
    ) -> None:
        for row, facts in preview.facts.items():
            try:
                with refunding_exactly(facts.refunded):
                    report = step.take(row, form, cast(User, request.user))
            except (BookingError, CalendarError) as error:
                text = explain(error, step.refusals)
                level = messages.WARNING if text == CALENDAR_DOWN else messages.ERROR
                report = Report(f"{row}: {text}", level)
            self.log_change(request, row, step.bulk or step.label)
            self.message_user(request, report.text, report.level)


def _ask_to_confirm(request: HttpRequest, page: str) -> HttpResponse:
    """page: a script's has what is filled in, in its address."""
    answer = ask_to_confirm(request, page=page)
    if request.headers.get("HX-Request"):
        return HttpResponseClientRedirect(answer["Location"])  # of the whole page, not its part
    return answer


def _read(request: HttpRequest, step: Step[Any], rows: list[Any]) -> StepForm:
    first = rows[0] if rows else None
    is_confirmed = "seen" in request.POST
    data = request.POST if is_confirmed else request.GET
    form = step.form(data, first)
    if is_confirmed or not step.needs_input or any(name in data for name in form.fields):
        return form
    empty = step.form(None, first)
    if not step.proposes or not empty.initial:
        return empty
    return step.form({name: empty[name].value() for name in empty.fields}, first)
