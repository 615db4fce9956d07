"""The work behind the requests: django-q2's own lists of tasks stay out of the teacher's panel."""

import django_q.admin  # noqa: F401  # registers the models that are taken out again here
from django.contrib import admin
from django_q.models import Failure, OrmQ, Schedule, Success

# Plan and queue say nothing to her; the first page shows how the sweeps are doing.
admin.site.unregister([Failure, OrmQ, Schedule, Success])
