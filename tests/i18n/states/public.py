"""What everybody gets to see, and how people come in."""

from accounts.sign_in.errors import TEXTS
from bookings.models import Price, WeeklyHours
from tests.factories import QuestionFactory, QuoteFactory, TeacherPageFactory
from tests.i18n.states.world import CODE, STATES, State, state

NOTHING_CONFIGURED = {"APP": {"client_id": "", "secret": ""}}


@state("bookings:landing")
def landing_of_a_teacher_with_a_page(world):
    TeacherPageFactory(tagline="")  # it describes the page to search engines, in her language
    QuoteFactory()
    QuestionFactory()
    return world.get("bookings:landing")


@state("bookings:timetable")
def timetable_without_prices(world):
    Price.objects.all().delete()
    return world.get("bookings:timetable", idioma=world.language)


@state("bookings:timetable")
def timetable_without_hours(world):
    WeeklyHours.objects.all().delete()
    return world.get("bookings:timetable", idioma=world.language)


@state("bookings:timetable")
def timetable_without_a_calendar(world):
    world.break_calendar()
    return world.get("bookings:timetable", idioma=world.language)


for code in [*TEXTS, "Default"]:
    STATES[f"sign_in_error_{code}"] = State(
        "bookings:inicio", lambda world, code=code: world.get("bookings:inicio", error=code), 200
    )


@state("account_logout")
def sign_out(world):
    return world.client(world.host).get("/api/auth/signout?csrf=true")


@state("offline")
def without_a_connection(world):
    return world.get("offline")


@state("bookings:landing")
def the_landing_after_signing_out(world):
    return world.post("sign_out_everywhere", user=world.host)


@state("bookings:join_with_code")
def invitation(world):
    return world.get("bookings:join_with_code", CODE)


@state("bookings:privacy")
def privacy(world):
    world.settings.SELLER = {
        "seller_name": "Paula",
        "cuit": "20-12345678-6",
        "address": "Rosario 123",
        "hours": "9-18",
        "data_fiscal_url": "https://a.example",
    }
    return world.get("bookings:privacy")


@state("bookings:privacy")
def privacy_with_payments_and_error_reports(world):
    world.settings.MERCADOPAGO_ACCESS_TOKEN = "token"
    world.settings.HAS_ERROR_REPORTS = True
    return world.get("bookings:privacy", user=world.host)
