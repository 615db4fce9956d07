"""What each operation takes and gives, for the description of the API: a module per path."""

# Importing it tells the generator how our fields are described.
from bookings.api import field_schemas  # noqa: F401
