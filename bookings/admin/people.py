"""People in the panel, with what concerns their classes: their data, for whoever asks by mail."""

import uuid

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from accounts.admin import UserAdmin
from accounts.fresh_sign_in import fresh_sign_in_required
from accounts.models import User, UserStatus
from accounts.requests import SignedInRequest
from bookings.domain.erasing import erase_person
from bookings.domain.exceptions import (
    ClassesAheadError,
    ClassNotFoundError,
    TeacherAccountError,
)
from bookings.domain.personal_data import export_person

CLASSES_AHEAD = (
    "Esta persona todavía tiene clases por delante. Cancelalas, o esperá a que pasen, y después "
    "borrá la cuenta."
)
NOT_IN_CHARGE = "Esta persona tiene una reserva sin pagar, y solo puede cancelarla la profe."

admin.site.unregister(User)


@admin.register(User)
class PersonAdmin(UserAdmin):
    """The person's page, with two buttons more: export, and erase."""

    change_form_template = "admin/accounts/user/change_form.html"

    def get_urls(self) -> list[URLPattern]:
        """Add the two pages before Django's own."""
        view = self.admin_site.admin_view
        return [
            path(
                "<uuid:user_id>/datos.json",
                view(fresh_sign_in_required(self.export)),
                name="accounts_user_export",
            ),
            path(
                "<uuid:user_id>/borrar",
                view(fresh_sign_in_required(self.erase)),
                name="accounts_user_erase",
            ),
            *super().get_urls(),
        ]

    def export(self, request: HttpRequest, user_id: uuid.UUID) -> HttpResponse:
        """Give a person's data as a file, and note who took it."""
        user = self._person(request, user_id)
        self.log_change(request, user, "Exportó sus datos.")
        return HttpResponse(
            export_person(user),
            content_type="application/json",
            headers={"Content-Disposition": f'attachment; filename="datos-{user.pk}.json"'},
        )

    def erase(self, request: SignedInRequest, user_id: uuid.UUID) -> HttpResponse:
        """Ask, then erase the person."""
        user = self._person(request, user_id)
        back = reverse("admin:accounts_user_change", args=[user.pk])
        if request.method != "POST":
            context = {
                **self.admin_site.each_context(request),
                "title": "Borrar la cuenta",
                "person": user,
                "back": back,
                "opts": self.opts,
            }
            return TemplateResponse(request, "admin/accounts/user/erase.html", context)
        try:
            erase_person(user=user, by=request.user)
        except ClassesAheadError:
            self.message_user(request, CLASSES_AHEAD, messages.ERROR)
        except ClassNotFoundError:
            self.message_user(request, NOT_IN_CHARGE, messages.ERROR)
        except TeacherAccountError as refusal:
            self.message_user(request, str(refusal), messages.ERROR)
        else:
            user.refresh_from_db()  # the note is about nobody by name
            self.log_change(request, user, "Borró la cuenta a pedido de la persona.")
            self.message_user(request, "La cuenta y sus datos están borrados.", messages.SUCCESS)
        return redirect(back)

    def _person(self, request: HttpRequest, user_id: uuid.UUID) -> User:
        """Find a person whose account is not erased. Raises PermissionDenied, Http404."""
        if not self.has_change_permission(request):
            raise PermissionDenied
        return get_object_or_404(User.objects.exclude(status=UserStatus.ERASED), pk=user_id)
