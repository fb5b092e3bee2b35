"""The tasks of the bench, read from ``tasks/*.yaml``.

A roadmap has ``files`` (there from the start), a ``language`` and ``tasks`` in order. A task has
its ``text``, what is done (``write`` a file, ``append`` to it, or ``edit`` it by pairs of old and
new), ``use`` (the head of its tests), ``seen`` (tests the repository shows) and ``kept`` (tests the
bench holds back; ``more`` is their own head). A test is ``EXPRESSION`` (of Python), ``A == B`` or
``EXPRESSION raises ERROR``. ``slip`` is a pair that makes of the right code one that only the
tests held back find wrong, ``caught`` are pairs for wrong code that the seen ones find.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

Files = dict[str, str]

_FOLDER = Path(__file__).with_name("tasks")
_QUOTE_MARKS = re.compile(r"^[> ]+", re.MULTILINE)
_RECOGNISED = 70


@dataclass(frozen=True, eq=False, kw_only=True)
class Task:
    """One task: ``base`` is the tree it starts from, ``right`` what ``path`` has to become."""

    roadmap: str
    number: int
    language: str
    text: str
    base: Files
    path: str
    right: str
    seen: tuple[str, str]
    kept: tuple[str, str]
    slip: str
    caught: tuple[str, ...]

    @property
    def name(self) -> str:
        """The task's name in the bench, such as ``textkit-2``."""
        return f"{self.roadmap}-{self.number}"

    @property
    def id(self) -> str:
        """The id it is written with in its roadmap."""
        return f"1.{self.number}"

    @property
    def before(self) -> str:
        """The file as it is when the task begins ('' for a new one)."""
        return self.base.get(self.path, "")

    @property
    def sign(self) -> str:
        """The words a question about this task is recognised by."""
        return plain(self.text)[:_RECOGNISED]


@dataclass(frozen=True)
class Roadmap:
    """A roadmap before anything is done: ``start`` is its tree with the visible tests of all."""

    name: str
    language: str
    start: Files
    tasks: tuple[Task, ...]


@cache
def roadmaps() -> tuple[Roadmap, ...]:
    """Return all roadmaps, in the order of their names."""
    return tuple(_roadmap(file) for file in sorted(_FOLDER.glob("*.yaml")))


def tasks(language: str = "") -> tuple[Task, ...]:
    """Return the tasks in a language, or all."""
    chosen = [r for r in roadmaps() if language in ("", r.language)]
    return tuple(task for roadmap in chosen for task in roadmap.tasks)


def plain(text: str) -> str:
    """Return a text without marks of quotation and with single blanks."""
    return " ".join(_QUOTE_MARKS.sub("", text).split())


def asked_about(prompt: str) -> Task | None:
    """Return the task a question is about: the one it names first."""
    text = plain(prompt)
    places = {task: text.find(task.sign) for task in tasks()}
    there = {task: place for task, place in places.items() if place >= 0}
    return min(there, key=lambda task: there[task]) if there else None


def _roadmap(file: Path) -> Roadmap:
    data = yaml.safe_load(file.read_text(encoding="utf-8"))
    language = data.get("language", "python")
    made = tuple(_tasks(file.stem, language, data))
    lines = [f"- [ ] {task.id} {task.text}\n" for task in made]
    shown = dict(task.seen for task in made)
    start = {**data["files"], **shown, "ROADMAP.md": "# Roadmap\n\n" + "".join(lines)}
    return Roadmap(file.stem, language, start, made)


def _tasks(name: str, language: str, data: dict[str, Any]) -> Iterator[Task]:
    """Each task starts from what the ones before it were to leave, with their visible tests."""
    tree: Files = dict(data["files"])
    texts = [task["text"] for task in data["tasks"]]
    for number, task in enumerate(data["tasks"], 1):
        seen, kept = _tests(name, number, language, task)
        tree = {**tree, seen[0]: seen[1], "ROADMAP.md": _written(texts, number - 1)}
        path, right = _done(tree, task)
        yield Task(
            roadmap=name,
            number=number,
            language=language,
            text=task["text"],
            base=tree,
            path=path,
            right=right,
            seen=seen,
            kept=kept,
            slip=changed(right, *task["slip"]),
            caught=tuple(changed(right, *pair) for pair in task.get("caught", [])),
        )
        tree = {**tree, path: right}


def _written(texts: list[str], done: int) -> str:
    marks = ["x" if number < done else " " for number in range(len(texts))]
    lines = [
        f"- [{mark}] 1.{n} {text}\n"
        for n, (mark, text) in enumerate(zip(marks, texts, strict=True), 1)
    ]
    return "# Roadmap\n\n" + "".join(lines)


def _done(tree: Files, task: dict[str, Any]) -> tuple[str, str]:
    """Return the one file a task is about, as it has to become."""
    for path, content in task.get("write", {}).items():
        return path, content
    for path, content in task.get("append", {}).items():
        gap = "\n" if path.endswith(".js") else "\n\n"
        return path, tree[path] + gap + content
    ((path, pairs),) = task["edit"].items()
    content = tree[path]
    for old, new in pairs:
        content = changed(content, old, new)
    return path, content


def changed(content: str, old: str, new: str) -> str:
    """Replace what stands there (the last time it does). Raises ``ValueError`` when it does not."""
    before, found, after = content.rpartition(old)
    if not found:
        raise ValueError(f"{old!r} does not stand in\n{content}")
    return before + new + after


def _tests(
    name: str, number: int, language: str, task: dict[str, Any]
) -> tuple[tuple[str, str], tuple[str, str]]:
    write, place = _FORMS[language]
    kept_head = task["use"] + "\n" + task.get("more", "")
    seen = place.format(f"{name}_{number}"), write(task["use"], task["seen"])
    return seen, (place.format(f"{name}_{number}_kept"), write(kept_head, task["kept"]))


def _python(head: str, tests: list[str]) -> str:
    lines = ["import pytest", head.strip()]
    for number, test in enumerate(tests, 1):
        expression, raises, error = test.rpartition(" raises ")
        lines += ["", "", f"def test_{number}():"]
        if raises:
            lines += [f"    with pytest.raises({error}):", f"        {expression}"]
        else:
            lines += [f"    assert {test}"]
    return "\n".join(lines) + "\n"


def _javascript(head: str, tests: list[str]) -> str:
    lines = ["import assert from 'node:assert';", "import test from 'node:test';", head.strip(), ""]
    for number, each in enumerate(tests, 1):
        expression, raises, error = each.rpartition(" raises ")
        check = f"assert.throws(() => {expression}, {error})"
        if not raises:
            found, _, wanted = each.rpartition(" == ")
            check = f"assert.deepStrictEqual({found}, {wanted})"
        lines += [f"test('test {number}', () => {{", f"  {check};", "});"]
    return "\n".join(lines) + "\n"


_FORMS = {
    "python": (_python, "tests/test_{}.py"),
    "javascript": (_javascript, "tests/{}.test.js"),
}
