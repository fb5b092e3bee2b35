"""Destructive operations that a change adds, by category, for a person to decide on.

They are not errors: the task may ask for them. Only code counts, not comments or documents.


"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from runner.checks import destructive_code, destructive_commands
from runner.checks import destructive_code as destructive_python
from runner.checks.blanks import added_lines
from runner.checks.destructive_code import Found
from runner.checks.destructive_commands import Category, judge_text
from runner.checks.languages import grammar_for
from runner.state.changes import ChangeSet
from runner.text.sanitize import numbered

_MOST, _LARGEST = 20, 1 << 20
# no file without one of these words is looked at closely
_TRIGGER = re.compile(
    rb"\brm|rmtree|removedirs|rimraf|rm_r|rmdir|\br[bd]\b|\bdel\b|remove|delete|drop|truncate|update"
    rb"|shred|wipefs|mkfs|\bdd\b|flush|git|destroy|uninstall|drain|purge|prune|terminate|kill"
    rb"|shutdown|reboot|halt|poweroff|systemctl|reset|/dev/|\(\)\s*\{|empty|clean",
    re.IGNORECASE,
)
_TESTS = re.compile(
    r"(?:^|/)(?:tests?|spec)/|(?:^|/)(?:test_|conftest\.)|_test\.|\.(?:test|spec)\."
)
_SHEBANG = re.compile(rb"#!.*\b(?:ba|z|da|k)?sh\b")
_LINES = re.compile(r"(?:^|/)(?:[\w.-]*Makefile|[\w.-]*Dockerfile|Justfile|Jenkinsfile|Procfile)$"
                    r"|\.(?:ya?ml|mk|bat|cmd|ps1|dockerfile)$", re.IGNORECASE)  # fmt: skip
_IMAGE = re.compile(r"Dockerfile$|\.dockerfile$", re.IGNORECASE)
_BEFORE_COMMAND = re.compile(
    r"\s*(?:-\s+)?(?:[\"']?[\w-]+[\"']?:\s+)?(?:(?:RUN|CMD|ENTRYPOINT|sh(?!\s+-))\s+)?[@\s\"'|>\[-]*"
)


@dataclass(frozen=True, slots=True)
class Destructive:
    """One destructive operation; ``line`` counts from 1, ``excerpt`` shows the lines around it.

    ``pattern`` is what people call it: ``rm -rf``, ``DROP TABLE``, ``git push --force``.
    """

    path: str
    line: int
    category: Category
    pattern: str
    excerpt: str


def destructive(changes: ChangeSet, read: Callable[[str], bytes | None]) -> tuple[Destructive, ...]:
    """Return the destructive operations in the lines a change adds (twenty at most).

    ``read`` returns a file's content in the base. What the base does already is not reported.
    """
    found: list[Destructive] = []
    for path, write in changes.files.items():
        if write and len(write.content) <= _LARGEST and len(found) < _MOST:
            found += _in_file(path, write.content, read(path) or b"")
    return tuple(found[:_MOST])


def log_line(found: Iterable[Destructive]) -> str:
    """Return the line for the log: ``Destructive operations detected: rm -rf (filesystem)``."""
    names = dict.fromkeys(f"{one.pattern} ({one.category})" for one in found)
    return f"Destructive operations detected: {', '.join(names)}"


def _in_file(path: str, content: bytes, old: bytes) -> Iterator[Destructive]:
    if not _TRIGGER.search(content):
        return
    text = content.decode("utf-8", "replace")
    new = added_lines(text, old.decode("utf-8", "replace"))
    seen: set[tuple[int, str]] = set()
    for first, last, category, pattern in _found(path, content, text):
        line = next((n for n in range(first, last + 1) if n in new), 0)
        if line and (line, pattern) not in seen:
            seen.add((line, pattern))
            yield Destructive(path, line, category, pattern, numbered(text, line))
        if len(seen) >= _MOST:
            return


def _found(path: str, content: bytes, text: str) -> Iterator[Found]:
    if path.endswith((".py", ".pyw")):
        is_test = _TESTS.search(path) is not None
        return destructive_python.found_in(content, is_test=is_test)
    if path.endswith(".sql"):
        return _in_sql(text)
    if path.endswith((".sh", ".bash", ".zsh", ".ksh")) or _SHEBANG.match(content):
        return destructive_code.in_shell(content)
    if _LINES.search(path):
        return _in_lines(text, in_image=_IMAGE.search(path) is not None)
    if path.rpartition("/")[2] == "package.json":
        return _in_scripts(text)
    language = grammar_for(path)
    return destructive_code.in_code(content, language) if language else iter(())


def _in_sql(text: str) -> Iterator[Found]:
    for at, pattern in destructive_commands.placed(text):
        line = text.count("\n", 0, at) + 1
        yield line, line, "database", pattern


def _in_lines(text: str, *, in_image: bool) -> Iterator[Found]:
    """Look at files with a command a line; what an image's build removes is only in the image."""
    for number, line in enumerate(text.split("\n"), 1):
        start = _BEFORE_COMMAND.match(line)
        command = line[start.end() :] if start else line
        if not command.startswith("#"):
            for category, pattern in judge_text(command.replace('", "', " ").rstrip('"]')):
                if not (in_image and category == "filesystem"):
                    yield number, number, category, pattern


def _in_scripts(text: str) -> Iterator[Found]:
    try:
        scripts = json.loads(text).get("scripts", {})
    except (ValueError, AttributeError, RecursionError):
        return
    for name, command in scripts.items() if isinstance(scripts, dict) else ():
        line = text.count("\n", 0, max(text.find(json.dumps(name) + ":"), 0)) + 1
        for category, pattern in judge_text(str(command)):
            yield line, line, category, pattern
