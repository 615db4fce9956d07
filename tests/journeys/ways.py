"""What a journey is made with: a screen, and scripts or none."""

import pytest

PHONE, DESK = 390, 1280  # CSS pixels


def on_a(screen: str) -> pytest.MarkDecorator:
    """Run a test on a "phone" or a "desk" only, where its subject is the same on both."""
    width = {"phone": PHONE, "desk": DESK}[screen]
    return pytest.mark.parametrize("width", [width], ids=[screen], indirect=True)


def _in(*ways: tuple[int, bool]) -> pytest.MarkDecorator:
    names = [
        f"{'phone' if width == PHONE else 'desk'}, {'scripts' if javascript else 'no scripts'}"
        for width, javascript in ways
    ]
    return pytest.mark.parametrize(("width", "javascript"), ways, ids=names, indirect=["width"])


# Each meets both screens, and pages with scripts and without. Tests of one thing take turns between
# the two, so that it meets all four.
in_two_ways = _in((PHONE, True), (DESK, False))
in_the_other_two_ways = _in((PHONE, False), (DESK, True))
