"""Every text a student can get to see: each page, in the states that show all of its texts.

A state is a function that brings a world into it and gives the page. It is here for a text, or a
template, that no other state shows. People, places and wishes have
names that belong to no language. Each module has one part of the service, and adds its states to
the list.
"""

from tests.i18n.states import (  # noqa: F401  # imported for what they add
    changing,
    choosing,
    class_links,
    classes,
    faults,
    joining,
    offers,
    open_classes,
    overview,
    payments,
    profile,
    public,
    transfers,
    waiting,
)
from tests.i18n.states.payments import make_payment
from tests.i18n.states.world import CODE, NOW, STATES, World

__all__ = ["CODE", "NOW", "STATES", "World", "make_payment"]
