"""The students: a list to search, and a file for each."""

import uuid
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from accounts.phones import whatsapp_url
from accounts.services import save_private_notes
from bookings.admin.pages import log_to_panel, requires, show_page
from bookings.domain.people.student_file import load_student_file
from bookings.domain.people.students import find_students, list_students


class NotesForm(forms.Form):
    notes = forms.CharField(
        label="Notas privadas",
        max_length=4000,
        required=False,
        widget=forms.Textarea({"rows": 4}),
    )


@require_safe
@requires("accounts.view_user")
def show_students(request: HttpRequest) -> HttpResponse:
    """``?q=``: words. ``?despues=``: the last student of the page before."""
    words = request.GET.get("q", "").strip()
    after = _read_id(request.GET.get("despues", ""))
    page = find_students(words=words, after=after)
    following = {"q": words, "despues": page.last} if words else {"despues": page.last}
    context = {
        "title": "Estudiantes",
        "words": words,
        "page": page,
        "is_first": after is None,
        "following": f"?{urlencode(following)}" if page.last else "",
    }
    return show_page(request, "admin/people/students.html", **context)


@require_http_methods(["GET", "HEAD", "POST"])
@requires("accounts.view_user")
def show_student(request: HttpRequest, user_id: uuid.UUID) -> HttpResponse:
    person = get_object_or_404(list_students(), pk=user_id)
    form = NotesForm(request.POST or None, initial={"notes": person.private_notes})
    if request.method == "POST":
        if not request.user.has_perm("accounts.change_user"):
            raise PermissionDenied
        if form.is_valid():
            return _keep_notes(request, person, form.cleaned_data["notes"])
    context = {
        "title": str(person),
        "person": person,
        "file": load_student_file(person),
        "form": form,
        "whatsapp": whatsapp_url(person.phone),
    }
    return show_page(request, "admin/people/student.html", **context)


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
