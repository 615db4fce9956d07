"""The kinds of mail, one entry each (checklist: docs/contributing.md)."""
