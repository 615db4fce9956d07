"""The students: a list to search, a file for each, steps and the export of their data."""

import uuid
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse

from accounts.admin import UserAdmin
from accounts.models import Session, User, UserStatus
from accounts.phones import whatsapp_url
from accounts.services import reactivate, save_private_notes, suspend
from accounts.sign_in.fresh_sign_in import fresh_sign_in_required
from bookings.domain.dry_runs import foresee
from bookings.domain.exceptions import ClassesAheadError, NotHostError, TransferWaitsError
from bookings.domain.people.personal_data import (
    erase_person,
    export_person,
    foresee_erasing,
    list_claims,
)
from bookings.domain.people.students import find_students, list_students, load_student_file
from bookings.domain.queries import list_next_classes_of
from bookings.panel.classes.class_steps import describe
from bookings.panel.pages import Pages, log_to_panel, page_for, read_or_send, show_page
from bookings.panel.steps import Facts, Report, Step, StepsAdmin, group_mails


class NotesForm(forms.Form):
    notes = forms.CharField(
        label="Notas privadas",
        max_length=4000,
        required=False,
        widget=forms.Textarea({"rows": 4}),
    )


@page_for("accounts.view_user")
def show_students(request: HttpRequest) -> HttpResponse:
    """``?q=``: words. ``?despues=``: the last student of the page before."""
    words = request.GET.get("q", "").strip()
    after = _read_id(request.GET.get("despues", ""))
    page = find_students(words=words, after=after)
    following = {"q": words, "despues": page.last} if words else {"despues": page.last}
    return show_page(
        request,
        "admin/people/students.html",
        title="Estudiantes",
        words=words,
        page=page,
        is_first=after is None,
        following=f"?{urlencode(following)}" if page.last else "",
    )


@page_for("accounts.view_user", read_or_send)
def show_student(request: HttpRequest, user_id: uuid.UUID) -> HttpResponse:
    person = get_object_or_404(list_students(), pk=user_id)
    form = NotesForm(request.POST or None, initial={"notes": person.private_notes})
    if request.method == "POST":
        if not request.user.has_perm("accounts.change_user"):
            raise PermissionDenied
        if form.is_valid():
            return _keep_notes(request, person, form.cleaned_data["notes"])
    return show_page(
        request,
        "admin/people/student.html",
        title=str(person),
        person=person,
        file=load_student_file(person),
        form=form,
        whatsapp=whatsapp_url(person.phone),
    )


def _keep_notes(request: HttpRequest, person: User, notes: str) -> HttpResponse:
    save_private_notes(user=person, notes=notes)
    log_to_panel(request, User, "Cambió sus notas privadas.", person)
    messages.success(request, "Guardamos tus notas.")
    return HttpResponseRedirect(reverse("admin:student", args=[person.pk]))


def _read_id(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


class SuspendPerson(Step[User]):
    name = "suspender"
    label, bulk, yes = "Suspender la cuenta", "Suspender", "Sí, suspender"

    def is_offered(self, row: User) -> bool:
        return row.status == UserStatus.ACTIVE and not row.is_superuser

    def foresee(self, row: User, form: Any, actor: User) -> Facts | None:
        if not self.is_offered(row):
            return None
        sessions = Session.objects.filter(user=row).count()
        waits_for = row.waiting_list_entries.open().values_list("virtual_class", flat=True)
        seen = foresee(partial(suspend, user=User.objects.get(pk=row.pk)), list(waits_for))
        happens = [f"No puede entrar hasta que la reactives. Sesiones que se cierran: {sessions}."]
        happens += [f"Sigue en pie: {describe(one)}." for one in list_next_classes_of(row)]
        return Facts(_name(row), tuple(happens), group_mails(seen.mails))

    def take(self, row: User, form: Any, actor: User) -> Report:
        suspend(user=row)
        return Report(f"{row}: cuenta suspendida.")


class ReactivatePerson(Step[User]):
    name = "reactivar"
    label, bulk, yes = "Reactivar la cuenta", "Reactivar", "Sí, reactivar"

    def is_offered(self, row: User) -> bool:
        return row.status == UserStatus.SUSPENDED

    def foresee(self, row: User, form: Any, actor: User) -> Facts | None:
        if not self.is_offered(row):
            return None
        return Facts(_name(row), ("Puede volver a entrar y reservar.",))

    def take(self, row: User, form: Any, actor: User) -> Report:
        reactivate(user=row)
        return Report(f"{row}: cuenta reactivada.")


class ErasePerson(Step[User]):
    name = "borrar"
    is_final = is_sensitive = True
    label, yes = "Borrar la cuenta", "Sí, borrar la cuenta"
    warning = "No se puede deshacer. Si pidió sus datos, exportalos antes."
    refusals = {
        ClassesAheadError: "Esta persona todavía tiene clases por delante. Cancelalas, o esperá a "
        "que pasen, y después borrá la cuenta.",
        TransferWaitsError: "Esta persona avisó una transferencia. Decí si llegó, o que la "
        "devolviste, y después borrá la cuenta: sin su nombre no sabrías a quién devolverla.",
        NotHostError: "Esta persona tiene una reserva sin pagar, y solo vos podés cancelarla.",
    }

    def is_offered(self, row: User) -> bool:
        return not row.is_staff and row.status != UserStatus.ERASED

    def foresee(self, row: User, form: Any, actor: User) -> Facts | None:
        if row.status == UserStatus.ERASED:
            return None
        seen = foresee_erasing(user=row, by=actor)
        happens = (
            "Se borran su nombre, su correo, su perfil, sus sesiones y los correos que le "
            "mandamos.",
            *(f"Se cancela: {describe(one)}, sin pagar." for one in seen.result),
            *(f"{one.virtual_class} vuelve a ser de {one.made_for}." for one in list_claims(row)),
            "Quedan, sin su nombre, los pagos y las clases que ya se dieron.",
            "Su correo sale también de los eventos pasados de tu Google Calendar.",
        )
        return Facts(_name(row), happens, group_mails(seen.mails))

    def take(self, row: User, form: Any, actor: User) -> Report:
        """Read the row again so that the panel's log has no name."""
        erase_person(user=row, by=actor, fresh_sign_in=form.fresh_sign_in)
        row.refresh_from_db()
        return Report("La cuenta y sus datos están borrados.")


def _name(person: User) -> str:
    known = person.mail_address or person.phone
    return f"{person.name} ({known})" if known else person.name


admin.site.unregister(User)


@admin.register(User)
class PersonAdmin(StepsAdmin[User], UserAdmin):
    steps = (SuspendPerson(), ReactivatePerson(), ErasePerson())

    def own_pages(self) -> Pages:
        export = fresh_sign_in_required(self.export)
        return {**super().own_pages(), "export": ("<uuid:user_id>/datos.json", export)}

    def row_address(self, row: Model) -> str:
        if list_students().filter(pk=row.pk).exists():
            return reverse("admin:student", args=[row.pk])
        return super().row_address(row)

    def export(self, request: HttpRequest, user_id: uuid.UUID) -> HttpResponse:
        user = self.find_row(request, user_id)
        if user.status == UserStatus.ERASED:
            raise Http404
        self.log_change(request, user, "Exportó sus datos.")
        return HttpResponse(
            export_person(user),
            content_type="application/json",
            headers={"Content-Disposition": f'attachment; filename="datos-{user.pk}.json"'},
        )
