"""config/env/values.py: what counts as a text, a boolean, a number."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from tests.config.environments import development, production, read_settings, refusal


@pytest.mark.parametrize("value", ["$ecret", "$DEBUG", r"\$ecret", "a$b", "#1", "ñ", "a=b", "'q'"])
def test_secrets_are_taken_as_they_are(value):
    assert value == development(AUTH_PROVIDER_SECRET=value).AUTH_PROVIDER_SECRET
    assert value == production(SECRET_KEY=value).SECRET_KEY


@pytest.mark.parametrize("blank", ["", "  "])
def test_empty_variable_counts_as_not_set(blank):
    names = (
        "SECRET_KEY FIELD_KEYS BASE_URL DATABASE_URL CACHE_URL EMAIL_URL SITE_NAME CALENDAR_ID "
        "GOOGLE_URL GITHUB_URL GITHUB_API_URL CALENDAR_API_URL MEET_API_URL MEET_ACCESS "
        "CALENDAR_CONSENT "
        "CALENDAR_TRIGGER_POLICY SERVICE_ACCOUNT_JSON DEMO "
        "CALENDAR_TRIGGER_SECRET MERCADOPAGO_ACCESS_TOKEN MERCADOPAGO_WEBHOOK_SECRET "
        "MERCADOPAGO_WEBHOOK_SIGNATURE MERCADOPAGO_API_URL MERCADOPAGO_COLLECTOR_ID "
        "TRUSTED_PROXIES "
        "SELLER_NAME SELLER_CUIT SELLER_ADDRESS SELLER_HOURS SELLER_DATA_FISCAL_URL"
    )

    blanks = vars(development(**dict.fromkeys(names.split(), blank)))
    unset = vars(development())
    assert {name: blanks[name] for name in blanks if name.isupper() and name != "ENV"} == {
        name: unset[name] for name in unset if name.isupper() and name != "ENV"
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[(text, True) for text in ("true", "True", "1", "yes")],
        *[(text, False) for text in ("false", "FALSE", "0", "no", "")],
    ],
)
def test_boolean(text, value):
    assert development(DEMO=text).DEMO is value


@pytest.mark.parametrize("text", ["maybe", "2", "yess", "truee", "none"])
def test_boolean_that_is_none_is_named(text):
    assert "DEMO must be true or false." in refusal(DEMO=text)


def test_debug_that_is_no_boolean_is_named():
    with pytest.raises(ImproperlyConfigured, match="DEBUG must be true or false"):
        read_settings({"DEBUG": "ture"})


def test_trusted_proxies():
    assert production(TRUSTED_PROXIES="2").TRUSTED_PROXIES == 2
    assert "TRUSTED_PROXIES must be a whole number" in refusal(TRUSTED_PROXIES="all")


@pytest.mark.parametrize("text", ["-1", "1.5", "15s", "٣", "1e3", "9" * 5000])
def test_seconds_that_are_no_number_are_named(text):
    assert "TRUSTED_PROXIES must be" in refusal(TRUSTED_PROXIES=text)
