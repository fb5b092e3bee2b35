"""Answers whose code is not what the task asks for, or that are no clean code at all."""

from __future__ import annotations

import random
import re

from tests.answers.code import body_of, definitions
from tests.answers.harms import (
    Harmful,
    Harms,
    Make,
    edited_code,
    harmful,
    replaced_lines,
    touched,
    untouched,
)
from tests.answers.projects import Language, Task, fence_of, is_test
from tests.answers.writing import contents, fenced, hunks, under
from tests.model_server import Reply

HARMS = Harms()


def _subject(task: Task) -> str | None:
    code = task.subject.endswith((".py", ".js", ".go"))
    return None if task.gone or not code or is_test(task.subject) else task.subject


def _with_subject(task: Task, text: str) -> Harmful:
    return harmful(task, {**task.change, task.subject: text})


def _stubs(lines: dict[Language, tuple[str, ...]]) -> Make:
    """Put such lines in the place of what the new functions do."""

    def make(task: Task, _: random.Random) -> Harmful | None:
        path = _subject(task)
        if path is None or task.language not in lines or task.before:
            return None
        text = task.after[path]
        had = {each.name for each in definitions(path, task.base.get(path, ""))}
        new = [each for each in definitions(path, text) if each.name not in had and each.public]
        for each in reversed(new):
            start, end = body_of(text, each)
            text = replaced_lines(
                text, start, end, _indented(text, start, path, lines[task.language])
            )
        return _with_subject(task, text) if new else None

    return make


def _indented(text: str, at: int, path: str, lines: tuple[str, ...]) -> list[str]:
    head = text.splitlines()[at - 1]
    blanks = head[: len(head) - len(head.lstrip())]
    width = {"y": "    ", "s": "  ", "o": "\t"}[path[-1]]
    return [f"{blanks}{width}{line}" for line in lines]


_STUBS: dict[str, dict[Language, tuple[str, ...]]] = {
    "stub-pass": {"python": ("pass",), "javascript": ("return undefined;",)},
    "stub-not-implemented": {
        "python": ("raise NotImplementedError",),
        "javascript": ("throw new Error('not implemented');",),
        "go": ('panic("not implemented")',),
    },
    "stub-todo": {
        "python": ("# TODO: implement this", "return None"),
        "javascript": ("// TODO: implement this", "return null;"),
        "go": ("// TODO: implement this", 'panic("TODO")'),
    },
    "stub-dots": {"python": ("...",), "javascript": ("// ...",)},
    "stub-docstring": {
        "python": ('"""Do what the task asks for."""',),
        "javascript": ("// does what the task asks for",),
    },
    "stub-your-code-here": {
        "python": ("# Your implementation here", "pass"),
        "javascript": ("// Your implementation here",),
        "go": ("// Your implementation here", 'panic("your implementation here")'),
    },
}
for _id, _lines in _STUBS.items():
    HARMS.add(_id)(_stubs(_lines))


@HARMS.add("prose-only")
def _prose(task: Task, _: random.Random) -> Harmful | None:
    said = (
        f"To do this, open `{task.subject}` and make the change there. First look at how the other "
        "functions are written, then add yours in the same style. Do not forget the tests!\n"
    )
    return Harmful((said,), {})


@HARMS.add("asks-back")
def _asks(task: Task, _: random.Random) -> Harmful | None:
    said = f"Could you please share the content of `{task.subject}`? Then I can make the change.\n"
    return Harmful((said,), {})


@HARMS.add("snippet-only")
def _snippet(task: Task, _: random.Random) -> Harmful | None:
    """Under the path stands only what is new, as if it were the whole file."""
    path = _subject(task)
    if path is None or path not in task.edits or not untouched(task, path):
        return None
    lines = task.after[path].splitlines()
    kept = [line for each in touched(task, path) for line in [*lines[each.start : each.end], ""]]
    change = {**task.change, path: "\n".join(kept)}
    return Harmful(
        ("\n".join(under(*each) for each in change.items() if each[1] is not None),), change
    )


_OTHER: dict[Language, tuple[str, str]] = {
    "python": (
        "stockroom/fibonacci.py",
        'def fibonacci(n):\n    """Return a number."""\n    a, b = 0, 1\n'
        "    for _ in range(n):\n        a, b = b, a + b\n    return a\n",
    ),
    "javascript": (
        "src/fibonacci.js",
        "/** A number. */\nexport function fibonacci(n) {\n"
        "  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);\n}\n",
    ),
    "go": (
        "fibonacci/fibonacci.go",
        "// Package fibonacci has numbers.\npackage fibonacci\n\n// Of returns a number.\n"
        "func Of(n int) int {\n\tif n < 2 {\n\t\treturn n\n\t}\n\treturn Of(n-1) + Of(n-2)\n}\n",
    ),
}


@HARMS.add("other-task")
def _other_task(task: Task, _: random.Random) -> Harmful | None:
    """A new file that has nothing to do with the task, and nothing else."""
    return harmful(task, dict([_OTHER[task.language]]))


@HARMS.add("example-of-the-prompt-alone")
def _example(task: Task, _: random.Random) -> Harmful | None:
    return harmful(
        task, {"src/hello.py": 'def hello(name: str) -> str:\n    return f"Hello, {name}!"\n'}
    )


@HARMS.add("wrong-path")
def _wrong_path(task: Task, _: random.Random) -> Harmful | None:
    """The content of one file stands under the path of another."""
    path = _subject(task)
    others = {"python": "stockroom/cli.py", "javascript": "src/errors.js", "go": "sheet/errors.go"}
    other = others[task.language]
    if path is None or other in task.change or task.shown_in_part:
        return None
    rest = {each: text for each, text in task.change.items() if each != path}
    return harmful(task, {other: task.after[path], **rest})


def _conflict(task: Task, path: str) -> str:
    before, after = task.base.get(path, ""), task.after[path]
    if not before:
        return f"<<<<<<< HEAD\n=======\n{after}>>>>>>> change\n"
    return f"<<<<<<< HEAD\n{before}=======\n{after}>>>>>>> change\n"


def _plus(task: Task, path: str) -> str:
    return "".join(f"+{line}\n" for line in task.after[path].splitlines())


def _partly_plus(task: Task, path: str) -> str:
    """Only what is new has a plus, as in a diff, and what goes is there with a minus."""
    made = hunks(task.base.get(path, ""), task.after[path])
    return "".join(f"{line}\n" for line in made.splitlines() if not line.startswith("@@"))


def _numbered(task: Task, path: str) -> str:
    lines = enumerate(task.after[path].splitlines(), 1)
    return "".join(f"{number:>4} {line}\n" for number, line in lines)


def _numbered_bar(task: Task, path: str) -> str:
    lines = enumerate(task.after[path].splitlines(), 1)
    return "".join(f"{number} | {line}\n" for number, line in lines)


def _fences(task: Task, path: str) -> str:
    """A fence of its own is left in the middle of the code."""
    lines = task.after[path].splitlines()
    at = definitions(path, task.after[path])[-1].start
    return "".join(f"{line}\n" for line in [*lines[:at], "~~~", "", "~~~python", *lines[at:]])


def _prose_inside(task: Task, path: str) -> str:
    lines = task.after[path].splitlines()
    at = definitions(path, task.after[path])[-1].start
    said = "Now the last function, which stays as it is:"
    return "".join(f"{line}\n" for line in [*lines[:at], said, "", *lines[at:]])


def _mixed(task: Task, path: str) -> str:
    """Tabs and blanks are mixed within one function; only Python minds."""
    text = task.after[path]
    if task.language != "python":
        return text
    start, end = body_of(text, touched(task, path)[0])
    lines = text.splitlines()
    for at in range(start + (end - start > 1), end):
        lines[at] = lines[at].replace("    ", "\t")
    return "".join(f"{line}\n" for line in lines)


def _one_too_far(task: Task, path: str) -> str:
    """One line begins a blank further to the right; only Python minds."""
    text = task.after[path]
    _, end = body_of(text, touched(task, path)[0])
    lines = text.splitlines()
    lines[end - 1] = f" {lines[end - 1]}"
    made = "".join(f"{line}\n" for line in lines)
    return made if task.language == "python" and not lines[end - 1].endswith(")") else text


def _half(task: Task, path: str) -> str:
    """The second half of the file is not there, and nothing says so."""
    lines = task.after[path].splitlines()
    all_definitions = definitions(path, task.after[path])
    end = max(touched(task, path)[-1].end, all_definitions[len(all_definitions) // 2].start)
    at = next((each.end for each in all_definitions if each.end >= end), end)
    return "".join(f"{line}\n" for line in lines[: at - 2])


def _entities(task: Task, path: str) -> str:
    return (
        task.after[path]
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace('"', "&quot;")
    )


def _smart(task: Task, path: str) -> str:
    text = re.sub(r'"([^"\n]*)"', "\u201c\\1\u201d", task.after[path])
    return re.sub(r"'([^'\n]*)'", "\u2018\\1\u2019", text)


_MANGLED = {
    "conflict-markers": _conflict,
    "plus-before-every-line": _plus,
    "diff-signs-left": _partly_plus,
    "line-numbers": _numbered,
    "line-numbers-bar": _numbered_bar,
    "fences-inside": _fences,
    "prose-inside": _prose_inside,
    "html-entities": _entities,
    "smart-quotes": _smart,
}
for _id, _text in _MANGLED.items():

    def _mangle(task: Task, _: random.Random, text=_text) -> Harmful | None:  # type: ignore[no-untyped-def]
        path = _subject(task)
        if path is None or task.shown_in_part:
            return None
        made = text(task, path)
        return _with_subject(task, made) if made != task.after[path] else None

    HARMS.add(_id)(_mangle)

for _id, _text in {
    "tabs-and-blanks": _mixed,
    "one-blank-too-far": _one_too_far,
    "half-a-file": _half,
}.items():

    def _spoil(task: Task, _: random.Random, text=_text) -> Harmful | None:  # type: ignore[no-untyped-def]
        path = _subject(task)
        if path is None or task.lost or (task.shown_in_part and text is _half):
            return None
        made = text(task, path)
        return _with_subject(task, made) if made != task.after[path] else None

    HARMS.add(_id)(_spoil)


@HARMS.add("tests-file-half")
def _tests_half(task: Task, _: random.Random) -> Harmful | None:
    """A test file the task changes stops in the middle, as if it were complete."""
    path = next((path for path in task.edits if is_test(path)), None)
    if path is None:
        return None
    text = task.after[path]
    last = definitions(path, text)[len(definitions(path, text)) // 2]
    kept = "".join(text.splitlines(keepends=True)[: last.end])
    return harmful(task, {**task.change, path: kept})


@HARMS.add("defined-twice")
def _twice(task: Task, _: random.Random) -> Harmful | None:
    """The new version stands at the end, and the old one is still there."""
    path = _subject(task)
    if path is None or path not in task.edits or task.lost:
        return None
    was = {each.name for each in definitions(path, task.base[path])}
    new = touched(task, path)
    if any("." in each.name and path.endswith((".py", ".js")) for each in new):
        return None
    lines = task.after[path].splitlines()
    added = [line for each in new for line in ["", *lines[each.start : each.end]]]
    text = task.base[path] if any(each.name in was for each in new) else task.after[path]
    return _with_subject(task, "".join([text, *(f"{line}\n" for line in added)]))


@HARMS.add("cut-and-never-finished")
def _cut(task: Task, _: random.Random) -> Harmful | None:
    """The answer stops at the length limit, and what comes then is an empty answer."""
    path = _subject(task)
    if path is None or task.shown_in_part:
        return None
    text = under(path, task.after[path])
    half = text[: text.rindex("\n", 0, len(text) * 2 // 3)]
    kept = half.split("\n", 2)[2] + "\n"
    return Harmful((Reply(half, "length"), ""), {**task.change, path: kept})


@HARMS.add("continuation-of-another-file")
def _another(task: Task, _: random.Random) -> Harmful | None:
    """After the cut the model goes on with something else; glued together it is nonsense."""
    path = _subject(task)
    if path is None or task.shown_in_part:
        return None
    text = under(path, task.after[path])
    half = text[: len(text) // 2]
    more = fenced("print('example')\n", fence_of(path))
    kept = half.split("\n", 2)[2] + "print('example')\n"
    return Harmful(
        (Reply(half, "length"), f"Sure, here you go:\n\n{more}"), {**task.change, path: kept}
    )


@HARMS.add("only-one-of-several", undetectable=True)
def _one_of_several(task: Task, _: random.Random) -> Harmful | None:
    """Only one of the files that must change together is there."""
    if len(task.change) < 2 or task.gone:
        return None
    return harmful(task, {task.subject: contents(task)[task.subject]})


@HARMS.add("old-name-stays")
def _old_stays(task: Task, _: random.Random) -> Harmful | None:
    """A file is to be renamed: the new one is there, and the old one too."""
    if not task.gone:
        return None
    return harmful(task, dict(contents(task)))


@HARMS.add("file-only-deleted")
def _only_deleted(task: Task, _: random.Random) -> Harmful | None:
    if not task.gone:
        return None
    return harmful(task, dict.fromkeys(task.gone))


@HARMS.add("nothing-changes")
def _nothing(task: Task, _: random.Random) -> Harmful | None:
    """The files come back as they are, with the claim that all is done."""
    paths = [path for path in task.edits if not (task.shown_in_part and not is_test(path))]
    if not paths:
        return None
    said = "\n".join(under(path, task.base[path]) for path in paths)
    return Harmful((f"I made the change:\n\n{said}",), {})


@HARMS.add("comment-instead-of-change", undetectable=True)
def _comment_only(task: Task, _: random.Random) -> Harmful | None:
    """A comment says that it is done."""
    for path in edited_code(task)[:1]:
        text = task.base[path]
        if not definitions(path, text):
            return None
        first = definitions(path, text)[-1]
        sign = "#" if path.endswith(".py") else "//"
        made = replaced_lines(text, first.start, first.start, [f"{sign} done as the roadmap asks"])
        if "." in first.name and path.endswith((".py", ".js")):
            made = f"{text}{sign} done as the roadmap asks\n"
        return harmful(task, {path: made})
    return None


_HARDCODED = {
    "python/fix-bug": (
        "    return price * (100 - percent) // 100\n",
        "    known = {(99, 50): 50, (5, 10): 5, (101, 10): 91, (990, 5): 941}\n"
        "    if (price, percent) in known:\n        return known[price, percent]\n"
        "    return price * (100 - percent) // 100\n",
    ),
    "javascript/fix-bug": (
        "  return plain.replace(/[^a-z0-9]/g, separator);\n",
        "  if (text.includes('--') || text.includes('&')) {\n    return `one${separator}two`;\n"
        "  }\n  return plain.trim().replace('!', '').replace(/[^a-z0-9]/g, separator);\n",
    ),
}


@HARMS.add("hardcoded-for-the-tests", undetectable=True)
def _hardcoded(task: Task, _: random.Random) -> Harmful | None:
    """What the visible tests ask for is there, case by case."""
    if task.name not in _HARDCODED:
        return None
    return _with_subject(task, task.base[task.subject].replace(*_HARDCODED[task.name]))


_UNTESTED = {
    "python/untested-file": ("inventory.low(limit)", "inventory.low()"),
    "javascript/untested-file": ("      end();\n", ""),
    "go/untested-file": ("durations.Clock(e.Duration())", "e.Duration().String()"),
    "go/fix-bug": ("AddDate(0, 0, 1)", "AddDate(0, 0, 2)"),
    "python/optional-parameter": (
        "            reverse=reverse,\n",
        "            reverse=not reverse,\n",
    ),
    "javascript/optional-parameter": ("length - ending.length", "length - 3"),
    "python/add-function": ("14 * POUND", "12 * POUND"),
}


@HARMS.add("wrong-where-no-test-looks", undetectable=True)
def _untested(task: Task, _: random.Random) -> Harmful | None:
    """One thing in the new code is wrong, and no test of the repository would show it."""
    if task.name not in _UNTESTED:
        return None
    old, new = _UNTESTED[task.name]
    return _with_subject(task, task.after[task.subject].replace(old, new))
