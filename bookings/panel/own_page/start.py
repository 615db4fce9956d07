"""*Para empezar*: from an empty service to the teacher's page, in one form."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from accounts.phones import whatsapp_share_url
from bookings.admin.pages import log_to_panel, requires, show_page
from bookings.domain.desk.first_steps import take_first_steps
from bookings.domain.desk.setup import CalendarState, load_setup
from bookings.domain.exceptions import AlreadySetUpError, ImpossibleHoursError, PhotoError
from bookings.models import TeacherPage
from bookings.notices.facts import site_address
from bookings.panel.own_page.editor import framing, refuse_large_photo
from bookings.panel.own_page.forms import FirstStepsForm

RIGHTS = ["bookings.change_teacherpage", "bookings.change_weeklyhours", "bookings.add_price"]


@require_http_methods(["GET", "HEAD", "POST"])
@requires(RIGHTS)
def start(request: HttpRequest) -> HttpResponse:
    if not load_setup().is_new:
        messages.info(request, AlreadySetUpError().text)
        return redirect("admin:teacher_page")
    form = FirstStepsForm(request.POST or None, request.FILES or None)
    refuse_large_photo(request, form)
    if request.method == "POST" and form.is_valid() and _take(form):
        log_to_panel(request, TeacherPage, "Para empezar: página, horarios y precios")
        return redirect("admin:started")
    return show_page(request, "admin/own_page/start.html", title="Para empezar", form=form)


@require_safe
def enter(request: HttpRequest) -> HttpResponse:
    """Where a sign-in leads: *Para empezar* while the service is empty."""
    is_hers = isinstance(request.user, User) and request.user.has_perms(RIGHTS)
    return redirect("admin:start" if is_hers and load_setup().is_new else "admin:index")


@require_safe
@requires(RIGHTS)
def show_started(request: HttpRequest) -> HttpResponse:
    address = site_address("bookings:landing")
    text = f"Ya podés reservar tus clases conmigo acá: {address}"
    context = {
        "title": "Tu página está lista",
        "address": address,
        "whatsapp_url": whatsapp_share_url(text),
        "needs_calendar": load_setup().calendar != CalendarState.GRANTED,
    }
    return framing(show_page(request, "admin/own_page/started.html", **context))


def _take(form: FirstStepsForm) -> bool:
    given = form.cleaned_data
    try:
        take_first_steps(
            **{name: given[name] for name in ("name", "subject", "days", "start", "end", "photo")},
            offer=form.offer,
        )
    except PhotoError as refusal:
        form.add_error("photo", str(refusal.text))
    except ImpossibleHoursError as refusal:
        form.add_error("end", str(refusal.text))
    except AlreadySetUpError as refusal:
        form.add_error(None, str(refusal.text))
    return not form.errors
