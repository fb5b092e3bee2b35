"""Answers that do the task and lose, rename or change something else in the same file."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

from tests.answers.code import Definition, body_of, cut, definitions
from tests.answers.harms import (
    Harmful,
    Harms,
    Make,
    edited_code,
    harmful,
    replaced_lines,
    source,
    touched,
    untouched,
)
from tests.answers.projects import Task, is_test

HARMS = Harms()
_OTHER_NAMES = {"python": "{}_of", "javascript": "{}Of", "go": "{}Of"}
_COMMENTS = re.compile(r"^\s*(?:#|//|\*|/\*).*$", re.MULTILINE)
Pick = Callable[[Task, str, Definition], bool]


def _used(task: Task, path: str, name: str, *, inside: bool = True) -> bool:
    """Tell whether code of the right tree other than the definition itself has a name.

    Code of the same file counts when ``inside`` says so; comments, texts in quotation marks and
    documents never do.
    """
    word = _word(path, name)
    own = task.after[path].splitlines()
    for each in definitions(path, task.after[path]):
        if each.name == name:
            own[each.start : each.end] = []
            break
    suffix = Path(path).suffix
    others = (t for other, t in task.after.items() if other != path and other.endswith(suffix))
    within = ["\n".join(own)] if inside else []
    return any(word.search(_QUOTED.sub("", _COMMENTS.sub("", t))) for t in (*within, *others))


_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")


def _word(path: str, name: str) -> re.Pattern[str]:
    """Find a name; Go's ``errors.New`` is no use of a ``New`` of ours, nor ``text.repeat``."""
    last = re.escape(name.rpartition(".")[2].lstrip("#"))
    if path.endswith(".js") and "." not in name:
        return re.compile(rf"(?<![./\w]){last}\b(?!\.)")
    if not path.endswith(".go") or "." in name:
        return re.compile(rf"\b{last}\b")
    return re.compile(rf"(?<![.\w]){last}\b|\b{Path(path).parent.name}\.{last}\b")


def _pick(task: Task, draw: random.Random, wanted: Pick) -> tuple[str, Definition] | None:
    for path in edited_code(task)[:1]:
        fitting = [
            each
            for each in untouched(task, path)
            if each.public and "__" not in each.name and wanted(task, path, each)
        ]
        if fitting:
            return path, draw.choice(fitting)
    return None


def _exported(path: str, each: Definition) -> bool:
    last = each.name.rpartition(".")[2]
    return last[0].isupper() if path.endswith(".go") else True


def _lost(*, used: bool, method: bool) -> Make:
    def wanted(task: Task, path: str, each: Definition) -> bool:
        if ("." in each.name) != method or _used(task, path, each.name) != used:
            return False
        return _exported(path, each) and _is_exported_text(task, path, each)

    def make(task: Task, draw: random.Random) -> Harmful | None:
        if (found := _pick(task, draw, wanted)) is None:
            return None
        path, each = found
        text = cut(task.after[path], each)
        unused = () if used else (each.name.rpartition(".")[2],)
        return harmful(task, {**task.change, path: text}, unused=unused)

    return make


def _is_exported_text(task: Task, path: str, each: Definition) -> bool:
    if not path.endswith(".js") or "." in each.name:
        return True
    return task.after[path].splitlines()[each.head].startswith("export ")


HARMS.add("function-lost")(_lost(used=True, method=False))
HARMS.add("function-lost-unused")(_lost(used=False, method=False))
HARMS.add("method-lost")(_lost(used=True, method=True))
HARMS.add("method-lost-unused")(_lost(used=False, method=True))


def _renamed(*, method: bool) -> Make:
    def wanted(task: Task, path: str, each: Definition) -> bool:
        return (
            ("." in each.name) == method
            and _is_exported_text(task, path, each)
            and _exported(path, each)
        )

    def make(task: Task, draw: random.Random) -> Harmful | None:
        if (found := _pick(task, draw, wanted)) is None:
            return None
        path, each = found
        old = each.name.rpartition(".")[2]
        new = _OTHER_NAMES[task.language].format(old)
        text = re.sub(rf"\b{re.escape(old)}\b", new, task.after[path])
        unused = () if _used(task, path, each.name, inside=False) else (old,)
        return harmful(task, {**task.change, path: text}, unused=unused)

    return make


HARMS.add("function-renamed")(_renamed(method=False))
HARMS.add("method-renamed")(_renamed(method=True))


@HARMS.add("several-functions-lost")
def _several(task: Task, draw: random.Random) -> Harmful | None:
    """Half of what the file had is simply not there, and nothing says so."""
    for path in edited_code(task)[:1]:
        others = [each for each in untouched(task, path) if each.public and "__" not in each.name]
        if len(others) >= 4:
            return harmful(task, {**task.change, path: cut(task.after[path], *others[::2])})
    return None


_Change = Callable[[str], str | None]


def _signature(change: _Change) -> Make:
    """Change the parameters of a function that the task is not about."""

    def wanted(task: Task, path: str, each: Definition) -> bool:
        line = task.after[path].splitlines()[each.head]
        made = change(line)
        return _exported(path, each) and made is not None and made != line

    def make(task: Task, draw: random.Random) -> Harmful | None:
        if (found := _pick(task, draw, wanted)) is None:
            return None
        path, each = found
        line = task.after[path].splitlines()[each.head]
        made = change(line)
        assert made is not None
        text = replaced_lines(task.after[path], each.head, each.head + 1, [made])
        return harmful(task, {**task.change, path: text}, unused=_unused(task, path, each))

    return make


def _unused(task: Task, path: str, each: Definition) -> tuple[str, ...]:
    """Return the name of a function that nothing else uses: its parameters are nobody's."""
    name = each.name.rpartition(".")[2]
    return () if _used(task, path, each.name) else (name,)


_PARAMETERS = re.compile(
    r"^(\s*(?:export |async |def |function |func (?:\(\w+ \*?\w+\) )?)*\w+)\(([^()]*)\)(.*)$"
)


def _with(line: str, change: Callable[[list[str]], list[str] | None]) -> str | None:
    found = _PARAMETERS.match(line)
    if found is None or re.search(r"[\"'],[\"']", line):
        return None
    parts = [part.strip() for part in found[2].split(",") if part.strip()]
    made = change(parts)
    return None if made is None else f"{found[1]}({', '.join(made)}){found[3]}"


def _required(line: str) -> str | None:
    def change(parts: list[str]) -> list[str] | None:
        if any(part.startswith(("*", "...")) or "..." in part or "=" in part for part in parts):
            return None
        return [*parts, "verbose bool" if line.lstrip().startswith("func") else "verbose"]

    return _with(line, change)


def _default_lost(line: str) -> str | None:
    def change(parts: list[str]) -> list[str] | None:
        made = [part.partition("=")[0].strip() for part in parts]
        return made if made != parts else None

    return _with(line, change)


def _swapped(line: str) -> str | None:
    def change(parts: list[str]) -> list[str] | None:
        plain = [
            part
            for part in parts
            if part not in ("self", "*") and "=" not in part and "..." not in part
        ]
        if len(plain) < 2 or (line.lstrip().startswith("func") and " " not in plain[0]):
            return None
        first, second = plain[:2]
        table = {first: second, second: first}
        return [table.get(part, part) for part in parts]

    return _with(line, change)


def _parameter_gone(line: str) -> str | None:
    def change(parts: list[str]) -> list[str] | None:
        if len(parts) < 2 or "=" not in parts[-1]:
            return None
        return parts[:-1]

    return _with(line, change)


HARMS.add("parameter-more")(_signature(_required))
HARMS.add("default-lost")(_signature(_default_lost))
HARMS.add("parameters-swapped")(_signature(_swapped))


@HARMS.add("parameter-gone")
def _gone(task: Task, draw: random.Random) -> Harmful | None:
    """A parameter with a default is now a constant of the body."""

    def wanted(task: Task, path: str, each: Definition) -> bool:
        return _parameter_gone(task.after[path].splitlines()[each.head]) is not None

    if task.language == "go" or (found := _pick(task, draw, wanted)) is None:
        return None
    path, each = found
    line = task.after[path].splitlines()[each.head]
    match = _PARAMETERS.match(line)
    made = _parameter_gone(line)
    assert match is not None
    assert made is not None
    last = match[2].split(",")[-1].strip()
    name, _, value = (part.strip() for part in last.partition("="))
    blanks = line[: len(line) - len(line.lstrip())]
    inner = (
        f"{blanks}    {name} = {value}"
        if path.endswith(".py")
        else f"{blanks}  const {name} = {value};"
    )
    start, _ = body_of(task.after[path], each)
    text = replaced_lines(task.after[path], start, start, [inner])
    text = replaced_lines(text, each.head, each.head + 1, [made])
    unused = () if _calls_with(task, path, each, "[^)\\s]") else (each.name.rpartition(".")[2],)
    return harmful(task, {**task.change, path: text}, unused=unused)


def _calls_with(task: Task, path: str, each: Definition, arguments: str) -> bool:
    """Tell whether code outside a definition calls it with what a pattern says."""
    apart = r"(?<![.\w])" if path.endswith(".js") and "." not in each.name else r"\b"
    call = re.compile(rf"{apart}{each.name.rpartition('.')[2]}\({arguments}")
    others = {**task.after, path: cut(task.after[path], each)}
    return any(call.search(text) for text in others.values())


@HARMS.add("parameter-renamed")
def _parameter_renamed(task: Task, draw: random.Random) -> Harmful | None:
    """Python's callers may name parameters: another name is another signature."""

    def wanted(task: Task, path: str, each: Definition) -> bool:
        return len(_names(each)) > 0

    if task.language != "python" or (found := _pick(task, draw, wanted)) is None:
        return None
    path, each = found
    old = _names(each)[-1]
    lines = re.sub(rf"\b{old}\b", f"the_{old}", source(task.after[path], each)).splitlines()
    text = replaced_lines(task.after[path], each.start, each.end, lines)
    unused = (
        () if _calls_with(task, path, each, rf"[^)]*\b{old}=") else (each.name.rpartition(".")[2],)
    )
    return harmful(task, {**task.change, path: text}, unused=unused)


def _names(each: Definition) -> list[str]:
    parts = [part.partition("=")[0].strip(" *") for part in each.signature.split(",")]
    return [part for part in parts if part.isidentifier() and part != "self"]


@HARMS.add("task-signature-changed", undetectable=True)
def _own(task: Task, draw: random.Random) -> Harmful | None:
    """What the task asks for has another name than the task gives."""
    paths = [
        path for path in task.change if path.endswith((".py", ".js", ".go")) and not is_test(path)
    ]
    for path in paths[:1]:
        if task.change[path] is None or task.gone:
            continue
        had = {each.name for each in definitions(path, task.base.get(path, ""))}
        new = [each for each in touched(task, path) if each.name not in had and each.public]
        if new and f"{new[0].name.rpartition('.')[2]}" in task.text:
            old = new[0].name.rpartition(".")[2]
            name = _OTHER_NAMES[task.language].format(old)
            change = {
                other: text if text is None else re.sub(rf"\b{old}\b", name, text)
                for other, text in task.change.items()
            }
            return harmful(task, change)
    return None


_CONSTANT = re.compile(r"^(?:const )?([A-Z][A-Z_]+)\b.*=.*$", re.MULTILINE)


@HARMS.add("constant-lost")
def _constant(task: Task, draw: random.Random) -> Harmful | None:
    """A constant that others may use is not there any more."""
    if task.language != "python":
        return None
    for path in edited_code(task)[:1]:
        text = task.after[path]
        names = [
            name for name in _CONSTANT.findall(text) if len(re.findall(rf"\b{name}\b", text)) <= 2
        ]
        if names:
            name = names[0]
            found = next(one for one in _CONSTANT.finditer(text) if one[1] == name)
            value = found[0].partition("=")[2].strip()
            rest = text.replace(f"{found[0]}\n", "", 1)
            return harmful(
                task, {**task.change, path: re.sub(rf"\b{name}\b", value, rest)}, unused=(name,)
            )
    return None


@HARMS.add("import-lost")
def _import(task: Task, draw: random.Random) -> Harmful | None:
    """An import that a function nobody tests needs is left out."""
    lines = {
        "stockroom/report.py": "from stockroom.pricing import format_price\n",
        "src/cli.js": "import { slugify } from './slug.js';\n",
    }
    for path in edited_code(task):
        if path in lines:
            text = task.after[path].replace(lines[path], "")
            return harmful(task, {**task.change, path: text})
    return None


@HARMS.add("licence-lost")
def _licence(task: Task, draw: random.Random) -> Harmful | None:
    """The line about the licence at the top of the file is gone."""
    for path in edited_code(task):
        first, _, rest = task.after[path].partition("\n")
        if re.search(r"SPDX|@license|Copyright", first):
            return harmful(task, {**task.change, path: rest.lstrip("\n")})
    return None


@HARMS.add("export-lost")
def _export(task: Task, draw: random.Random) -> Harmful | None:
    """The module that gathers all exports has one less."""
    path = "src/index.js"
    if path not in task.edits:
        return None
    line = "export { compile, fill } from './template.js';\n"
    text = task.after[path].replace(line, "")
    return harmful(task, {**task.change, path: text}, unused=("compile", "fill"))
