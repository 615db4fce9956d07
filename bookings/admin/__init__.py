"""The teacher's panel. Importing a module registers its admins."""

from importlib import import_module
from pkgutil import walk_packages

for module in walk_packages(__path__, f"{__name__}."):
    import_module(module.name)
