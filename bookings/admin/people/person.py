"""People: steps and the export of their data."""

import uuid

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path

from accounts.admin import UserAdmin
from accounts.models import User, UserStatus
from accounts.sign_in.fresh_sign_in import fresh_sign_in_required
from bookings.admin.people.steps import ErasePerson, ReactivatePerson, SuspendPerson
from bookings.admin.steps import StepsMixin
from bookings.domain.people.personal_data import export_person

admin.site.unregister(User)


@admin.register(User)
class PersonAdmin(StepsMixin, UserAdmin):
    steps = (SuspendPerson(), ReactivatePerson(), ErasePerson())
    change_form_template = "admin/accounts/user/change_form.html"

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path(
                "<uuid:user_id>/datos.json",
                view(fresh_sign_in_required(self.export)),
                name="accounts_user_export",
            ),
            *super().get_urls(),
        ]

    def export(self, request: HttpRequest, user_id: uuid.UUID) -> HttpResponse:
        """Send a person's data as a file, and log who took it."""
        user = self._person(request, user_id)
        self.log_change(request, user, "Exportó sus datos.")
        return HttpResponse(
            export_person(user),
            content_type="application/json",
            headers={"Content-Disposition": f'attachment; filename="datos-{user.pk}.json"'},
        )

    def _person(self, request: HttpRequest, user_id: uuid.UUID) -> User:
        """Raises PermissionDenied, or Http404 for an erased account."""
        if not self.has_change_permission(request):
            raise PermissionDenied
        return get_object_or_404(User.objects.exclude(status=UserStatus.ERASED), pk=user_id)
