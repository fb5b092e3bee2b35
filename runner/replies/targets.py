"""Which of the expected files a block without a path is: told by language, kind and content."""

from __future__ import annotations

import re
from collections.abc import Sequence

from runner.context.testing import is_test_file
from runner.replies.languages import fits
from runner.replies.pieces import Known

_TEST = re.compile(
    r"^\s*(?:async\s+)?def test|^\s*class Test|^\s*(?:test|it|describe)\s*\("
    r"|^func (?:Test|Fuzz)\w*\(|^\s*@Test\b|^\s*#\[test\]",
    re.MULTILINE,
)
_CODE = re.compile(
    r"^(?:export\s+(?:default\s+)?)?(?:async\s+)?"
    r"(?:def|class|function|func|pub fn|fn)\s+(?!\(?[Tt]est|Fuzz)\w",
    re.MULTILINE,
)
_ALIKE = 0.5
"""How much of a file's own lines a block must hold to be taken for a new version of it."""


def target(lines: Sequence[str], info: str, known: Known) -> str:
    """Return the one expected file that the lines can be; '' when that is in doubt."""
    found = [path for path in known.expected if fits(info, path)]
    for narrower in (_of_kind, _by_content):
        if len(found) > 1:
            found = narrower(found, lines, known)
    return found[0] if len(found) == 1 else ""


def _of_kind(paths: Sequence[str], lines: Sequence[str], _known: Known) -> list[str]:
    """Keep test files for tests and other files for other code; all where the block has both."""
    text = "\n".join(lines)
    tests, code = bool(_TEST.search(text)), bool(_CODE.search(text))
    if tests and code:
        return list(paths)
    kept = [path for path in paths if is_test_file(path) == tests]
    return kept or list(paths)


def _by_content(paths: Sequence[str], lines: Sequence[str], known: Known) -> list[str]:
    """Keep the files that the block is a new version of, else the ones that do not exist yet."""
    new = {line.strip() for line in lines}
    old = {path: _lines(known.read(path)) for path in paths if path in known.paths}
    alike = [p for p, own in old.items() if own and len(own & new) >= _ALIKE * len(own)]
    missing = [path for path in paths if path not in old]
    return alike or missing or list(paths)


def _lines(content: bytes | None) -> set[str]:
    text = (content or b"").decode("utf-8", "replace")
    return {line.strip() for line in text.split("\n")} - {""}
