"""What production promises browsers, and that check --deploy finds what is amiss.

``make check`` runs check --deploy for a production in which nothing is (tests/check_deploy.py).
"""

import pytest
from django.core import checks

from tests.config.environments import production


@pytest.mark.parametrize(
    ("environment", "promise"),
    [
        ({}, 63_072_000),
        ({"BASE_URL": "http://clases.example"}, 0),
    ],
    ids=["https", "http"],
)
def test_https_is_promised_where_the_site_has_it(environment, promise):
    env = production(**environment)

    assert promise == env.SECURE_HSTS_SECONDS


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
