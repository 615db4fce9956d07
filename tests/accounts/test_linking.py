"""One person, two providers: linked by their owner, never by the address alone."""

import pytest
from allauth.socialaccount.models import SocialAccount
from django.test import Client

from accounts.models import User
from tests.accounts.flows import session_of, sign_in

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("first", "second"), [("google", "github"), ("github", "google")])
def test_same_address_at_the_other_provider_is_not_linked(google, github, client, first, second):
    sign_in(client, first, "ana@example.com")
    other = Client()

    response = sign_in(other, second, "ana@example.com")

    assert response["Location"] == "/inicio?error=OAuthAccountNotLinked"
    assert session_of(other) == {}
    assert SocialAccount.objects.count() == User.objects.count() == 1


def test_suspended_owner_s_address_opens_nothing(google, github, client):
    sign_in(client, "google", "ana@example.com")
    User.objects.update(status="suspended")

    response = sign_in(Client(), "github", "ana@example.com")

    assert response["Location"] == "/?error=AccessDenied"
    assert SocialAccount.objects.count() == 1


def test_signed_in_person_connects_the_other_provider(google, github, client):
    sign_in(client, "google", "ana@example.com")

    response = sign_in(
        client, "github", "work@example.com", process="connect", callbackUrl="/inicio/perfil"
    )

    again = Client()
    sign_in(again, "github", "work@example.com")
    assert response["Location"] == "/inicio/perfil"
    assert User.objects.count() == 1
    assert session_of(again)["user"]["email"] == "ana@example.com"


def test_connecting_twice_changes_nothing(google, github, client):
    sign_in(client, "google", "ana@example.com")
    sign_in(client, "github", "ana@example.com", process="connect")

    response = sign_in(client, "github", "ana@example.com", process="connect")

    assert response["Location"] == "/inicio"
    assert SocialAccount.objects.count() == 2


def test_identity_of_somebody_else_cannot_be_connected(google, github, client):
    sign_in(Client(), "github", "bruno@example.com")
    sign_in(client, "google", "ana@example.com")

    response = sign_in(client, "github", "bruno@example.com", process="connect")

    assert response["Location"] == "/inicio/perfil?error=OAuthAccountNotLinked"
    assert SocialAccount.objects.get(provider="github").user.email == "bruno@example.com"


def test_stranger_who_asks_to_connect_just_signs_in(google, client):
    response = sign_in(client, "google", "ana@example.com", process="connect")

    assert response["Location"] == "/inicio"
    assert session_of(client)["user"]["email"] == "ana@example.com"


def test_session_that_ended_during_the_connection_connects_nothing(google, github, client):
    sign_in(client, "google", "ana@example.com")
    User.objects.update(status="suspended")

    response = sign_in(client, "github", "work@example.com", process="connect")

    assert response["Location"] == "/inicio"
    assert not SocialAccount.objects.filter(
        provider="github", user__email="ana@example.com"
    ).exists()


@pytest.mark.django_db(transaction=True)
def test_identity_connected_by_a_second_tab_meanwhile_is_no_server_error(
    google, github, client, monkeypatch
):
    person = github.add_person("ana", "ana@example.com")
    sign_in(client, "google", "ana@example.com")
    SocialAccount.objects.create(user=User.objects.get(), provider="github", uid=str(person.id))
    monkeypatch.setattr(
        "allauth.socialaccount.models.SocialLogin._lookup_by_socialaccount", lambda login: False
    )

    response = sign_in(client, "github", "ana@example.com", process="connect")

    assert response["Location"] == "/?error=OAuthCreateAccount"
    assert SocialAccount.objects.filter(provider="github").count() == 1
