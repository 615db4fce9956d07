"""Revoke the calendar grants that students gave before CALENDAR_CONSENT=teacher.

Students' refresh tokens were never stored, so an earlier grant is noticed at the next sign-in: its
token covers what was granted before. It is stored encrypted until Google has revoked the grant.
"""

import logging

import requests
from allauth.socialaccount.adapter import get_adapter
from django.conf import settings

from accounts.models import User

logger = logging.getLogger(__name__)

# At most so many in one turn of the sweep.
BATCH = 50


def revoke_student_grants() -> int:
    """Revoke the stored grants and forget them; returns how many.

    The first failure ends the turn, and the next turn tries again. A token that Google refuses is
    forgotten too: it lives for an hour, and the next sign-in notices a grant that is left.
    """
    count = 0
    for user in User.objects.exclude(grant_to_revoke="").order_by("pk")[:BATCH]:
        if not _revoke(user.grant_to_revoke):
            break
        count += User.objects.filter(pk=user.pk).update(grant_to_revoke="")
    return count


def _revoke(token: str) -> bool:
    """Ask Google to end the grant of a token; False if it has to be asked again.

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
        logger.info("A grant is revoked later: %s", type(error).__name__)
        return False
    if answer.status_code in {200, 400}:
        return True
    logger.info("A grant is revoked later: HTTP %s", answer.status_code)
    return False
