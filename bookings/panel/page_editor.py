"""*Tu página*, edited beside a live view, and *Para empezar*, from an empty service to it."""

from dataclasses import replace

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.phones import whatsapp_share_url
from bookings.domain.desk.own_page import (
    SELLER,
    list_questions,
    list_quotes,
    load_seller,
    load_teacher_page,
    remove_photo,
    set_photo,
    write_teacher_page,
)
from bookings.domain.desk.setup import load_setup, take_first_steps
from bookings.domain.exceptions import AlreadySetUpError, ImpossibleHoursError, PhotoError
from bookings.models import TeacherPage
from bookings.notices.facts import site_address
from bookings.pages.forms import refuse_large_photo
from bookings.pages.front.front_page import load_front_page
from bookings.pages.front.timetable import with_policy
from bookings.panel.page_forms import FirstStepsForm, PageForm, swap_rows
from bookings.panel.pages import log_to_panel, page_for, read_or_send, show_page

ROWS = ("quote", "question")


@page_for("bookings.change_teacherpage", read_or_send)
def edit_page(request: HttpRequest) -> HttpResponse:
    form = _read_form(request)
    if request.method == "POST" and form.is_valid() and _save(form):
        log_to_panel(request, TeacherPage, "Guardar tu página")
        messages.success(request, "Listo: guardamos tu página.")
        # Back to the rows that were swapped, if any.
        moved = request.POST.get("swap", "").partition("-")[0]
        return redirect(reverse("admin:teacher_page") + (f"#{moved}" if moved in ROWS else ""))
    return framing(
        show_page(
            request,
            "admin/own_page/editor.html",
            title="Tu página",
            form=form,
            page=load_teacher_page(),
            chose_photo="photo" in request.FILES,
        )
    )


@xframe_options_sameorigin
@page_for("bookings.change_teacherpage", read_or_send)
def preview_page(request: HttpRequest) -> HttpResponse:
    """Show the front page with the form's valid texts, and store nothing."""
    form = _read_form(request)
    page = load_front_page()
    if request.method == "POST":
        form.is_valid()
        stored = page.teacher
        page = replace(
            page,
            teacher=TeacherPage(photo=stored.photo, **form.texts.texts),
            quotes=form.written_quotes,
            questions=form.written_questions,
        )
    # As a visitor sees it.
    context = {
        "page": page,
        "teacher": page.teacher,
        "seller": load_seller() | {name: getattr(page.teacher, name) for name in (*SELLER, "name")},
        "user": AnonymousUser(),
    }
    response = render(request, "bookings/front/front_page.html", context)
    return with_policy(response, {"frame-ancestors": "'self'"})


def framing(response: HttpResponse) -> HttpResponse:
    """Let a page of the panel frame the live view."""
    return with_policy(response, {"frame-src": "'self'"})


def _read_form(request: HttpRequest) -> PageForm:
    is_sent = request.method == "POST"
    form = PageForm(
        swap_rows(request.POST, request.POST.get("swap", "")) if is_sent else None,
        request.FILES if is_sent else None,
        load_teacher_page(),
        list_quotes(),
        list_questions(),
    )
    refuse_large_photo(request, form.texts, "photo")
    return form


def _save(form: PageForm) -> bool:
    photo = form.texts.chosen_photo
    try:
        with transaction.atomic():
            write_teacher_page(
                texts=form.texts.texts,
                quotes=form.written_quotes,
                questions=form.written_questions,
            )
            if photo:
                set_photo(photo)
            elif form.texts.cleaned_data["removes_photo"]:
                remove_photo()
    except PhotoError as refusal:
        form.texts.add_error("photo", str(refusal.text))
        return False
    return True


RIGHTS = ["bookings.change_teacherpage", "bookings.change_weeklyhours", "bookings.add_price"]


@page_for(RIGHTS, read_or_send)
def start(request: HttpRequest) -> HttpResponse:
    if not load_setup().is_new:
        messages.info(request, AlreadySetUpError().text)
        return redirect("admin:teacher_page")
    form = FirstStepsForm(request.POST or None, request.FILES or None)
    refuse_large_photo(request, form, "photo")
    if request.method == "POST" and form.is_valid() and _take(form):
        log_to_panel(request, TeacherPage, "Para empezar: página, horarios y precios")
        return redirect("admin:started")
    return show_page(request, "admin/own_page/start.html", title="Para empezar", form=form)


@require_safe
def enter(request: HttpRequest) -> HttpResponse:
    """Where a sign-in leads: *Para empezar* while the service is empty."""
    is_hers = isinstance(request.user, User) and request.user.has_perms(RIGHTS)
    return redirect("admin:start" if is_hers and load_setup().is_new else "admin:index")


@page_for(RIGHTS)
def show_started(request: HttpRequest) -> HttpResponse:
    address = site_address("bookings:landing")
    text = f"Ya podés reservar tus clases conmigo acá: {address}"
    context = {
        "title": "Tu página está lista",
        "address": address,
        "whatsapp_url": whatsapp_share_url(text),
        "needs_calendar": not load_setup().has_calendar,
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
