"""Modules that need each other while they are loaded."""

from __future__ import annotations

import re

from runner.recovery.facts import Facts
from runner.recovery.values import Classification

_PYTHON = re.compile(
    r"(?:cannot import name '(?P<name>[^'\n]{1,200})' from partially initialized module|"
    r"partially initialized module) '(?P<module>[\w.]{1,200})'"
)
_GO = re.compile(r"import cycle not allowed")
_FRAME = re.compile(r"^(?P<file>[^\s:][^:\n]{0,300}\.py):\d+: in <module>", re.MULTILINE)
_MENDED = "import inside the function that needs it, or under `if TYPE_CHECKING:`"


def circular(facts: Facts) -> Classification | None:
    """Split what one answer ties into a circle; a circle with old code is for people."""
    for said in facts.said:
        found = _PYTHON.search(said.text)
        if found is None and not _GO.search(said.text):
            continue
        around = {f["file"] for f in _FRAME.finditer(said.text)} - {said.file}
        if found:
            around |= {path for path in facts.changed if _is(path, found["module"])}
        seen = f"{said.test or 'the tests'}: a circular import{_of(found)}; {_MENDED}"
        ours = around & facts.changed
        if len(ours) > 1 and ours == around & (facts.changed | facts.paths):
            names = " and ".join(sorted(ours))
            both = f"{names} are both written by this task, and each needs the other"
            return Classification("task_too_complex", (both, seen))
        return Classification("unknown", (seen,))
    return None


def _is(path: str, module: str) -> bool:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") == module


def _of(found: re.Match[str] | None) -> str:
    return f" of {found['module']}" if found else ""
