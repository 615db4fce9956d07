"""How people are created: by e-mail address, without passwords."""

from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import BaseUserManager

if TYPE_CHECKING:
    from accounts.models import User


class UserManager(BaseUserManager["User"]):
    """Creates people by address; nobody has a password, so nobody can guess one."""

    def create_user(self, email: str, **fields: Any) -> "User":
        """Store a person. ``email`` is lower-cased; raises ValueError when it is empty."""
        if not email:
            raise ValueError("A user needs an e-mail address.")
        user = self.model(email=email.strip().lower(), **fields)
        user.set_unusable_password()
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> "User":
        """Find by address, whatever its case."""
        return self.get(email=(username or "").lower())
