"""Drills: real processes are killed, crowded and cut off, and a referee counts the damage.

``python -m tests.drills`` runs them; ``manage.py drill`` starts it.
"""
