"""Each point of the crash drill leads to a function: one that leads nowhere kills no process."""

import pkgutil

import pytest

from tests.drills.points import POINTS


@pytest.mark.parametrize("point", POINTS, ids=lambda point: point.name)
def test_point_leads_to_a_function(point):
    (path,) = point.arm.args

    assert callable(pkgutil.resolve_name(path))
