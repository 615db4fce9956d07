"""A person's profile, and the end of their account."""

from datetime import timedelta

from allauth.socialaccount.models import SocialAccount

from accounts.models import User
from tests.i18n.states.world import state

PROFILE = {
    "name": "Ana Álvarez",
    "location": "Rosario",
    "level": "basico",
    "phone": "0341 555-0199",
    "newsletter": "si",
}


def connect(user: User, *providers: str) -> SocialAccount:
    """Give the person identities of these providers; returns the last one."""
    for provider in providers:
        account = SocialAccount.objects.create(user=user, provider=provider, uid=f"{user.pk}")
    return account


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
def profile_some_time_after_the_sign_in(world):
    connect(world.host, "google", "github")
    world.settings.FRESH_SIGN_IN_AGE = timedelta()
    return world.get("profile", user=world.host)


@state("profile")
def profile_of_the_teacher(world):
    connect(world.teacher, "google", "github")
    return world.get("profile", user=world.teacher, error="PanelIdentity")


@state("profile")
def profile_after_an_identity_is_disconnected(world):
    account = connect(world.host, "google", "github")
    return world.post("disconnect_identity", user=world.host, identity=str(account.pk))


@state("profile")
def profile_with_an_only_identity(world):
    account = connect(world.host, "google")
    return world.post("disconnect_identity", user=world.host, identity=str(account.pk))


@state("profile")
def profile_with_the_identity_of_the_panel(world):
    connect(world.teacher, "github")
    world.client(world.teacher)  # binds the identity that opens the panel
    world.teacher.refresh_from_db()
    account = SocialAccount.objects.create(
        user=world.teacher, provider="google", uid=world.teacher.provider_subject
    )
    return world.post("disconnect_identity", user=world.teacher, identity=str(account.pk))


@state("confirm_sign_in")
def a_fresh_sign_in_with_another_account(world):
    connect(world.host, "google")
    return world.get("confirm_sign_in", user=world.host, error="AnotherAccount")


@state("profile")
def a_wrong_profile(world):
    wrong = {"name": "$", "location": "a\tb", "level": "x", "phone": "1"}
    return world.post("profile", user=world.host, **wrong)


@state("profile")
def a_saved_profile(world):
    return world.post("profile", user=world.host, **PROFILE)


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
