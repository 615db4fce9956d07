"""Settings: whose account takes the money, and whose notices count."""

import pytest

from tests.config.environments import development, refusal

TOKEN = "APP_USR-6295877106812064-112008-0123456789abcdef-1000000001"


def test_collector_is_the_end_of_the_access_token():
    assert development(MERCADOPAGO_ACCESS_TOKEN=TOKEN).MERCADOPAGO_COLLECTOR_ID == "1000000001"


def test_collector_may_be_named():
    env = development(MERCADOPAGO_ACCESS_TOKEN="token", MERCADOPAGO_COLLECTOR_ID="42")

    assert env.MERCADOPAGO_COLLECTOR_ID == "42"


@pytest.mark.parametrize("token", ["s3cret", "APP_USR-1-", "APP_USR-٣"])
def test_token_without_a_collector_is_refused_and_not_shown(token):
    text = refusal(MERCADOPAGO_ACCESS_TOKEN=token)

    assert "MERCADOPAGO_COLLECTOR_ID must be" in text
    assert token not in text


def test_notifications_must_be_signed_unless_it_is_said():
    assert development().MERCADOPAGO_WEBHOOK_SIGNATURE == "require"
    env = development(MERCADOPAGO_WEBHOOK_SIGNATURE="prefer")
    assert env.MERCADOPAGO_WEBHOOK_SIGNATURE == "prefer"
    assert "MERCADOPAGO_WEBHOOK_SIGNATURE" in refusal(MERCADOPAGO_WEBHOOK_SIGNATURE="none")
