"""Signing in with the code-hosting provider."""

import pytest
from django.test import Client

from accounts.models import User
from tests.accounts.flows import consent, query_of, session_of, sign_in, start
from tests.standins import Fault

pytestmark = pytest.mark.django_db


def test_start_asks_for_profile_and_address_only(github, client):
    address = start(client, "github")

    query = query_of(address)
    assert address.startswith(f"{github.url}/login/oauth/authorize?")
    assert set(query["scope"].split()) == {"read:user", "user:email"}
    assert query["redirect_uri"] == "http://testserver/api/auth/callback/github"
    assert query["code_challenge_method"] == "S256"
    assert query["state"]


def test_first_sign_in_stores_the_person(github, client):
    github.add_person("ana", "ana@example.com", "Ana", avatar_url="https://img.example/ana.png")

    response = sign_in(client, "github", "ana@example.com")

    user = User.objects.get()
    assert response["Location"] == "/inicio"
    assert (user.email, user.name, user.image) == (
        "ana@example.com",
        "Ana",
        "https://img.example/ana.png",
    )
    assert session_of(client)["user"]["name"] == "Ana"


def test_later_sign_in_finds_the_same_person(github, client):
    sign_in(client, "github", "ana@example.com")

    sign_in(Client(), "github", "ana@example.com")

    assert User.objects.count() == 1


def test_unverified_primary_address_is_refused_even_beside_a_verified_one(github, client):
    github.add_person("ana", "ana@example.com", verified=False, extra_emails=["b@example.com"])

    response = sign_in(client, "github", "ana@example.com")

    assert response["Location"] == "/?error=AccessDenied"
    assert not User.objects.exists()


def test_secondary_address_of_somebody_else_changes_nothing(github, client, student):
    github.add_person("ana", "ana@example.com", extra_emails=[student.email])

    sign_in(client, "github", "ana@example.com")

    assert session_of(client)["user"]["email"] == "ana@example.com"


def test_primary_address_counts_wherever_it_stands(github, client):
    callback = consent(start(client, "github"), "ana@example.com")
    addresses = [
        {"email": "old@example.com", "primary": False, "verified": True},
        {"email": "Ana@example.com", "primary": True, "verified": True},
    ]
    github.fault("emails", Fault.status(200, body=addresses))

    client.get(callback)

    assert session_of(client)["user"]["email"] == "ana@example.com"
