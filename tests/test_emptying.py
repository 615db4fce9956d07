"""tests/emptying.py: nothing of a test that committed is left to the next one."""

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType

from bookings.domain.places.joining import join_class
from tests.emptying import KEPT, Emptying
from tests.factories import VirtualClassFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def emptying():
    return Emptying()


def test_nothing_is_left_but_what_migrating_fills(emptying, host, student):
    joined = VirtualClassFactory(scheduled=True, booked_by=host, access_code="ABCD2345")
    join_class(user=student, access_code=joined.access_code)
    student.user_permissions.add(Permission.objects.first())

    emptying.empty()

    models = [model for model in apps.get_models(include_auto_created=True) if model not in KEPT]
    assert not [model for model in models if model._base_manager.exists()]
    assert ContentType.objects.exists()


def test_what_a_test_took_away_is_back(emptying):
    permissions = Permission.objects.count()
    Permission.objects.first().delete()

    emptying.empty()

    assert Permission.objects.count() == permissions
