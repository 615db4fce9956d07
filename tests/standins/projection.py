"""Partial answers: the ``fields`` parameter of Google's APIs."""

from typing import Any

from tests.standins.google_errors import refuse

Tree = dict[str, "Tree"]


def project(data: Any, fields: str) -> Any:
    """Keep what ``fields`` names, such as ``items(start,end/date),nextPageToken``.

    Lists that are empty disappear, so an empty calendar answers ``{}``.
    """
    tree, rest = _parse(fields)
    if rest:
        refuse(400, "invalidParameter", f"Invalid field selection {fields}")
    return _pick(data, tree)


def _pick(data: Any, tree: Tree) -> Any:
    if not tree or "*" in tree:
        return data
    if isinstance(data, list):
        return [_pick(one, tree) for one in data]
    if not isinstance(data, dict):
        return data
    picked = {name: _pick(data[name], below) for name, below in tree.items() if name in data}
    return {name: value for name, value in picked.items() if value not in ({}, [])}


def _parse(text: str) -> tuple[Tree, str]:
    """Read a list of names up to its end or a closing bracket; give the rest, too."""
    tree: Tree = {}
    while True:
        text = _parse_name(text, tree)
        if not text.startswith(","):
            return tree, text
        text = text[1:]


def _parse_name(text: str, tree: Tree) -> str:
    size = next((at for at, sign in enumerate(text) if sign in ",()/"), len(text))
    name, text = text[:size].strip(), text[size:]
    if not name:
        refuse(400, "invalidParameter", "Invalid field selection")
    below = tree.setdefault(name, {})
    if text.startswith("/"):
        return _parse_name(text[1:], below)
    if text.startswith("("):
        inner, text = _parse(text[1:])
        below.update(inner)
        if not text.startswith(")"):
            refuse(400, "invalidParameter", "Invalid field selection")
        return text[1:]
    return text
