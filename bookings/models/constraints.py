"""Constraints and indexes that several models share."""

from django.db import models
from django.db.models import Q


def known(field: str, choices: type[models.Choices], name: str) -> models.CheckConstraint:
    """Return the constraint that a column holds one of its choices."""
    return models.CheckConstraint(condition=Q((f"{field}__in", choices.values)), name=name)


def waiting(field: str, name: str) -> models.Index:
    """Return an index on the rows that have a next attempt."""
    return models.Index(fields=[field], condition=Q((f"{field}__isnull", False)), name=name)


def planned_or_done(noun: str) -> list[models.CheckConstraint]:
    """Return the constraints that a row is sent, has a next attempt, or says why it has none."""
    unplanned = Q(next_attempt_at__isnull=True)
    return [
        models.CheckConstraint(
            condition=Q(sent_at__isnull=True) | unplanned, name=f"sent_{noun}_has_no_plan"
        ),
        models.CheckConstraint(
            condition=Q(sent_at__isnull=False) | Q(next_attempt_at__isnull=False) | ~Q(failure=""),
            name=f"unsent_{noun}_has_plan_or_reason",
        ),
    ]
