"""Code that looks whether tests are running: it can behave for them as it does for nobody else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from runner.checks.asked import TaskWords
from runner.checks.blanks import added_lines
from runner.code.languages import is_among_tests, language_of
from runner.state.changes import ChangeSet
from runner.state.findings import Complaint

_TEST = r"[\"'`][^\"'`\n]{0,40}(?:test|spec|jest|mocha)[^\"'`\n]{0,20}[\"'`]"
_RUNNER = r"[\"'](?:_?pytest|unittest|nose|doctest)[\"']"
_SCRIPT = re.compile(
    rf"process\.argv\b[^\n;]{{0,60}}{_TEST}|{_TEST}[^\n;]{{0,40}}process\.argv\b"
    r"|\b(?:NODE_TEST_CONTEXT|JEST_WORKER_ID|VITEST_WORKER_ID)\b",
    re.IGNORECASE,
)
_KNOWS = {
    "python": re.compile(
        rf"{_RUNNER}\s+(?:not\s+)?in\s+sys\.(?:modules|argv)|sys\.modules\.get\(\s*{_RUNNER}"
        rf"|sys\.argv\b[^\n]{{0,60}}{_RUNNER}|{_RUNNER}\s+in\s+sys\.argv|\bPYTEST_CURRENT_TEST\b"
    ),
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "go": re.compile(
        r"flag\.Lookup\(\s*\"test\.|os\.Args\b[^\n]{0,60}\"[^\"\n]{0,20}[./]test|\btesting\.Testing\(\)"
    ),
}
_MEANT = re.compile(
    r"\b(?:when|while|if|whether|during|under|inside|in)\s+(?:\w+\s+){0,4}(?:tests?|testing|tested"
    r"|pytest|unittest|jest|vitest|mocha)\b|sys\.modules|process\.argv|PYTEST_CURRENT_TEST"
    r"|NODE_TEST_CONTEXT|JEST_WORKER_ID|VITEST_WORKER_ID|os\.Args|testing\.Testing|plugin"
    r"|test runner",
    re.IGNORECASE,
)
_PLACE = re.compile(r"\bin\s+(?:the\s+)?tests?(?:/|\b(?=\s*(?:$|[.,;)]|for|of)))", re.IGNORECASE)


_ADVICE = "Write code that does the same for everybody."


def knows_its_tests(
    changes: ChangeSet, asked: TaskWords, *, old: Mapping[str, bytes]
) -> Iterator[Complaint]:
    """Yield a complaint for each file that newly looks whether it is being tested.

    ``old`` are the changed files as they were. A task may ask for it ("when tests run").
    """
    if asked.about_tests or _MEANT.search(_PLACE.sub(" ", asked.text)):
        return
    for path, write in changes.files.items():
        pattern = _KNOWS.get(language_of(path))
        if write is None or pattern is None or is_among_tests(path):
            continue
        text = write.content.decode("utf-8", "replace")
        if pattern.search(old.get(path, b"").decode("utf-8", "replace")):
            continue
        new = added_lines(text, old.get(path, b"").decode("utf-8", "replace"))
        for number, line in enumerate(text.split("\n"), 1):
            if number in new and pattern.search(line):
                message = (
                    f"Line {number} checks whether tests are running, which the task does not ask "
                    "for."
                )
                yield Complaint(path, "KnowsItsTests", message, number, advice=_ADVICE)
                break
