"""Every page that students see, in one state: a function that brings a world into it.

People, places and wishes have names that belong to no language.
"""

from datetime import timedelta
from typing import Any

from allauth.socialaccount.models import SocialAccount

from bookings.domain.classes.changing import change_capacity
from bookings.domain.places.joining import join_class
from bookings.domain.places.waiting_list import wait_for_place
from bookings.models import (
    ClassStatus,
    ClassType,
)
from tests.booking import book_class
from tests.factories import (
    QuestionFactory,
    QuoteFactory,
    TeacherPageFactory,
    VirtualClassFactory,
)
from tests.i18n.world import CODE, NOW, World, state

# --- What everybody gets to see, and how people come in -------------------------------------------


@state("bookings:landing")
def landing_of_a_teacher_with_a_page(world):
    TeacherPageFactory(tagline="")  # it describes the page to search engines, in her language
    QuoteFactory()
    QuestionFactory()
    return world.get("bookings:landing")


@state("bookings:timetable")
def timetable_without_a_calendar(world):
    world.break_calendar()
    return world.get("bookings:timetable", idioma=world.language)


@state("account_logout")
def sign_out(world):
    return world.client(world.host).get("/api/auth/signout?csrf=true")


@state("offline")
def without_a_connection(world):
    return world.get("offline")


@state("bookings:privacy")
def privacy_with_payments_and_error_reports(world):
    world.settings.MERCADOPAGO_ACCESS_TOKEN = "token"
    world.settings.HAS_ERROR_REPORTS = True
    return world.get("bookings:privacy", user=world.host)


@state("enter_mail_code")
def a_wrong_code_by_mail(world):
    world.settings.SIGN_IN_BY_MAIL = True
    client = world.client()
    client.post("/inicio/correo", {"email": "zoe@example.com"})
    return client.post("/inicio/correo/codigo", {"code": "1"})


# --- What goes wrong ------------------------------------------------------------------------------


@state("switch_language", status=400)
def bad_request(world):
    return world.post("switch_language", language="fr")


@state("admin:login", status=403)
def forbidden(world):
    return world.client(world.host).get("/admin/", follow=True)


@state("", status=404)
def nothing_there(world):
    return world.client().get("/nothing")


@state("bookings:my_classes", status=500)
def bug(world):
    def fail(*arguments: Any) -> None:
        raise RuntimeError

    world.monkeypatch.setattr("bookings.pages.classes.list_all_ahead_of", fail)
    return world.get("bookings:my_classes", user=world.host)


# --- A person's first page, and the list of their classes -----------------------------------------


def one_of_each(world: World) -> None:
    """Let the host have a class in every state, and be the guest of another."""
    world.book(start_time=world.at("09:00"), preference_id="from-the-api")
    world.book(start_time=world.at("10:00"), scheduling_requested_at=NOW)
    world.schedule(start_time=world.at("11:00"))
    world.book(start_time=world.at("12:00"), status=ClassStatus.CANCELLED)
    world.book(start_time=world.at("09:00", days=-1))
    VirtualClassFactory(
        scheduled=True, booked_by=world.guest, access_code="WXYZ6789", start_time=NOW
    )
    join_class(user=world.host, access_code="WXYZ6789")


@state("bookings:inicio")
def home(world):
    one_of_each(world)
    return world.get("bookings:inicio", user=world.host)


@state("bookings:my_classes")
def my_classes(world):
    one_of_each(world)
    book_class(
        user=world.host,
        start=world.at("10:00", days=2),
        end=world.at("11:00", days=2),
        is_group_class=False,
        students_count=1,
        price=0,
        preference_id=None,
    )
    return world.get("bookings:my_classes", user=world.host)


# --- Choosing a time, and the details of a time that is kept --------------------------------------


@state("bookings:book")
def a_chosen_time_that_is_gone(world):
    world.schedule()
    return world.get("bookings:book", dia="2026-11-24", hora="10:00", user=world.host)


@state("bookings:hold")
def wrong_details(world):
    hold = world.hold(ClassType.GROUP)
    return world.post(
        "bookings:hold", hold.pk, students_count="99", text="x" * 3000, user=world.host
    )


# --- Joining somebody else's class ----------------------------------------------------------------


@state("bookings:join")
def joining(world):
    return world.get("bookings:join", user=world.guest)


@state("bookings:join_with_code")
def a_class_before_joining(world):
    world.schedule()
    return world.get("bookings:join_with_code", CODE, user=world.guest)


# --- Waiting for a place in a full group ----------------------------------------------------------


@state("bookings:wait")
def waiting_for_a_class_that_has_no_line(world):
    world.schedule(max_participants=1, start_time=NOW + timedelta(minutes=30))
    return world.post("bookings:wait", access_code=CODE, user=world.guest)


@state("bookings:claim_place")
def an_offered_place(world):
    full = world.schedule(max_participants=1, start_time=world.at("10:00", days=3))
    entry = wait_for_place(user=world.guest, access_code=CODE)
    change_capacity(class_id=full.pk, capacity=2)
    return world.get("bookings:claim_place", entry.pk, user=world.guest)


# --- Cancelling a class, leaving it, and moving it ------------------------------------------------


@state("bookings:leave")
def leaving_a_class(world):
    return world.get("bookings:leave", world.share().pk, user=world.guest)


@state("bookings:reschedule")
def no_other_time_chosen(world):
    return world.get_on("bookings:confirm_move", world.schedule().pk, user=world.host)


@state("bookings:confirm_move")
def confirming_a_near_time(world):
    when = {"dia": "2026-11-23", "hora": "13:00"}
    return world.get("bookings:confirm_move", world.schedule().pk, user=world.host, **when)


# --- A person's profile, and the end of their account ---------------------------------------------


@state("profile")
def profile_after_closing_one_session(world):
    other = world.client(world.host)
    sessions = other.get("/inicio/perfil").context["sessions"]
    return world.post("sign_out_there", user=world.host, session=sessions[0].handle)


@state("confirm_sign_in")
def a_fresh_sign_in_with_another_account(world):
    SocialAccount.objects.create(user=world.host, provider="google", uid="1")
    return world.get("confirm_sign_in", user=world.host, error="AnotherAccount")


@state("profile")
def a_wrong_profile(world):
    wrong = {"name": "$", "location": "a\tb", "level": "x", "phone": "1"}
    return world.post("profile", user=world.host, **wrong)


@state("bookings:delete_account")
def an_account_with_a_class_ahead(world):
    world.schedule()
    return world.post("bookings:delete_account", user=world.host, address=world.host.email)
