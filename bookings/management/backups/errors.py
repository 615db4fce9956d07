"""The error of backups."""


class BackupError(Exception):
    """A backup or a restore failed. The text holds no secret."""
