"""Trees, read and written as objects: to start git for each costs more than all that it does.

https://git-scm.com/book/en/v2/Git-Internals-Git-Objects#_tree_objects
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cachetools import LRUCache

from tests.fake_github.objects import GitError, Objects

Line = tuple[str, str | None, str]
"""Mode, sha (None deletes) and path of an entry that is laid over a tree."""
Listed = dict[str, tuple[str, str]]
"""Name → mode as git stores it, and sha."""
_Folder = dict[str, "tuple[str, str] | _Folder"]

TREE, SUBMODULE = "40000", "160000"
_READ: LRUCache[str, Listed] = LRUCache(5_000)
"""By sha: a tree never changes, nor does it differ from one repository to another."""


def read(objects: Objects, tree: str) -> Listed:
    """The lines of a tree (not to be changed). Raises ``GitError`` when there is no such tree."""
    known = _READ.get(tree)
    if known is None:
        raw, at, known = objects.content(tree, "tree"), 0, {}
        while at < len(raw):
            end = raw.index(b"\0", at)
            mode, _, name = raw[at:end].decode(errors="surrogateescape").partition(" ")
            known[name] = (mode, raw[end + 1 : end + 21].hex())
            at = end + 21
        _READ[tree] = known
    return known


def lay(objects: Objects, base: str | None, lines: Iterable[Line]) -> str:
    """Write the tree ``base`` with lines laid over it, the last one wins; return its sha.

    Raises ``GitError`` for a path that git does not take and for an object that is not there.
    """
    top: _Folder = dict(read(objects, base)) if base else {}
    for mode, sha, path in lines:
        *folders, name = _steps(path)
        at: _Folder | None = top
        for folder in folders:
            at = _opened(objects, at, folder, make=sha is not None) if at is not None else None
        if sha is None:
            found = at.get(name) if at is not None else None
            if at is not None and isinstance(found, tuple) and found[0] != TREE:
                del at[name]
        elif mode != SUBMODULE and objects.info(sha) is None:
            raise GitError(f"{path}: there is no object {sha}")
        elif at is not None:
            at[name] = (mode.lstrip("0"), sha)
    return _written(objects, top) or objects.write("tree", b"")


def changed(objects: Objects, old: str | None, new: str) -> Iterator[tuple[str, str]]:
    """A, D or M, and the path, of each file in which two trees differ; None is the empty tree."""
    before, after = (read(objects, tree) if tree else {} for tree in (old, new))
    for name in sorted(before.keys() | after.keys()):
        was, now = before.get(name), after.get(name)
        if was == now:
            continue
        trees = [each[1] if each and each[0] == TREE else None for each in (was, now)]
        files = [each if each and each[0] != TREE else None for each in (was, now)]
        if any(files):
            yield ("M" if all(files) else "A" if files[1] else "D"), name
        if any(trees):
            empty = objects.write("tree", b"")
            inside = changed(objects, trees[0], trees[1] or empty)
            yield from ((status, f"{name}/{path}") for status, path in inside)


def _steps(path: str) -> list[str]:
    steps = path.split("/")
    if any(step in ("", ".", "..") or step.lower() in (".git", "git~1") for step in steps):
        raise GitError(f"Invalid path {path!r}")
    return steps


def _opened(objects: Objects, at: _Folder, name: str, *, make: bool) -> _Folder | None:
    """The folder of this name, ready to be changed; ``make`` puts one where there is none."""
    found = at.get(name)
    if isinstance(found, dict):
        return found
    is_tree = found is not None and found[0] == TREE
    if not is_tree and not make:
        return None
    opened: _Folder = dict(read(objects, found[1])) if found and is_tree else {}
    at[name] = opened
    return opened


def _written(objects: Objects, folder: _Folder) -> str | None:
    """The sha of a folder that is stored; None for an empty one, which git does not keep."""
    lines: dict[bytes, tuple[bytes, bytes, str]] = {}
    for name, found in folder.items():
        if isinstance(found, dict):
            sha = _written(objects, found)
            if sha is None:
                continue
            found = (TREE, sha)
        raw = name.encode(errors="surrogateescape")
        order = raw + b"/" if found[0] == TREE else raw
        lines[order] = (found[0].encode(), raw, found[1])
    content = b"".join(
        mode + b" " + name + b"\0" + bytes.fromhex(sha)
        for _, (mode, name, sha) in sorted(lines.items())
    )
    return objects.write("tree", content) if lines else None
