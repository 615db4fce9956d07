"""``python -m tests.check_deploy``: ``manage.py check --deploy`` as production would run it."""

import os
import subprocess
import sys

from cryptography.fernet import Fernet

PRODUCTION = {
    "ENV_FILE": "",
    "DEBUG": "false",
    "SECRET_KEY": "a-made-up-key-for-this-check-only-0123456789-abcdefghijklmnop",
    "FIELD_KEYS": Fernet.generate_key().decode(),
    "BASE_URL": "https://clases.test",
    "TRUSTED_PROXIES": "1",
    "ADMIN_EMAIL": "teacher@clases.test",
    "AUTH_PROVIDER_ID": "client",
    "AUTH_PROVIDER_SECRET": "secret",
    "GITHUB_ID": "client",
    "GITHUB_SECRET": "secret",
    "CALENDAR_TRIGGER_POLICY": "paid",
    "DATABASE_URL": "postgres://user:password@localhost/classes",
    "CACHE_URL": "redis://localhost:6379/0",
}

if __name__ == "__main__":
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    sys.exit(subprocess.run(command, env={**os.environ, **PRODUCTION}, check=False).returncode)
