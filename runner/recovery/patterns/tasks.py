"""Failures that come from the task: contradictions, too large, too vague, or too early."""

from __future__ import annotations

import re
from itertools import combinations

from runner.people.sentences import WHOSE
from runner.people.texts import recovery_texts
from runner.recovery.checks import is_clear
from runner.recovery.facts import FailureFacts, TestMessage
from runner.recovery.patterns.imports import naming_path, naming_word, task_name, words_of
from runner.roadmap.lint.reading import TaskReading
from runner.roadmap.lint.rules import files
from runner.roadmap.lint.rules import large as lint_large
from runner.roadmap.lint.rules import vague as lint_vague
from runner.roadmap.task import Task
from runner.state.findings import ASKED_BACK
from runner.state.proposal import Classification
from runner.text.counting import counted
from runner.text.patterns import lazy_pattern

_NOT_RAISED = lazy_pattern(r"DID NOT RAISE (?:<class ')?(?:\w+\.)*(?P<error>\w{1,100})\b")
_COMPARED = lazy_pattern(
    r"assert (?P<left>[^\n]{1,120}?) == (?P<right>[^\n]{1,120}?)\s*$", re.MULTILINE
)
_MOST = 100


def contradiction(facts: FailureFacts) -> Classification | None:
    """Find two tests that no answer can satisfy both: one wants what the other failed for.

    The evidence names both sides: each test as old or new, and the task.
    """
    lines = [line.partition(": ") for line in facts.seen if "::" in line][:_MOST]
    now = {failure.test for failure in facts.failures}
    for (first, _, one), (second, _, other) in combinations(lines, 2):
        if first == second or {first, second} <= now:
            continue
        if not (_wants(one, other) or _wants(other, one) or _mirrored(one, other)):
            continue
        old, new = WHOSE
        whose = [old if test.partition("::")[0] in facts.paths else new for test in (first, second)]
        names = list(dict.fromkeys(each.removesuffix(": ") for each in whose))
        both = " and ".join(names) if len(names) == 2 else f"two {names[0].partition(' ')[2]}s"
        seen = (
            f"{both} contradict each other; a person must decide",
            f"{whose[0]}{first}: {one}",
            f"{whose[1]}{second}: {other}",
            f"the task: {' '.join(facts.task.text.split())[:200]}",
        )
        return Classification("unknown", seen)
    return None


def _wants(one: str, got: str) -> bool:
    """Whether a test wants the error that another one fails with."""
    found = _NOT_RAISED.search(one)
    return found is not None and re.search(rf"\b{found['error']}:", got) is not None


def _mirrored(one: str, other: str) -> bool:
    mine, theirs = _COMPARED.search(one), _COMPARED.search(other)
    if mine is None or theirs is None or mine["left"] == mine["right"]:
        return False
    return (mine["left"], mine["right"]) == (theirs["right"], theirs["left"])


def question(facts: FailureFacts) -> Classification | None:
    """Find what the model asked instead of giving files."""
    asked = [c.excerpt for c in facts.complaints if c.error == ASKED_BACK]
    return (
        Classification("task_too_vague", (recovery_texts.model_asks(asked[0]),)) if asked else None
    )


def is_vague(task: Task, reading: TaskReading) -> bool:
    """Whether the task's words alone say so; the lint warns of it before a run."""
    return lint_vague(reading) is not None and not is_clear(task)


ENOUGH = 3
"""Points that make a task too large: of its text or plan, and of its answers."""

_LISTED = 4
_SHORT = 5
"""Words of one thing in a list; what is longer explains."""

_SENTENCE = lazy_pattern(r"[.;:!?\n—]+")
_PART = lazy_pattern(r",\s*(?:and\s)?|\s(?:and|&|\+)\s")
_WORD = lazy_pattern(r"[^\W\d_]{2,}")

_MANY_ANSWERS = 4
_MANY_FILES = 4


def large(facts: FailureFacts) -> Classification | None:
    """Count what says so; the task or its plan must, and the answers must as well.

    What the lint calls too large counts double; a change that is too large is enough alone.
    """
    task: dict[str, int] = {}
    named, things = files(facts.reading), listed(facts.reading.prose)
    if found := lint_large(facts.reading):
        task[found.message.partition(";")[0]] = 2
    elif named >= _MANY_FILES:
        task[f"it names {named:g} files"] = 1
    if not found and things >= _LISTED:
        task[f"it lists {things} things"] = 1 if things == _LISTED else 2
    if facts.plan and facts.plan.complexity == "high":
        task["the plan calls it complex"] = 1
    if facts.plan and len(facts.plan.likely_files) >= _MANY_FILES:
        task[f"its plan has {len(facts.plan.likely_files)} files"] = 1
    answers: dict[str, int] = {}
    for complaint in facts.complaints:
        if complaint.error == "TooLarge" and not answers:
            answers[complaint.message] = ENOUGH
    if "TruncatedAnswer" in facts.errors:
        answers["answers were cut off at the longest a model can give"] = 2
    if facts.answers >= _MANY_ANSWERS:
        answers[f"{facts.answers} answers were not enough"] = 1
    broken = {failure.file for failure in facts.failures if failure.file}
    if len(broken) >= _MANY_FILES:
        answers[f"tests fail in {len(broken)} files"] = 1
    enough = task and answers and sum(task.values()) + sum(answers.values()) >= ENOUGH
    if not enough and ENOUGH not in answers.values():
        return None
    return Classification("task_too_complex", (*([", ".join(task)] if task else ()), *answers))


def listed(text: str) -> int:
    """Count the things in the longest list of a text: short parts between commas and "and"."""
    longest = 0
    for sentence in _SENTENCE.split(text):
        run = 0
        for at, part in enumerate(_PART.split(sentence)):
            words = len(_WORD.findall(part))
            # the first part has the beginning of the sentence before it
            run = run + 1 if 0 < words <= _SHORT else int(at == 0 and words > 0)
            longest = max(longest, run)
    return longest


_RAISED = r"^(?:E\s+)?(?:[\w.]{1,100}\.)?"
_NAMES = tuple(
    lazy_pattern(pattern, re.MULTILINE)
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
_CODE = lazy_pattern(r"`[^`\n]+`")
_FILE = lazy_pattern(
    r"(?:No such file or directory: |ENOENT: no such file or directory, \w+ |cannot open file )"
    r"['\"](?P<path>[^'\"\n]{1,300})['\"]"
)


def later(facts: FailureFacts) -> Classification | None:
    """Decide when at least half of the failures miss what an open task names."""
    found = [(message, *each) for message in facts.messages if (each := _missed(facts, message))]
    if not found or 2 * len(found) < len(facts.messages):
        return None
    seen = (
        f"{task_name(task)} has yet to make {what}, which {message.test or 'the tests'} needs"
        for message, task, what in found
    )
    waits_for = found[0][1].key
    return Classification("missing_dependency", tuple(dict.fromkeys(seen))[:3], waits_for=waits_for)


def _missed(facts: FailureFacts, message: TestMessage) -> tuple[Task, str] | None:
    """The first thing that a failure misses and an open task names, and not the current one."""
    own = "".join(_CODE.findall(words_of(facts.task)))
    for pattern in _NAMES:
        found = pattern.search(message.text)
        if found is None or re.search(rf"\b{found['name']}\b", own):
            continue
        if task := naming_word(facts.others, found["name"]):
            return task, found["name"]
    path = found["path"] if (found := _FILE.search(message.text)) else ""

    def fits(file: str) -> bool:
        return path == file or path.endswith(f"/{file}")

    if not path or any(fits(file) for file in facts.task.files):
        return None
    task = naming_path(facts.others, fits)
    return (task, path) if task else None


"""Points that make a task vague; its words alone are never enough."""

_NOTHING = {
    ASKED_BACK: "asked a question",
    "EmptyAnswer": "gave nothing",
    "UnreadableAnswer": "gave no file that can be read",
    "SameAnswer": "repeated itself",
}
_WORDS = lazy_pattern(
    r"\b(?:some|various|several|misc\w*|useful|nice|nicer|better|appropriate|necessary|needed|"
    r"proper(?:ly)?|good|more|other|others|remaining|the same|stuff|things?|etc)\b",
    re.IGNORECASE,
)
_VAGUE_CODE = lazy_pattern(r"`[^`\n]*`")


UNCLEAR = "unclear"
"""The type of a failure before the first question: people are to say first what is meant."""


def vague(facts: FailureFacts) -> Classification | None:
    """Count what says so; the text must, and the answers must as well if there are any."""
    if facts.failure and facts.failure.type == UNCLEAR:
        return Classification("task_too_vague", (facts.failure.message,))
    if is_clear(facts.task):
        return None
    text: dict[str, int] = {}
    if found := lint_vague(facts.reading):
        text[found.message.partition(";")[0]] = 2
    elif facts.reading.explained:
        return None
    if word := _WORDS.search(_VAGUE_CODE.sub(" ", facts.task.text[:2_000])):
        text[f'"{word[0]}" leaves open what is meant'] = 1
    answers: dict[str, int] = {}
    if nothing := [texts for error, texts in _NOTHING.items() if error in facts.errors]:
        answers[f"in {counted(facts.answers, 'answer')} the model {' and '.join(nothing)}"] = len(
            nothing
        )
    if not facts.failures and not facts.output:
        answers["no answer was ever good enough to be tested"] = 1
    if not text or not answers or sum(text.values()) + sum(answers.values()) < ENOUGH:
        return None
    return Classification("task_too_vague", (", ".join(text), *answers))
