"""Drills: real processes are killed, crowded, guessed at and cut off, and everything is counted.

``python -m tests.drills`` runs them; ``manage.py drill`` starts it. Each drill has twins, runs with
a protection left out, which must break the promise: else the drill would prove nothing.
"""
