"""What a model is not shown, and what becomes of it in the model's answer.

A model sees ``***`` in the place of a secret. Where its answer repeats such a line, the file keeps
what really stands there: a change set never loses a value because it was hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from runner.changes import ChangeSet
from runner.findings import Complaint
from runner.masking import HIDDEN, Mask, hidden_lines
from runner.secret_files import is_secret_file

_IN_FRONT = "+- \t"
"""What an answer may have in front of a line that it repeats: other indentation, a diff's mark."""


def put_back(answer: str, shown: Iterable[bytes], mask: Mask) -> str:
    """Return the answer with the hidden lines of these contents as they really are.

    A line that stands for two different ones stays hidden: ``still_hidden`` then refuses it.
    """
    if HIDDEN not in answer:
        return answer
    truths: dict[str, set[str]] = {}
    for content in shown:
        text = content.decode("utf-8", "replace").replace("\r\n", "\n")
        for line, truth in hidden_lines(text, mask.spans(text)).items():
            truths.setdefault(line.strip(), set()).add(truth)
    known = {line: truth.pop() for line, truth in truths.items() if len(truth) == 1}
    return "\n".join(_truth(line, known) for line in answer.split("\n"))


def _truth(line: str, known: Mapping[str, str]) -> str:
    bare = line.lstrip(_IN_FRONT)
    truth = known.get(bare.strip()) if HIDDEN in line else None
    if truth is None:
        return line
    # a block of several lines has its own indentation
    return truth if "\n" in truth else line[: len(line) - len(bare)] + truth.strip()


def still_hidden(changes: ChangeSet, old: Mapping[str, bytes], mask: Mask) -> tuple[Complaint, ...]:
    """Complain about files in which ``***`` would take the place of a value that was hidden."""
    found = []
    for path, write in changes.files.items():
        before = old.get(path, b"").decode("utf-8", "replace")
        after = write.content.decode("utf-8", "replace") if write else ""
        if after.count(HIDDEN) > before.count(HIDDEN) and mask.spans(before):
            message = (
                f"{path} has {HIDDEN} in the place of a value that is hidden from you. Repeat such "
                "a line exactly as it was shown, or change the other lines by SEARCH/REPLACE."
            )
            found.append(Complaint(path, "HiddenValue", message))
    return tuple(found)


def without_excerpts(complaints: Iterable[Complaint]) -> tuple[Complaint, ...]:
    """Return the complaints without lines of files that are not shown."""
    return tuple(replace(c, excerpt="") if is_secret_file(c.path) else c for c in complaints)
