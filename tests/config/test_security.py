"""What production promises browsers, and that check --deploy finds what is amiss.

``make check`` runs check --deploy for a production in which nothing is (tests/check_deploy.py).
"""

import pytest
from django.core import checks

from tests.config.environments import production


@pytest.mark.parametrize(
    ("environment", "promise"),
    [
        ({}, (63_072_000, False, False)),
        ({"HSTS_PRELOAD": "true"}, (63_072_000, True, True)),
        ({"HSTS_PRELOAD": "true", "BASE_URL": "http://clases.example"}, (0, False, False)),
    ],
    ids=["default", "preload", "http"],
)
def test_https_is_promised_for_the_own_host_unless_more_is_wished(environment, promise):
    env = production(**environment)

    found = env.SECURE_HSTS_SECONDS, env.SECURE_HSTS_INCLUDE_SUBDOMAINS, env.SECURE_HSTS_PRELOAD
    assert found == promise


def test_deployment_check_minds_plain_http(settings):
    def found(base_url):
        env = vars(production(BASE_URL=base_url))
        for name in env:
            if name.startswith(("SECURE_", "SESSION_COOKIE_", "CSRF_", "SILENCED_")):
                setattr(settings, name, env[name])
        messages = checks.run_checks(tags=["security"], include_deployment_checks=True)
        return {message.id for message in messages if not message.is_silenced()}

    minded = found("http://clases.example") - found("https://clases.example")

    assert minded == {"security.W004", "security.W008", "security.W011", "security.W016"}
