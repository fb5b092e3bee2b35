"""Which tasks must lie on one line, since a later one needs them together. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def families(keys: Iterable[str], needs: Callable[[str], tuple[str, ...]]) -> dict[str, str]:
    """Return the family of each such task: two that one task needs, and what these need in turn.

    ``needs`` are the tasks that one builds on. Tasks that lie on nobody's line with others are
    absent.
    """
    root: dict[str, str] = {}
    todo: list[str] = []
    for needed in dict.fromkeys(map(needs, keys)):
        if len(needed) > 1:
            _unite(root, needed)
            todo += needed
    done: set[str] = set()
    while todo:
        key = todo.pop()
        if key not in done:
            done.add(key)
            _unite(root, (key, *needs(key)))
            todo += needs(key)
    return {key: _find(root, key) for key in root}


def _unite(root: dict[str, str], keys: tuple[str, ...]) -> None:
    for key in keys:
        root.setdefault(key, key)
        root[_find(root, key)] = _find(root, keys[0])


def _find(root: dict[str, str], key: str) -> str:
    while root[key] != key:
        root[key] = root[root[key]]
        key = root[key]
    return key
