"""Constraints that many models share."""

from django.db import models


def known(field: str, choices: type[models.Choices], name: str) -> models.CheckConstraint:
    """Return the constraint that a column holds one of its choices."""
    return models.CheckConstraint(condition=models.Q((f"{field}__in", choices.values)), name=name)
