"""What may keep a backup from being made or restored."""


class BackupError(Exception):
    """It did not work; the text says why, and holds nothing secret."""
