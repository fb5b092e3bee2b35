"""Names, files, tables and fixtures that an open task is going to make."""

from __future__ import annotations

import re

from runner.recovery.facts import Facts, Said
from runner.recovery.patterns.names import naming_path, naming_word, told, words_of
from runner.recovery.values import Classification
from runner.roadmap.task import Task

_RAISED = r"^(?:E\s+)?(?:[\w.]{1,100}\.)?"
_NAMES = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        _RAISED + r"ImportError: cannot import name '(?P<name>\w{2,100})' from '",
        _RAISED + r"AttributeError: (?:module|type object) '[\w.]{1,200}' has no attribute "
        r"'(?P<name>\w{2,100})'",
        _RAISED + r"NameError: name '(?P<name>\w{3,100})' is not defined",
        r"does not provide an export named '(?P<name>\w{2,100})'",
        r"^(?:E\s+)?fixture '(?P<name>\w{2,100})' not found",
        r"no such table: (?:\w+\.)?(?P<name>\w{2,100})",
        r"relation \"(?:\w+\.)?(?P<name>\w{2,100})\" does not exist",
    )
)
_CODE = re.compile(r"`[^`\n]+`")
_FILE = re.compile(
    r"(?:No such file or directory: |ENOENT: no such file or directory, \w+ |cannot open file )"
    r"['\"](?P<path>[^'\"\n]{1,300})['\"]"
)


def later(facts: Facts) -> Classification | None:
    """Decide when at least half of the failures miss what an open task names."""
    found = [(said, task, what) for said in facts.said for task, what in _missed(facts, said)]
    if not found or 2 * len(found) < len(facts.said):
        return None
    seen = tuple(
        dict.fromkeys(
            f"{told(task)} is still to make {what}, which {said.test or 'the tests'} needs"
            for said, task, what in found
        )
    )
    return Classification("missing_dependency", seen[:3], waits_for=found[0][1].key)


def _missed(facts: Facts, said: Said) -> list[tuple[Task, str]]:
    """The first thing that a failure misses and an open task names."""
    own = "".join(_CODE.findall(words_of(facts.task)))
    for pattern in _NAMES:
        found = pattern.search(said.text)
        if found is None or re.search(rf"\b{found['name']}\b", own):
            continue
        if task := naming_word(facts.others, found["name"]):
            return [(task, found["name"])]
    found = _FILE.search(said.text)
    if found and (task := _maker(facts, found["path"])):
        return [(task, found["path"])]
    return []


def _maker(facts: Facts, path: str) -> Task | None:
    """The open task that names the file, unless the task in hand does."""

    def fits(file: str) -> bool:
        return path == file or path.endswith(f"/{file}")

    return None if any(fits(file) for file in facts.task.files) else naming_path(facts.others, fits)
