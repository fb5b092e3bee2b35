"""The quick starts of docs/quick-start.md as shell scripts, word for word."""

from __future__ import annotations

import re

from tools.docs.parts import ROOT

_FENCE = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def journey(heading: str) -> list[str]:
    """Return the shell blocks below a second-level heading, in order; there must be some."""
    text = (ROOT / "docs/quick-start.md").read_text()
    section = re.search(rf"^## {re.escape(heading)}$(.*?)(?=^## |\Z)", text, re.DOTALL | re.M)
    assert section is not None, f"docs/quick-start.md has no section {heading!r}"
    blocks = _FENCE.findall(section[1])
    assert blocks, f"the section {heading!r} has no commands"
    return blocks
