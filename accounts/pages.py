"""Pages about people: sign-in, profile, sessions."""

from datetime import timedelta
from typing import cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest, PermissionDenied
from django.forms.models import model_to_dict
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.forms import MailCodeForm, MailForm, ProfileForm
from accounts.models import Language
from accounts.personal_data import rename
from accounts.selectors import MAIL, list_identities, list_ways_to_sign_in
from accounts.services import choose_language, revoke_sessions, save_profile
from accounts.sessions.engine import SessionStore
from accounts.sessions.languages import remember_in_browser
from accounts.sessions.open_sessions import end_other_sessions, end_session, list_sessions, sign_out
from accounts.sessions.requests import SignedInRequest
from accounts.sign_in.authorization import Purpose, find_purpose
from accounts.sign_in.fresh_sign_in import fresh_sign_in_required, is_fresh
from accounts.sign_in.identities import NeededIdentityError, disconnect_identity, find_obstacle
from accounts.sign_in.mail_code import (
    LASTS,
    MailCodeError,
    check_code,
    find_asked,
    has_code,
    send_code,
    sign_in,
)
from accounts.sign_in.redirects import error_text, local_path
from config.lib.addresses import is_from_elsewhere


def show_sign_in(request: HttpRequest, *, chosen: str = "") -> HttpResponse:
    """chosen: in words, what the person gets after signing in. Spec: Authentication, 4."""
    # login_required sends ``next``, NextAuth's clients send ``callbackUrl``.
    wanted = request.GET.get("callbackUrl") or request.GET.get("next")
    context = {
        "providers": list_ways_to_sign_in(),
        "callback_url": local_path(wanted, default=settings.LOGIN_REDIRECT_URL),
        "error": error_text(request.GET.get("error")),
        "chosen": chosen,
    }
    return render(request, "accounts/sign_in.html", context)


@require_POST
def send_mail_code(request: HttpRequest) -> HttpResponse:
    """Send it to the typed address; to confirm or connect only to the person's own."""
    if MAIL not in list_ways_to_sign_in():
        raise Http404
    purpose = find_purpose(request, MAIL)
    if purpose == Purpose.CONNECT and (obstacle := find_obstacle(request)):
        return redirect(obstacle)
    user = request.user
    if user.is_authenticated and purpose != Purpose.LOGIN:
        form = MailForm({"email": user.email})
    else:
        form = MailForm(request.POST)
    next_path = local_path(request.POST.get("callbackUrl"), default=settings.LOGIN_REDIRECT_URL)
    if not form.is_valid():
        messages.error(request, _("Escribí tu correo completo, como ana@correo.com."))
        return redirect(reverse("account_login", query={"callbackUrl": next_path}))
    address = form.cleaned_data["email"]
    try:
        send_code(request, address=address, purpose=purpose, next_path=next_path)
    except MailCodeError as refusal:
        messages.error(request, str(refusal))
        if not has_code(request.session, address):
            return redirect(reverse("account_login", query={"callbackUrl": next_path}))
    return redirect("enter_mail_code")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def enter_mail_code(request: HttpRequest) -> HttpResponse:
    asked = find_asked(request.session)
    if not asked:
        return redirect("account_login")
    form = MailCodeForm(request.POST or None)
    if asked["purpose"] != Purpose.LOGIN:
        del form.fields["name"]
    if request.method == "POST" and form.is_valid():
        try:
            check_code(request.session, form.cleaned_data["code"])
        except MailCodeError as refusal:
            form.add_error("code", str(refusal))
        else:
            return sign_in(request, name=form.cleaned_data.get("name", ""))
    context = {"form": form, "asked": asked, "minutes": LASTS // timedelta(minutes=1)}
    return render(request, "accounts/mail_code.html", context)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def profile(request: SignedInRequest) -> HttpResponse:
    user = request.user
    form = ProfileForm(request.POST or None, initial=model_to_dict(user, ProfileForm.base_fields))
    if request.method == "POST" and form.is_valid():
        name = form.cleaned_data.pop("name")
        if name != user.name:
            rename(user=user, name=name)
        save_profile(user=user, **form.cleaned_data)
        messages.success(request, _("Guardamos tus datos."))
        return redirect("profile")
    identities = list_identities(user)
    others = {} if user.is_staff else list_ways_to_sign_in()
    for identity in identities:
        others.pop(identity.provider, None)
    return render(
        request,
        "accounts/profile.html",
        {
            "form": form,
            "identities": identities,
            "other_providers": others,
            "is_fresh": is_fresh(request),
            "may_disconnect": len(identities) > 1 and is_fresh(request),
            "sessions": list_sessions(user=user, current=_row_key(request)),
            "error": error_text(request.GET.get("error")),
        },
    )


@never_cache
@login_required
@require_safe
def confirm_sign_in(request: SignedInRequest) -> HttpResponse:
    next_path = local_path(request.GET.get("next"), default=settings.LOGIN_REDIRECT_URL)
    return render(
        request,
        "accounts/confirm.html",
        {
            "identities": [
                identity
                for identity in list_identities(request.user)
                if identity.provider in list_ways_to_sign_in()
                and (identity.is_of_panel or not request.user.is_staff)
            ],
            "callback_url": next_path,
            "minutes": settings.FRESH_SIGN_IN_AGE // timedelta(minutes=1),
            "error": error_text(request.GET.get("error")),
        },
    )


@require_POST
@login_required
@fresh_sign_in_required
def disconnect(request: SignedInRequest) -> HttpResponse:
    number = request.POST.get("identity", "")
    try:
        disconnect_identity(
            user=request.user,
            account_id=int(number) if number.isdecimal() and len(number) < 10 else 0,
            current_session=_row_key(request),
        )
    except NeededIdentityError as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, _("Listo: esa cuenta ya no sirve para ingresar acá."))
    return redirect("profile")


# The form has no token, so that the public pages are the same for all and can be cached.
@csrf_exempt
@require_POST
def switch_language(request: HttpRequest) -> HttpResponse:
    """Switch the language, and return to the page. Other sites' requests get 403."""
    if is_from_elsewhere(request):
        raise PermissionDenied
    language = request.POST.get("language", "")
    if language not in Language.values:
        raise BadRequest
    if request.user.is_authenticated:
        choose_language(user=request.user, language=language)
    # Scripts may have changed the address, so the browser's Referer comes first.
    page = local_path(request.POST.get("next"), default="/")
    response = redirect(local_path(request.headers.get("Referer"), default=page))
    remember_in_browser(response, language)
    return response


@require_POST
@login_required
def sign_out_there(request: SignedInRequest) -> HttpResponse:
    if end_session(user=request.user, handle=request.POST.get("session", "")):
        messages.success(request, _("Cerramos esa sesión."))
    return redirect("profile")


@require_POST
@login_required
def sign_out_elsewhere(request: SignedInRequest) -> HttpResponse:
    end_other_sessions(user=request.user, current=_row_key(request))
    messages.success(request, _("Cerramos todas tus otras sesiones."))
    return redirect("profile")


@require_POST
@login_required
def sign_out_everywhere(request: SignedInRequest) -> HttpResponse:
    revoke_sessions(user=request.user)
    answer = redirect(settings.ACCOUNT_LOGOUT_REDIRECT_URL)
    return sign_out(request, answer, text=_("Cerraste tu sesión en todos lados."))


def _row_key(request: HttpRequest) -> str | None:
    return cast(SessionStore, request.session).row_key
