import pytest

from tests.drills_tests.scenery import Scenery


@pytest.fixture
def scenery():
    return Scenery()
