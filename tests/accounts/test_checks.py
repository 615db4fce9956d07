"""System checks name what is missing."""

import pytest

from accounts.checks import check_deployment, check_sign_in


def test_complete_configuration_is_silent():
    assert list(check_sign_in(None)) == []
    assert list(check_deployment(None)) == []


def test_what_the_example_made_up_is_named(settings):
    settings.BASE_URL = "https://clases.example"
    settings.ADMIN_EMAIL = "profe@gmail.com"
    settings.EMAIL_HOST = "mail.example"
    settings.TRUSTED_PROXIES = 1

    (warning,) = check_deployment(None)

    assert (warning.id, warning.msg) == (
        "accounts.W005",
        "BASE_URL, EMAIL_URL: still what .env.example says.",
    )


def test_missing_values_are_named_and_present_ones_are_not(settings):
    settings.AUTH_PROVIDER_SECRET = ""
    settings.ADMIN_EMAIL = ""

    (warning,) = check_sign_in(None)

    assert (warning.id, warning.msg) == (
        "accounts.W001",
        "AUTH_PROVIDER_SECRET, ADMIN_EMAIL: not set.",
    )


@pytest.mark.parametrize(
    "address",
    [
        "http://testserver/api/auth/callback/:provider",
        "http://testserver/api/auth/callback/google",
    ],
)
def test_redirect_address_of_our_own_is_fine(settings, address):
    settings.PROVIDER_REDIRECT_URI = address

    assert list(check_sign_in(None)) == []


@pytest.mark.parametrize(
    "address",
    ["https://other.example/api/auth/callback/google", "http://testserver/callback", "nonsense"],
)
def test_redirect_address_elsewhere_is_warned_about(settings, address):
    settings.PROVIDER_REDIRECT_URI = address

    assert [warning.id for warning in check_sign_in(None)] == ["accounts.W002"]


def test_missing_second_provider_is_named(settings):
    settings.SOCIALACCOUNT_PROVIDERS = {
        **settings.SOCIALACCOUNT_PROVIDERS,
        "github": {"APP": {"client_id": "", "secret": ""}},
    }

    assert [warning.id for warning in check_deployment(None)] == ["accounts.W003"]


@pytest.mark.parametrize(
    ("address", "proxies", "ids"),
    [
        ("https://clases.com", 0, ["accounts.W004"]),
        ("https://clases.com", 1, []),
        ("http://localhost:8000", 0, []),
    ],
)
def test_proxy_that_nobody_counts_is_warned_about(settings, address, proxies, ids):
    settings.ADMIN_EMAIL = "profe@gmail.com"
    settings.BASE_URL, settings.TRUSTED_PROXIES = address, proxies

    assert [warning.id for warning in check_deployment(None)] == ids
