"""Settings saved at once: the last one wins, whole."""

from functools import partial

import pytest

from accounts.models import User
from tests.api.bodies import post
from tests.concurrency.racing import at_once

pytestmark = pytest.mark.concurrency


def wish(number):
    """Give settings that tell whose they are."""
    is_even = number % 2 == 0
    return {
        "location": f"Town {number}",
        "level": "inicial" if is_even else "basico",
        "phone": str(number),
        "newsletter": "si" if is_even else "no",
    }


def test_settings_saved_at_once_are_never_mixed(client_of, student):
    wishes = [wish(number) for number in range(10)]

    answers = at_once(partial(post, client_of(student), "/api/user-data", body) for body in wishes)

    assert {answer.status_code for answer in answers} == {200}
    assert User.objects.filter(pk=student.pk).values(*wishes[0]).get() in wishes
