"""One entry for each kind of mail (checklist: docs/contributing.md)."""
