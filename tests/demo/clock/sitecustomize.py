"""Moves the clock of each Python process of a demo that runs at another time (``demo --now``)."""

import os
from datetime import UTC, datetime, timedelta

import time_machine

AHEAD = timedelta(seconds=float(os.environ["DEMO_CLOCK_AHEAD"]))
time_machine.travel(datetime.now(UTC) + AHEAD, tick=True).start()
