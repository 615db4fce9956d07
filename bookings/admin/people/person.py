"""People: steps and the export of their data."""

import uuid

from django.contrib import admin
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from accounts.admin import UserAdmin
from accounts.models import User, UserStatus
from accounts.sign_in.fresh_sign_in import fresh_sign_in_required
from bookings.admin.pages import Pages
from bookings.admin.people.steps import ErasePerson, ReactivatePerson, SuspendPerson
from bookings.admin.steps import StepsAdmin
from bookings.domain.people.personal_data import export_person
from bookings.domain.people.students import list_students

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
