"""A person's profile, and the end of their account."""

from tests.i18n.states.world import state

PROFILE = {"location": "Rosario", "level": "basico", "phone": "341 555", "newsletter": "si"}


@state("profile")
def profile(world):
    return world.get("profile", user=world.host)


@state("profile")
def profile_with_several_sessions(world):
    for user_agent in ("(Linux; Android 14) Chrome/130.0", "curl"):
        world.client(world.host)
        last = world.host.sessions.order_by("used_at").last()
        world.host.sessions.filter(pk=last.pk).update(user_agent=user_agent)
    return world.get("profile", user=world.host)


@state("profile")
def profile_after_closing_the_other_sessions(world):
    world.client(world.host)
    return world.post("sign_out_elsewhere", user=world.host)


@state("profile")
def profile_after_closing_one_session(world):
    other = world.client(world.host)
    sessions = other.get("/inicio/perfil").context["sessions"]
    return world.post("sign_out_there", user=world.host, session=sessions[0].handle)


@state("profile")
def profile_with_an_error(world):
    return world.get("profile", error="OAuthAccountNotLinked", user=world.host)


@state("profile")
def a_wrong_profile(world):
    wrong = {"location": "a\tb", "level": "x", "phone": "1" * 31, "language": world.language}
    return world.post("profile", user=world.host, **wrong)


@state("profile")
def a_saved_profile(world):
    return world.post("profile", user=world.host, language=world.language, **PROFILE)


@state("bookings:delete_account")
def the_question_before_an_account_is_deleted(world):
    return world.get("bookings:delete_account", user=world.host)


@state("bookings:delete_account")
def an_account_deleted_under_a_wrong_address(world):
    return world.post("bookings:delete_account", user=world.host, address="x")


@state("bookings:delete_account")
def an_account_with_a_class_ahead(world):
    world.schedule()
    return world.post("bookings:delete_account", user=world.host, address=world.host.email)


@state("bookings:landing")
def the_landing_after_an_account_is_deleted(world):
    return world.post("bookings:delete_account", user=world.guest, address=world.guest.email)
