"""``/inicio``: the sign-in for strangers, the home page of students."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.pages import show_sign_in
from bookings.domain.people.claiming import list_written_down
from bookings.domain.places.waiting_list import list_lines_of
from bookings.domain.queries import list_next_classes_of
from bookings.domain.sales.holds import find_open_hold
from bookings.pages.booking import details_url
from bookings.pages.class_card import present_lists
from bookings.pages.forms import JoinForm
from bookings.pages.sales.open_classes import list_cards
from bookings.pages.waiting import WaitingCard

NEXT_CLASSES = 4
OPEN_CLASSES = 3


@never_cache
@require_safe
def inicio(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return show_sign_in(request)
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
            "lines": [WaitingCard(entry) for entry in list_lines_of(request.user)],
            "join_form": JoinForm(),
            "open_classes": list_cards(OPEN_CLASSES),
        },
    )
