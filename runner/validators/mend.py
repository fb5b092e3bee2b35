"""Syntax faults that need no model: each repair is tried, and kept only when the file then parses.

A repair never touches a file that parses.
"""

from __future__ import annotations

from collections.abc import Iterable

from runner.changes import ChangeSet, Write
from runner.findings import Complaint
from runner.validators.mends_json import JSON_MENDS
from runner.validators.mends_python import PYTHON_MENDS
from runner.validators.mends_text import TEXT_MENDS, Mend
from runner.validators.validate import syntax_complaint

_LARGEST = 64 << 10


def mend(changes: ChangeSet, complaints: Iterable[Complaint]) -> tuple[ChangeSet, tuple[str, ...]]:
    """Return the change set with the files put right that can be, and what was done to each.

    ``complaints`` are those of ``validate``; validate again what comes back.
    """
    files, notes = dict(changes.files), []
    for path in dict.fromkeys(complaint.path for complaint in complaints):
        write = files.get(path)
        if write is None or syntax_complaint(path, write.content) is None:
            continue
        mended, what = _mended(path, write.content)
        if what:
            files[path] = Write(mended, write.mode)
            notes.append(f"{path}: {', '.join(what)}")
    return ChangeSet(files), tuple(notes)


def _mended(path: str, content: bytes) -> tuple[bytes, list[str]]:
    """Try every repair alone, then all together; large files are left to the model."""
    if len(content) > _LARGEST:
        return content, []
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return content, []
    for what, repair in _mends(path):
        after = repair(path, text)
        if after is not None and after != text and _parses(path, after):
            return after.encode("utf-8"), [what]
    return _all_together(path, text)


def _all_together(path: str, text: str) -> tuple[bytes, list[str]]:
    done: list[str] = []
    for what, repair in _mends(path):
        after = repair(path, text)
        if after is not None and after != text:
            text = after
            done.append(what)
            if _parses(path, text):
                return text.encode("utf-8"), done
    return b"", []


def _mends(path: str) -> tuple[tuple[str, Mend], ...]:
    if path.endswith((".py", ".pyi")):
        return (*TEXT_MENDS, *PYTHON_MENDS)
    return (*TEXT_MENDS, *JSON_MENDS) if path.endswith(".json") else TEXT_MENDS


def _parses(path: str, text: str) -> bool:
    """Whether there is something left of a file, and it parses."""
    return bool(text.strip()) and syntax_complaint(path, text.encode("utf-8", "replace")) is None
