"""``/inicio/perfil/mis-datos.json`` and ``/inicio/perfil/borrar``."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.sessions.requests import SignedInRequest
from accounts.sign_in.signing_out import sign_out
from bookings.domain.exceptions import BookingError
from bookings.domain.people.erasing import erase_person
from bookings.domain.people.personal_data import export_person
from bookings.pages.access import signed_in
from bookings.pages.forms import DeleteAccountForm


@signed_in
@require_safe
def download_my_data(request: SignedInRequest) -> HttpResponse:
    name = f"mis-datos-{timezone.localdate()}.json"
    return HttpResponse(
        export_person(request.user),
        content_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def delete_my_account(request: SignedInRequest) -> HttpResponse:
    """Explain what is erased; erase the account once its address is typed."""
    form = DeleteAccountForm(request.POST or None, address=request.user.email)
    if request.method == "POST" and form.is_valid():
        try:
            erase_person(user=request.user, by=request.user)
        except BookingError as refusal:
            form.add_error(None, refusal.text)
        else:
            answer = sign_out(request, redirect("bookings:landing"))
            messages.success(request, _("Borramos tu cuenta y tus datos."))
            return answer
    return render(request, "bookings/delete_account.html", {"form": form})
