"""Signing in by a code in a mail, from the typed address to the session cookie."""

import logging
import re
from datetime import timedelta

import pytest
from allauth.socialaccount.models import SocialAccount
from django.core import mail
from django.test import Client

from accounts.models import User
from accounts.selectors import list_identities, signs_in_without_google_address
from bookings.notices.delivery import deliver_due
from tests.accounts.flows import session_of, sign_in
from tests.environment import TEACHER_EMAIL

pytestmark = pytest.mark.django_db

ANA = "ana@hotmail.com"
SEND, ENTER = "/inicio/correo", "/inicio/correo/codigo"
TOKEN = re.compile(r'value="\w{64}"')


@pytest.fixture(autouse=True)
def _by_mail(settings, time_machine) -> None:
    settings.SIGN_IN_BY_MAIL = True
    time_machine.move_to("2026-11-20T15:00:00Z", tick=False)


def ask(client: Client, email: str = ANA, **form: str):
    """Ask for a code as the sign-in's page does, and follow to the page that answers."""
    return client.post(SEND, {"email": email, **form}, follow=True)


def sent_code() -> str:
    """The code of the latest mail."""
    return re.search(r"\b\d{8}\b", mail.outbox[-1].body).group()


def enter(client: Client, code: str, name: str = ""):
    return client.post(ENTER, {"code": code, "name": name})


def by_mail(client: Client, email: str = ANA, **form: str):
    """Go through the whole flow; give its last answer."""
    ask(client, email, **form)
    return enter(client, sent_code())


def text_of(response) -> str:
    return response.content.decode()


def test_first_sign_in_stores_the_person_and_starts_a_session(client):
    ask(client, "Ana@Hotmail.com", callbackUrl="/inicio/perfil?x=1")
    code = sent_code()
    response = enter(client, f" {code[:4]} {code[4:]}", name="Ana  Álvarez")

    user = User.objects.get()
    assert response["Location"] == "/inicio/perfil?x=1"
    assert (user.email, user.name, user.is_staff) == (ANA, "Ana Álvarez", False)
    assert session_of(client)["user"]["email"] == ANA
    [identity] = list_identities(user)
    assert (identity.provider_name, identity.label) == ("Correo", ANA)
    assert SocialAccount.objects.get().uid == ANA


def test_later_sign_in_finds_the_same_person_and_keeps_the_name(client):
    by_mail(client, "ana.maria-lopez88@hotmail.com")

    other = Client()
    ask(other, "ana.maria-lopez88@hotmail.com")
    response = enter(other, sent_code(), name="Somebody Else")

    assert response["Location"] == "/inicio"
    assert User.objects.get().name == "Ana Maria Lopez"


@pytest.mark.parametrize(
    ("language", "subject", "words"),
    [
        ("es-ar", "Tu código para ingresar a Clases", "Vale por 10 minutos"),
        ("en", "Your code to sign in to Classes", "It is good for 10 minutes"),
    ],
)
def test_mail_is_in_the_visitor_s_language(client, language, subject, words):
    client.cookies["language"] = language

    page = ask(client)

    [message] = mail.outbox
    html = message.alternatives[0].content
    assert (message.to, message.subject) == ([ANA], subject)
    assert words in message.body
    assert sent_code() in html
    assert sent_code() not in text_of(page) + message.subject


def test_wrong_code_opens_nothing_and_five_of_them_end_it(client):
    ask(client)
    for _ in range(5):
        assert "Ese código no es." in text_of(enter(client, "x"))

    response = enter(client, sent_code())

    assert "Ese código ya no vale. Pedí otro." in text_of(response)
    assert not User.objects.exists()


def test_request_that_stores_an_older_session_takes_no_try_back(client):
    ask(client)
    for _ in range(5):
        session = client.session
        assert "mail_code" in session
        enter(client, "x")
        session.save()

    assert "ya no vale" in text_of(enter(client, sent_code()))


def test_code_is_good_for_ten_minutes_and_once(client, time_machine):
    ask(client)
    time_machine.shift(timedelta(minutes=10, seconds=1))
    late = enter(client, sent_code())
    by_mail(client)

    again = enter(client, sent_code())

    assert "ya no vale" in text_of(late)
    assert again["Location"] == "/inicio"
    assert User.objects.count() == 1


def test_code_is_good_only_in_the_browser_that_asked(client):
    ask(client)
    code = sent_code()
    other = Client()
    assert enter(other, code)["Location"] == "/inicio"
    ask(other, "eve@hotmail.com")

    assert "Ese código no es." in text_of(enter(other, code))
    assert not User.objects.exists()


def test_another_code_after_a_minute_replaces_the_first(client, time_machine):
    ask(client)
    first = sent_code()
    early = ask(client)
    time_machine.shift(timedelta(minutes=1))
    ask(client)

    assert "Recién te lo mandamos." in text_of(early)
    assert len(mail.outbox) == 2
    assert "Ese código no es." in text_of(enter(client, first))
    assert enter(client, sent_code()).status_code == 302


# --- One address, two ways: never joined by themselves --------------------------------------------


def test_address_of_another_account_is_refused_only_after_the_code(google, client):
    sign_in(Client(), "google", "ana@example.com")

    known, unknown = (text_of(ask(client, one)) for one in ("ana@example.com", "bea@example.com"))
    mails = [message.to for message in mail.outbox]
    response = by_mail(Client(), "ana@example.com")

    assert TOKEN.sub("", known).replace("ana@", "bea@") == TOKEN.sub("", unknown)
    assert mails == [["ana@example.com"], ["bea@example.com"]]
    assert response["Location"] == "/inicio?error=OAuthAccountNotLinked"
    assert SocialAccount.objects.count() == User.objects.count() == 1


def test_google_does_not_join_an_account_of_mail(google, client):
    by_mail(client, "ana@example.com")

    response = sign_in(Client(), "google", "ana@example.com", callbackUrl="/clases-abiertas")

    assert response["Location"] == (
        "/inicio?callbackUrl=%2Fclases-abiertas&error=OAuthAccountNotLinked"
    )


def test_owner_connects_only_their_own_address(google, client):
    sign_in(client, "google", "ana@example.com")

    response = by_mail(client, "eve@example.com", process="connect", callbackUrl="/inicio/perfil")

    other = Client()
    by_mail(other, "ana@example.com")
    deliver_due()
    assert response["Location"] == "/inicio/perfil"
    assert "Cuenta de: Correo" in mail.outbox[-1].body
    assert mail.outbox[0].to == ["ana@example.com"]
    assert session_of(other) == session_of(client) | {"expires": session_of(other)["expires"]}


def test_connecting_asks_for_a_fresh_sign_in(google, client, time_machine):
    sign_in(client, "google", "ana@example.com")
    time_machine.shift(timedelta(minutes=11))

    response = client.post(SEND, {"process": "connect"})

    assert response["Location"] == "/inicio/confirmar?next=%2Finicio%2Fperfil"
    assert mail.outbox == []


def test_suspended_person_stays_out(client):
    by_mail(client)
    User.objects.update(status="suspended")

    response = by_mail(Client())

    assert response["Location"] == "/?error=AccessDenied"


def test_mail_never_opens_the_panel(google, client):
    sign_in(client, "google", TEACHER_EMAIL)

    stranger = by_mail(Client(), TEACHER_EMAIL)
    connection = client.post(SEND, {"process": "connect"})

    assert stranger["Location"] == "/inicio?error=PanelIdentity"
    assert connection["Location"] == "/inicio/perfil?error=PanelIdentity"
    assert [one.provider for one in SocialAccount.objects.all()] == ["google"]


# --- «Confirmá que sos vos», Meet, limits ---------------------------------------------------------


def test_code_to_their_own_address_confirms_who_they_are(client, time_machine):
    by_mail(client)
    time_machine.shift(timedelta(minutes=11))
    page = text_of(client.get("/inicio/confirmar?next=/inicio/perfil"))

    back = by_mail(client, "eve@hotmail.com", process="confirm", callbackUrl="/inicio/perfil")

    assert "Mandarme un código por correo" in page
    assert back["Location"] == "/inicio/perfil"
    assert mail.outbox[-1].to == [ANA]
    assert "Para conectar o desconectar" not in text_of(client.get("/inicio/perfil"))


def test_code_confirms_nobody_who_signs_in_in_another_way(google, client, time_machine):
    sign_in(client, "google", "ana@example.com")
    time_machine.shift(timedelta(minutes=11))

    response = by_mail(client, process="confirm", callbackUrl="/inicio/perfil")

    assert response["Location"].endswith("&error=AnotherAccount")


@pytest.mark.parametrize(("email", "knocks"), [(ANA, True), ("ana@gmail.com", False)])
def test_person_of_mail_knocks_in_meet_unless_the_address_is_google_s(client, email, knocks):
    by_mail(client, email)

    assert signs_in_without_google_address(User.objects.get()) == knocks


def test_no_mailbox_gets_more_than_five_codes_an_hour(client, time_machine):
    for _ in range(5):
        ask(Client())

    refused = ask(Client())

    assert "Se pidieron demasiados códigos." in text_of(refused)
    assert len(mail.outbox) == 5
    time_machine.shift(timedelta(hours=1))
    ask(Client())
    assert len(mail.outbox) == 6


def test_no_network_address_asks_for_more_than_its_share(client, settings):
    settings.MAX_CODES_OF_ADDRESS = 2
    for number in range(3):
        ask(Client(), f"student{number}@hotmail.com")

    assert len(mail.outbox) == 2


@pytest.mark.parametrize(
    "typed",
    [
        *("", "ana", "ana@", "\u212a@hotmail.com", "a" * 190 + "@b.com"),
        *("a@[127.0.0.1]", "a@localhost", "a@sin-cuenta.invalid"),
    ],
)
def test_what_is_no_plain_address_gets_no_mail(client, typed):
    response = ask(client, typed, callbackUrl="/clases-abiertas")

    assert "Escribí tu correo completo" in text_of(response)
    assert response.redirect_chain[0][0] == "/inicio?callbackUrl=%2Fclases-abiertas"


def test_failing_mail_server_is_told_without_the_address(client, monkeypatch, caplog):
    ask(client, "typo@hotmail.com")

    def refuse(*arguments: object) -> None:
        raise ConnectionRefusedError(ANA)

    monkeypatch.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", refuse)

    with caplog.at_level(logging.INFO):
        response = ask(client)

    assert "No pudimos mandarte el correo." in text_of(response)
    assert 'name="code"' not in text_of(response)
    assert "ConnectionRefusedError" in caplog.text
    assert ANA not in caplog.text


def test_session_holds_no_code(client):
    ask(client)

    assert sent_code() not in str(dict(client.session.items()))


# --- Where it is offered --------------------------------------------------------------------------


def test_pages_offer_it_and_the_specification_s_endpoints_do_not(client):
    assert 'action="/inicio/correo"' in text_of(client.get("/inicio"))
    assert "Con un código por correo" in text_of(client.get("/privacidad"))
    assert set(client.get("/api/auth/providers").json()) == {"google", "github"}
    assert client.post("/api/auth/signin/mail").status_code == 404


def test_without_a_mail_server_it_does_not_exist(client, settings):
    settings.SIGN_IN_BY_MAIL = False

    assert 'action="/inicio/correo"' not in text_of(client.get("/inicio"))
    assert client.post(SEND, {"email": ANA}).status_code == 404
