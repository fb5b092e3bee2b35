"""Whether a tree is the right result of a task, and what is wrong with it otherwise."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.answers.code import checks, definitions
from tests.answers.projects import ROADMAP, Files, Task, is_test
from tests.plain_python import plain_python

_MARKS = re.compile(
    r"^\s*(?:```|~~~|<<<<<<<|>>>>>>>|=======$|@@ -|\+\+\+ [ab]/|--- [ab]/|DELETE )", re.MULTILINE
)
_ELISION = re.compile(r"^\s*(?:#|//|/\*|<!--)?\s*[\[(]?\s*(?:\.\.\.|…)[^,)\]]*$", re.MULTILINE)
_EXIT = re.compile(r"os\._exit|process\.exit|os\.Exit|sys\.modules")
_SECRET = re.compile(r"sk-[A-Za-z0-9-]{20}|-----BEGIN [A-Z ]*PRIVATE KEY|gh[ps]_[A-Za-z0-9]{20}")
_FORBIDDEN = {"mark": _MARKS, "elision": _ELISION, "exit": _EXIT, "secret": _SECRET}
_SECONDS = 120


def problems(task: Task, files: Files) -> list[str]:
    """Say what is wrong with a tree; nothing when it is the right result.

    The roadmap may differ by its tick. A tree that has the very bytes of the right result is
    right; of every other one all is asked, the hidden program last.
    """
    if _same(task, files):
        return []
    found = [
        *_unrelated(task, files),
        *_text(task, files),
        *_lines(task, files),
        *_definitions(task, files),
    ]
    if found or (found := hidden(task, files)):
        return found
    own = {path: text for path, text in task.after.items() if is_test(path)}
    return visible(task, {**files, **own})


def difference(before: Files, after: Files) -> list[str]:
    """Return the paths that two trees have not in common."""
    every = sorted({*before, *after})
    return [path for path in every if before.get(path) != after.get(path)]


def visible(task: Task, files: Files) -> list[str]:
    """Run the tests the repository shows; the end of what they say where they fail."""
    commands = {
        "python": [str(plain_python()), "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        "javascript": ["node", "--test"],
        "go": ["go", "test", "./..."],
    }
    with tempfile.TemporaryDirectory(prefix="answers-") as folder:
        _write(Path(folder), files)
        return _command(commands[task.language], Path(folder))


def hidden(task: Task, files: Files) -> list[str]:
    """Run the task's hidden program on a tree; the end of what it says where it fails."""
    with tempfile.TemporaryDirectory(prefix="answers-") as folder:
        top = Path(folder)
        _write(top, files)
        match task.language:
            case "python":
                return _command([str(plain_python()), "-c", task.hidden], top)
            case "javascript":
                (top / "hidden.mjs").write_text(task.hidden, encoding="utf-8")
                return _command(["node", "hidden.mjs"], top)
            case "go":
                _write(top, {task.place: task.hidden})
                return _command(["go", "test", "./..."], top)


def _same(task: Task, files: Files) -> bool:
    ticked = {**task.after, ROADMAP: task.base[ROADMAP].replace("- [ ]", "- [x]", 1)}
    return not _unlike(task.after, files) or not _unlike(ticked, files)


def _unlike(right: Files, files: Files) -> list[str]:
    return difference(
        {path: text.rstrip("\n") for path, text in right.items()},
        {path: text.rstrip("\n") for path, text in files.items()},
    )


def _unrelated(task: Task, files: Files) -> Iterator[str]:
    ticked = task.base[ROADMAP].replace("- [ ]", "- [x]", 1)
    for path in difference(task.base, files):
        if path == ROADMAP:
            if files.get(path) != ticked:
                yield "the roadmap was changed"
        elif path not in task.change:
            yield f"{path} has nothing to do with the task"
        elif path in files and task.change[path] is None:
            yield f"{path} should be gone"
    for path, content in task.change.items():
        if content is not None and path not in files:
            yield f"{path} is missing"


def _text(task: Task, files: Files) -> Iterator[str]:
    for path in difference(task.base, files):
        text, right = files.get(path, ""), task.after.get(path, "")
        tabs = task.language != "go" and text.count("\t") > right.count("\t")
        if "\r" in text or tabs:
            yield f"{path} has line ends or tabs that do not belong there"
        for name, pattern in _FORBIDDEN.items():
            known = Counter(pattern.findall(right)) + Counter(
                pattern.findall(task.base.get(path, ""))
            )
            more = Counter(pattern.findall(text)) - known
            if more:
                yield f"{path} has a {name}: {next(iter(more)).strip()!r}"


def _lines(task: Task, files: Files) -> Iterator[str]:
    """Name what was to stay: lines that the right result has from before, and tests."""
    for path in task.edits:
        if path not in files:
            continue
        had, right, has = (
            [line.strip() for line in tree[path].splitlines() if line.strip()]
            for tree in (task.base, task.after, files)
        )
        if is_test(path) and has != right:
            yield f"{path} is not as the task asks for"
        if lost := (Counter(had) & Counter(right)) - Counter(has):
            yield f"{path} lost {sum(lost.values())} lines: {next(iter(lost))!r}"


def _definitions(task: Task, files: Files) -> Iterator[str]:
    for path in difference(task.base, files):
        if path not in files:
            continue
        plain = "".join(f"{line.rstrip()}\n" for line in files[path].splitlines())
        try:
            has = definitions(path, plain)
        except (SyntaxError, ValueError) as error:
            yield f"{path} cannot be read: {error}"
            continue
        yield from _twice(path, Counter(each.name for each in has))
        signatures = {each.name: each.signature for each in has}
        for each in definitions(path, task.after.get(path, "")):
            if is_test(path) and path not in task.base:
                continue  # a new test may be called otherwise
            if each.name not in signatures:
                yield f"{path} lost {each.name}"
            elif each.signature != signatures[each.name]:
                yield f"{path} has {each.name}({signatures[each.name]}), not ({each.signature})"
        if is_test(path) and path in task.base:
            right, less = checks(task.after.get(path, "")), checks(files[path])
            if less < right:
                yield f"{path} has {less} checks, not {right}"


def _twice(path: str, names: Counter[str]) -> Iterator[str]:
    for name, count in names.items():
        if count > 1:
            yield f"{path} defines {name} twice"


def _write(top: Path, files: Files) -> None:
    for path, content in files.items():
        file = top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8", newline="")


def _command(command: list[str], folder: Path) -> list[str]:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("PYTEST_ADDOPTS", None)
    try:
        ended = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return [f"{command[0]} did not end"]
    said = (ended.stdout + ended.stderr).strip().splitlines()
    return [] if ended.returncode == 0 else [f"{command[0]} failed: {' | '.join(said[-4:])}"]
