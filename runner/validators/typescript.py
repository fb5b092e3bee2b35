"""TypeScript and TSX; what the grammar does not know yet is left to the compiler."""

from __future__ import annotations

import re

from runner.findings import Complaint
from runner.validators.grammars import TSX, TYPESCRIPT, checked, line_at
from runner.validators.jsx import mismatch

# variance annotations (https://www.typescriptlang.org/docs/handbook/2/generics.html) and ``using``
_NEW = re.compile(rb"\b(?:in|out|using|defer|accessor|unique)\s+\$?\w+")


def check(path: str, content: bytes) -> Complaint | None:
    """Return the first error of a TypeScript file, or None; declarations are not looked at."""
    if path.endswith((".d.ts", ".d.mts", ".d.cts")):
        return None
    if path.lower().endswith("x"):
        return checked(path, content, TSX, _plausible, further=mismatch)
    return checked(path, content, TYPESCRIPT, _plausible)


def _plausible(content: bytes, offset: int) -> bool:
    return _NEW.search(line_at(content, offset)) is None
