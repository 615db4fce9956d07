"""What a journey is made with: a screen, and scripts or none."""

import pytest

PHONE, DESK = 390, 1280  # CSS pixels


def on_a(screen: str) -> pytest.MarkDecorator:
    """Run a test on a "phone" or a "desk" only, where its subject is the same on both."""
    width = {"phone": PHONE, "desk": DESK}[screen]
    return pytest.mark.parametrize("width", [width], ids=[screen], indirect=True)


def _in(*ways: tuple[int, bool], core: tuple[int, bool] | None = None) -> pytest.MarkDecorator:
    cases = [
        pytest.param(
            *(width, javascript),
            id=f"{'phone' if width == PHONE else 'desk'}, {'' if javascript else 'no '}scripts",
            marks=[pytest.mark.core] if (width, javascript) == core else [],
        )
        for width, javascript in ways
    ]
    return pytest.mark.parametrize(("width", "javascript"), cases, indirect=["width"])


# Each meets both screens, and pages with scripts and without. Tests of one thing take turns between
# the two, so that it meets all four.
in_two_ways = _in((PHONE, True), (DESK, False))
in_the_other_two_ways = _in((PHONE, False), (DESK, True))
# The same; the way that the name tells has the mark ``core``.
core_without_scripts = _in((PHONE, True), (DESK, False), core=(DESK, False))
core_on_a_phone = _in((PHONE, True), (DESK, False), core=(PHONE, True))
core_at_a_desk = _in((PHONE, False), (DESK, True), core=(DESK, True))
