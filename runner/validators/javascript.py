"""JavaScript and JSX."""

from __future__ import annotations

import re

from runner.findings import Complaint
from runner.validators.grammars import JAVASCRIPT, checked
from runner.validators.jsx import mismatch

# types that another tool takes out (https://flow.org/en/docs/usage/)
_FLOW = re.compile(rb"@flow\b")


def check(path: str, content: bytes) -> Complaint | None:
    """Return the first error of a JavaScript file, or None; files with Flow types are let be."""
    if _FLOW.search(content, 0, 2_000):
        return None
    return checked(path, content, JAVASCRIPT, further=mismatch if b"</" in content else None)
