"""``/``: the teacher, her prices, the way to her free times; ``/inicio``: the student's home."""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.pages import show_sign_in
from accounts.sign_in.redirects import error_text
from bookings.domain.desk.own_page import list_questions, list_quotes, load_teacher_page
from bookings.domain.money.prices import ClassOption, list_class_options
from bookings.domain.people.claiming import list_written_down
from bookings.domain.queries import list_next_classes_of
from bookings.domain.sales.holds import find_open_hold
from bookings.models import BookingRules, Question, Quote, TeacherPage
from bookings.pages.access import name_chosen
from bookings.pages.booking import details_url
from bookings.pages.choosing import Kind, list_kinds
from bookings.pages.class_card import present_lists
from bookings.pages.front.public_files import share_picture_url
from bookings.pages.sales.open_classes import list_cards
from bookings.pages.structured_data import describe_page
from bookings.pages.visitors import cached_for_visitors
from bookings.pages.waiting import present_lines

OPEN_CLASSES = 3
NEXT_CLASSES = 4


@dataclass(frozen=True, slots=True)
class FrontPage:
    """The facts of the page and of its JSON-LD."""

    teacher: TeacherPage
    options: list[ClassOption]
    change_cutoff: timedelta
    quotes: list[Quote]
    questions: list[Question]

    @property
    def kinds(self) -> list[Kind]:
        return list_kinds(self.options)


def load_front_page() -> FrontPage:
    language = get_language()
    questions = [one.in_language(language) for one in list_questions()]
    return FrontPage(
        teacher=load_teacher_page().in_language(language),
        options=list_class_options(),
        change_cutoff=BookingRules.load().change_cutoff,
        quotes=list_quotes(),
        questions=[one for one in questions if one.question],
    )


@require_safe
@cached_for_visitors
def landing(request: HttpRequest) -> HttpResponse:
    """Spec: Authentication, 4, error page."""
    page = load_front_page()
    context = {
        "error": error_text(request.GET.get("error")),
        "page": page,
        "teacher": page.teacher,
        "open_classes": list_cards(OPEN_CLASSES),
        "share_picture": share_picture_url(page.teacher),
        "structured_data": describe_page(
            page.teacher, page.options, site_name=_(settings.SITE_NAME)
        ),
    }
    return render(request, "bookings/front/front_page.html", context)


@never_cache
@require_safe
def inicio(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return show_sign_in(request, chosen=name_chosen(request))
    ahead = list_next_classes_of(request.user)
    [classes] = present_lists(request.user, ahead, most=NEXT_CLASSES)
    hold = find_open_hold(request.user)
    return render(
        request,
        "bookings/inicio.html",
        {
            "hold": hold,
            "details_url": details_url(hold) if hold else "",
            "next_class": classes[0] if classes else None,
            "later_classes": classes[1:],
            "written_down": list_written_down(request.user),
            **present_lines(request.user),
            "open_classes": list_cards(OPEN_CLASSES, reader=request.user),
        },
    )
