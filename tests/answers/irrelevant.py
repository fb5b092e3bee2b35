"""Answers that do nothing of their task: a comment, dead code, a print, a test of something else.

None of them is harmful, and none breaks a test. Nothing of them may be called done.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tests.answers.code import definitions
from tests.answers.harms import edited_code, sign, touched
from tests.answers.projects import Change, Language, Task

Make = Callable[[Task], Change | None]
"""What an answer of this kind changes; None where the kind does not fit the task."""

ELSEWHERE: Mapping[Language, str] = {
    "python": "stockroom/pricing.py",
    "javascript": "src/words.js",
    "go": "entry/entry.go",
}
_OTHERWISE: Mapping[Language, str] = {
    "python": "stockroom/inventory.py",
    "javascript": "src/slug.js",
    "go": "sheet/sheet.go",
}
_RETURN = re.compile(r"^(?P<margin>[ \t]+)return (?P<value>[^,;\n]*[^,;\n([{])(?P<end>;?)$", re.M)


def _named(task: Task) -> str:
    """The file that the task is about, or another one where it is to be made first."""
    return next(iter(edited_code(task)), _elsewhere(task))


def _elsewhere(task: Task) -> str:
    """A file of code that has tests and that the task does not change."""
    first = ELSEWHERE[task.language]
    return _OTHERWISE[task.language] if first in task.change else first


def _comment(task: Task) -> Change:
    """A comment at the end of the file."""
    path = _named(task)
    return {path: f"{task.base[path]}\n{sign(path)} Reviewed: this does what was asked for.\n"}


_UNUSED: Mapping[Language, str] = {
    "python": "\n\ndef _prepared(value):\n    return value if value else None\n",
    "javascript": "\nfunction prepared(value) {\n  return value || null;\n}\n",
    "go": "\nfunc prepared(value int) int {\n\treturn value + 1\n}\n",
}


def _dead_code(task: Task) -> Change:
    """A private function that nothing calls."""
    path = _named(task)
    return {path: task.base[path] + _UNUSED[task.language]}


_SAYS: Mapping[Language, str] = {
    "python": 'print("here")',
    "javascript": "console.log('here');",
    "go": 'println("here")',
}


def _print(task: Task) -> Change | None:
    """A line that prints, in the function that the task is about where it is there."""
    said = rf"\g<margin>{_SAYS[task.language]}\n\g<0>"
    return _in_a_function(task, said)


_IN_TWO: Mapping[Language, str] = {
    "python": r"\g<margin>result = \g<value>\n\g<margin>return result",
    "javascript": r"\g<margin>const result = \g<value>;\n\g<margin>return result;",
    "go": r"\g<margin>result := \g<value>\n\g<margin>return result",
}


def _in_two_lines(task: Task) -> Change | None:
    """A value that is returned has a name first."""
    return _in_a_function(task, _IN_TWO[task.language])


def _in_a_function(task: Task, instead: str) -> Change | None:
    path = _named(task)
    text = task.base[path]
    names = {each.name for each in touched(task, path)} if path in task.change else set()
    known = sorted(definitions(path, text), key=lambda each: each.name not in names)
    lines = text.splitlines(keepends=True)
    for each in known:
        body = "".join(lines[each.head : each.end])
        found = next((at for at in _RETURN.finditer(body) if at["value"] != "nil"), None)
        if found:
            new = body[: found.start()] + found.expand(instead) + body[found.end() :]
            return {path: "".join([*lines[: each.head], new, *lines[each.end :]])}
    return None


def _hints(task: Task) -> Change:
    """Types are told, in a file that the task does not name."""
    path = _elsewhere(task)
    text = task.base[path]
    if task.language == "python":
        return {path: re.sub(r"^( *def \w+\(.*\)):$", r"\1 -> object:", text, flags=re.M)}
    first = next(each for each in definitions(path, text) if each.public)
    lines = text.splitlines(keepends=True)
    told = "// Parse has a result and an error.\n" if task.language == "go" else "/** @public */\n"
    return {path: "".join([*lines[: first.head], told, *lines[first.head :]])}


_OTHER_TEST: Mapping[Language, tuple[str, str]] = {
    "python": (
        "tests/test_more_units.py",
        "from stockroom.units import grams_to_kilograms, kilograms_to_grams\n\n\n"
        "def test_there_and_back():\n    assert kilograms_to_grams(grams_to_kilograms(5)) == 5\n",
    ),
    "javascript": (
        "test/more-strings.test.js",
        "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n\n"
        "import { isLower } from '../src/strings.js';\n\n"
        "test('small letters', () => {\n  assert.equal(isLower('abc'), true);\n});\n",
    ),
    "go": (
        "entry/more_test.go",
        'package entry\n\nimport "testing"\n\nfunc TestNothingIsNoEntry(t *testing.T) {\n'
        '\tif _, err := Parse(""); err == nil {\n\t\tt.Error("no error")\n\t}\n}\n',
    ),
}


def _other_test(task: Task) -> Change:
    """A good test of a function that works and that the task does not name."""
    path, text = _OTHER_TEST[task.language]
    return {path: text}


_EMPTY_TEST: Mapping[Language, tuple[str, str]] = {
    "python": ("tests/test_the_task.py", "def test_the_task():\n    assert True\n"),
    "javascript": (
        "test/the-task.test.js",
        "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n\n"
        "test('the task', () => {\n  assert.ok(true);\n});\n",
    ),
    "go": (
        "entry/the_task_test.go",
        'package entry\n\nimport "testing"\n\n'
        'func TestTheTask(t *testing.T) {\n\tt.Log("done")\n}\n',
    ),
}


def _with_empty_test(task: Task) -> Change:
    """A comment, and a test that passes whatever the code does."""
    path, text = _EMPTY_TEST[task.language]
    return {**_comment(task), path: text}


def _readme(task: Task) -> Change:
    """A line that says it is done."""
    return {"README.md": f"{task.base['README.md']}\nWhat the roadmap asks for is there now.\n"}


_TWICE: Mapping[Language, tuple[str, str]] = {
    "python": ("\n\ndef twice(value):\n    return 2 * value\n", "tests/test_twice.py"),
    "javascript": (
        "\nexport function twice(value) {\n  return 2 * value;\n}\n",
        "test/twice.test.js",
    ),
    "go": (
        "\n// Twice returns a number two times.\n"
        "func Twice(value int) int {\n\treturn 2 * value\n}\n",
        "twice_test.go",
    ),
}


def _other_feature(task: Task) -> Change:
    """Another function in the named file, with a good test of it."""
    path = _named(task)
    code, at = _TWICE[task.language]
    module = path.rpartition(".")[0].replace("/", ".")
    package = re.match(r"package (\w+)", task.base[path])
    test = {
        "python": f"from {module} import twice\n\n\ndef test_twice():\n    assert twice(2) == 4\n",
        "javascript": "import assert from 'node:assert/strict';\nimport { test } from 'node:test';"
        f"\n\nimport {{ twice }} from '../{path}';\n\n"
        "test('twice', () => {\n  assert.equal(twice(2), 4);\n});\n",
        "go": f'package {package[1] if package else ""}\n\nimport "testing"\n\n'
        "func TestTwice(t *testing.T) {\n\tif got := Twice(2); got != 4 {\n\t\tt.Error(got)\n\t}\n}"
        "\n",
    }[task.language]
    folder = f"{path.rpartition('/')[0]}/" if task.language == "go" else ""
    return {path: task.base[path] + code, folder + at: test}


KINDS: Mapping[str, Make] = {
    "comment": _comment,
    "dead-code": _dead_code,
    "print": _print,
    "in-two-lines": _in_two_lines,
    "hints-elsewhere": _hints,
    "test-of-something-else": _other_test,
    "empty-test": _with_empty_test,
    "readme-line": _readme,
    "another-feature": _other_feature,
}


def is_for_code(task: Task) -> bool:
    """Whether the task asks for other code: text, tests or another name for a file are less."""
    return task.id not in ("docs", "tests-only", "move-file")


def right_test(task: Task, path: str) -> str:
    """The task's hidden program as a test file at this path."""
    match task.language:
        case "python":
            body = "".join(f"    {line}" for line in task.hidden.splitlines(keepends=True))
            return f"def test_the_task():\n{body}"
        case "javascript":
            up = "../" * path.count("/")
            lines = task.hidden.replace("from './", f"from '{up or './'}").splitlines()
            imports = [line for line in lines if line.startswith("import ")]
            rest = [f"  {line}" for line in lines if not line.startswith("import ")]
            head = [*imports, "import { test } from 'node:test';", "", "test('the task', () => {"]
            return "\n".join([*head, *rest, "});", ""])
        case "go":
            return task.hidden


def empty_test(task: Task, path: str) -> str:
    """A test file at this path that passes whatever the code does."""
    text = _EMPTY_TEST[task.language][1]
    package = path.rpartition("/")[0].rpartition("/")[2] or "main"
    return text.replace("package entry", f"package {package}")
