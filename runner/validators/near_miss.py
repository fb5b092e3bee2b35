"""A new file whose folder is a slip of an existing one (``src/util/`` for ``src/utils/``)."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator

from runner.findings import Complaint


def check(
    added: Collection[str], deleted: Collection[str], paths: Collection[str]
) -> Iterator[Complaint]:
    """Yield a complaint for a new file in a new folder when its twin exists in a like-named one.

    Moving the file (deleting the twin) is no slip.
    """
    folders = {path.rpartition("/")[0] for path in paths}
    for path in added:
        folder, _, name = path.rpartition("/")
        if folder in folders:
            continue
        twins = [p for p in paths if p.rpartition("/")[2] == name and _alike(folder, p)]
        if len(twins) == 1 and twins[0] not in deleted:
            message = f"{path} does not exist, but {twins[0]} does. Did you mean {twins[0]}?"
            yield Complaint(path, "NearMissPath", message)


def _alike(folder: str, other: str) -> bool:
    """Whether exactly one part differs, and that by a letter or two."""
    ours, theirs = folder.split("/"), other.rpartition("/")[0].split("/")
    if len(ours) != len(theirs):
        return False
    different = [(a, b) for a, b in zip(ours, theirs, strict=True) if a != b]
    if len(different) != 1:
        return False
    a, b = different[0]
    return min(len(a), len(b)) >= 3 and difflib.SequenceMatcher(None, a, b).ratio() >= 0.8
