"""Failures that come from the task: contradictions, too large, too vague, or too early."""

from __future__ import annotations

import re

from runner.people.recovery_sentences import WHOSE, model_asks
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

_NOT_RAISED = re.compile(r"DID NOT RAISE (?:<class ')?(?:\w+\.)*(?P<error>\w{1,100})\b")
_COMPARED = re.compile(
    r"assert (?P<left>[^\n]{1,120}?) == (?P<right>[^\n]{1,120}?)\s*$", re.MULTILINE
)
_MOST = 100


def contradiction(facts: FailureFacts) -> Classification | None:
    """Find two tests that no answer can satisfy both."""
    lines = [line for line in facts.seen if "::" in line][:_MOST]
    now = {failure.test for failure in facts.failures}
    for at, first in enumerate(lines):
        for second in lines[at + 1 :]:
            both = {_test(first), _test(second)}
            if len(both) == 2 and not both <= now and _exclude(first, second):
                return Classification("unknown", _evidence(facts, (first, second)))
    return None


def _exclude(first: str, second: str) -> bool:
    """Whether one test wants what the other one failed for."""
    return _raised(first, second) or _raised(second, first) or _mirrored(first, second)


def _raised(wants: str, got: str) -> bool:
    found = _NOT_RAISED.search(wants)
    return found is not None and re.search(rf"\b{found['error']}:", _message(got)) is not None


def _mirrored(first: str, second: str) -> bool:
    one, other = _COMPARED.search(_message(first)), _COMPARED.search(_message(second))
    if one is None or other is None or one["left"] == one["right"]:
        return False
    return (one["left"], one["right"]) == (other["right"], other["left"])


def _evidence(facts: FailureFacts, lines: tuple[str, ...]) -> tuple[str, ...]:
    """The evidence names both sides: each test as old or new, and the task."""
    whose = [_whose(facts, line) for line in lines]
    tests = tuple(f"{prefix}{line}" for prefix, line in zip(whose, lines, strict=True))
    task = f"the task: {' '.join(facts.task.text.split())[:200]}"
    return (f"{_both(whose)} contradict each other; a person must decide", *tests, task)


def _whose(facts: FailureFacts, line: str) -> str:
    old, new = WHOSE
    return old if _test(line).partition("::")[0] in facts.paths else new


def _both(whose: list[str]) -> str:
    """Both sides of a contradiction."""
    names = [prefix.removesuffix(": ") for prefix in whose]
    if len(set(names)) == 1:
        return f"two {names[0].partition(' ')[2]}s"
    return " and ".join(names)


def _test(line: str) -> str:
    return line.partition(": ")[0]


def _message(line: str) -> str:
    return line.partition(": ")[2]


def question(facts: FailureFacts) -> Classification | None:
    """Find what the model asked instead of giving files."""
    asked = [c.excerpt for c in facts.complaints if c.error == ASKED_BACK]
    return Classification("task_too_vague", (model_asks(asked[0]),)) if asked else None


def is_vague(task: Task, reading: TaskReading) -> bool:
    """Whether the task's words alone say so; the lint warns of it before a run."""
    return lint_vague(reading) is not None and not is_clear(task)


ENOUGH = 3
"""Points that make a task too large: of its text or plan, and of its answers."""

_LISTED = 4
_SHORT = 5
"""Words of one thing in a list; what is longer explains."""

_SENTENCE = re.compile(r"[.;:!?\n—]+")
_PART = re.compile(r",\s*(?:and\s)?|\s(?:and|&|\+)\s")
_WORD = re.compile(r"[^\W\d_]{2,}")

_MANY_ANSWERS = 4
_MANY_FILES = 4
_MANY_STEPS = 6


def large(facts: FailureFacts) -> Classification | None:
    """Count what says so; the task or its plan must, and the answers must as well."""
    task, answers = {**_text(facts), **_plan(facts)}, _answers(facts)
    if any(worth >= ENOUGH for worth in answers.values()):
        return Classification("task_too_complex", _large_because(task, answers))
    if not task or not answers or sum(task.values()) + sum(answers.values()) < ENOUGH:
        return None
    return Classification("task_too_complex", _large_because(task, answers))


def _large_because(task: dict[str, int], answers: dict[str, int]) -> tuple[str, ...]:
    return (", ".join(task), *answers) if task else tuple(answers)


def _text(facts: FailureFacts) -> dict[str, int]:
    """Points of what the task names; what the lint calls too large counts double."""
    if found := lint_large(facts.reading):
        return {found.message.partition(";")[0]: 2}
    named, things = files(facts.reading), listed(facts.reading.prose)
    points = {f"it names {named:g} files": 1} if named >= _MANY_FILES else {}
    if things >= _LISTED:
        points[f"it lists {things} things"] = 1 if things == _LISTED else 2
    return points


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


def _plan(facts: FailureFacts) -> dict[str, int]:
    plan = facts.plan
    if plan is None:
        return {}
    points = {"the plan calls it complex": 1} if plan.complexity == "high" else {}
    if len(plan.steps) >= _MANY_STEPS or len(plan.likely_files) >= _MANY_FILES:
        points[f"its plan has {len(plan.steps)} steps, {len(plan.likely_files)} files"] = 1
    return points


def _answers(facts: FailureFacts) -> dict[str, int]:
    """Points for the answers; a change that is too large is enough alone."""
    points: dict[str, int] = {}
    large = next((c.message for c in facts.complaints if c.error == "TooLarge"), "")
    if large:
        points[large] = ENOUGH
    if "TruncatedAnswer" in facts.errors:
        points["answers were cut off at the longest a model can give"] = 2
    if facts.answers >= _MANY_ANSWERS:
        points[f"{facts.answers} answers were not enough"] = 1
    broken = {failure.file for failure in facts.failures if failure.file}
    if len(broken) >= _MANY_FILES:
        points[f"tests fail in {len(broken)} files"] = 1
    return points


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


def later(facts: FailureFacts) -> Classification | None:
    """Decide when at least half of the failures miss what an open task names."""
    found = [
        (message, task, what)
        for message in facts.messages
        for task, what in _missed(facts, message)
    ]
    if not found or 2 * len(found) < len(facts.messages):
        return None
    seen = tuple(
        dict.fromkeys(
            f"{task_name(task)} has yet to make {what}, which {message.test or 'the tests'} needs"
            for message, task, what in found
        )
    )
    return Classification("missing_dependency", seen[:3], waits_for=found[0][1].key)


def _missed(facts: FailureFacts, message: TestMessage) -> list[tuple[Task, str]]:
    """The first thing that a failure misses and an open task names."""
    own = "".join(_CODE.findall(words_of(facts.task)))
    for pattern in _NAMES:
        found = pattern.search(message.text)
        if found is None or re.search(rf"\b{found['name']}\b", own):
            continue
        if task := naming_word(facts.others, found["name"]):
            return [(task, found["name"])]
    found = _FILE.search(message.text)
    if found and (task := _maker(facts, found["path"])):
        return [(task, found["path"])]
    return []


def _maker(facts: FailureFacts, path: str) -> Task | None:
    """The open task that names the file, unless the current task does."""

    def fits(file: str) -> bool:
        return path == file or path.endswith(f"/{file}")

    return None if any(fits(file) for file in facts.task.files) else naming_path(facts.others, fits)


"""Points that make a task vague; its words alone are never enough."""

_NOTHING = {
    ASKED_BACK: "asked a question",
    "EmptyAnswer": "gave nothing",
    "UnreadableAnswer": "gave no file that can be read",
    "SameAnswer": "repeated itself",
}
_WORDS = re.compile(
    r"\b(?:some|various|several|misc\w*|useful|nice|nicer|better|appropriate|necessary|needed|"
    r"proper(?:ly)?|good|more|other|others|remaining|the same|stuff|things?|etc)\b",
    re.IGNORECASE,
)
_VAGUE_CODE = re.compile(r"`[^`\n]*`")


UNCLEAR = "unclear"
"""The type of a failure before the first question: people are to say first what is meant."""


def vague(facts: FailureFacts) -> Classification | None:
    """Count what says so; the text must, and the answers must as well if there are any."""
    if facts.failure and facts.failure.type == UNCLEAR:
        return Classification("task_too_vague", (facts.failure.message,))
    if is_clear(facts.task):
        return None
    text, answers = _vague_text(facts), _vague_answers(facts)
    if not text or not answers or sum(text.values()) + sum(answers.values()) < ENOUGH:
        return None
    return Classification("task_too_vague", (", ".join(text), *answers))


def _vague_text(facts: FailureFacts) -> dict[str, int]:
    """Points of the task's own words, each with what it says."""
    points: dict[str, int] = {}
    if found := lint_vague(facts.reading):
        points[found.message.partition(";")[0]] = 2
    elif facts.reading.explained:
        return {}
    if word := _WORDS.search(_VAGUE_CODE.sub(" ", facts.task.text[:2_000])):
        points[f'"{word[0]}" leaves open what is meant'] = 1
    return points


def _vague_answers(facts: FailureFacts) -> dict[str, int]:
    """Points of what was answered."""
    points: dict[str, int] = {}
    if nothing := [texts for error, texts in _NOTHING.items() if error in facts.errors]:
        answers = "1 answer" if facts.answers == 1 else f"{facts.answers} answers"
        points[f"in {answers} the model {' and '.join(nothing)}"] = len(nothing)
    if not facts.failures and not facts.output:
        points["no answer was ever good enough to be tested"] = 1
    return points
