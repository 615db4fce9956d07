"""Register the panel's admins: Django imports this module."""

from importlib import import_module
from pkgutil import walk_packages

from bookings import panel

for module in walk_packages(panel.__path__, f"{panel.__name__}."):
    import_module(module.name)
