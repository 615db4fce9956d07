"""Revoke calendar grants of students from before CALENDAR_CONSENT=teacher.

The token of the next sign-in covers the earlier grant.
"""

import logging

import requests
from allauth.socialaccount.adapter import get_adapter
from django.conf import settings

from accounts.models import User

logger = logging.getLogger(__name__)

# Grants in one run of the sweep.
BATCH = 50


def revoke_student_grants() -> int:
    """Revoke grants until one fails; return how many.

    A refused token is deleted: the next sign-in finds a grant that is left.
    """
    count = 0
    for user in User.objects.exclude(grant_to_revoke="").order_by("pk")[:BATCH]:
        if not _revoke(user.grant_to_revoke):
            break
        count += User.objects.filter(pk=user.pk).update(grant_to_revoke="")
    return count


def _revoke(token: str) -> bool:
    """Return False to retry later.

    https://developers.google.com/identity/protocols/oauth2/web-server#tokenrevoke
    """
    try:
        with get_adapter().get_requests_session() as session:
            answer = session.post(
                settings.GOOGLE_REVOKE_URL,
                data={"token": token},
                timeout=settings.SOCIALACCOUNT_REQUESTS_TIMEOUT,
            )
    except requests.RequestException as error:
        failure = type(error).__name__
    else:
        if answer.status_code in {200, 400}:
            return True
        failure = f"HTTP {answer.status_code}"
    logger.info("A grant is revoked later: %s", failure)
    return False
