"""What the fork server of ``tests.processes`` loads, before it forks: the whole service, unused.

A process that is forked from it has to open connections and start threads of its own.
"""

import django

django.setup()

from tests.drills.processes import get_application  # noqa: E402  # models need the settings

get_application()
