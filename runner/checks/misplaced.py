"""Answers that make what the task asks for in another place, or that do another task instead.

Only what the task says in so many words counts: "Add `f(x)` to `a.py`", "Add `area()` to `Circle`".
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from runner.checks.asked import TaskWords
from runner.checks.promises import PromisedName, has_word, promised_names, promises
from runner.code.imports import ModulePaths, imported
from runner.code.languages import is_test_file, language_of, python_tree
from runner.code.symbols import symbols_of
from runner.roadmap.task import Task
from runner.state.changes import ChangeSet, Write
from runner.state.findings import Complaint

Read = Callable[[str], bytes | None]

_GIVEN = r"\b{0}\.{1}\s*=|setattr\(\s*{0}\b"
_MEMBER = re.compile(r"\b[Aa]dd\s+(?:an?\s+|the\s+)?`(\w+)`\s+to\s+(?:the\s+class\s+)?`([A-Z]\w*)`")
_EXPORT = re.compile(r"\bexports\.([A-Za-z_$][\w$]*)\s*=(?!=)")
_FOLLOWED = frozenset({"python", "javascript", "typescript", "tsx"})
"""Languages in which a file has what it defines and imports, and nothing else."""


def holders(asked: TaskWords, paths: Collection[str]) -> dict[PromisedName, str]:
    """Return the promises that say in which file of the tree they belong."""
    found = {}
    for promise in promises(asked):
        same = [p for p in paths if p == promise.file or p.endswith(f"/{promise.file}")]
        if promise.file in same or len(same) == 1:
            found[promise] = promise.file if promise.file in same else same[0]
    return {each: path for each, path in found.items() if language_of(path) in _FOLLOWED}


def misplaced(
    changes: ChangeSet, asked: TaskWords, *, paths: Collection[str], read: Read
) -> Iterator[Complaint]:
    """Yield promised names that are new, but not where the task says.

    ``paths`` are those of the tree after the change, ``read`` returns what a file held before;
    the files of ``holders`` are among what it knows.
    """
    new = {path: _new_names(path, changes, read) for path in changes.files}
    for promise, path in holders(asked, paths).items():
        elsewhere = [p for p, names in new.items() if promise.name in names and p != path]
        if elsewhere and not _has(path, promise.name, changes, paths, read):
            message = f"The task asks for `{promise.name}` in {path}."
            for place in elsewhere:
                yield Complaint(place, "WrongPlace", message, advice="Write it there.")
    members = [(promise.name, promise.owner) for promise in promises(asked) if promise.owner]
    for name, owner in dict.fromkeys([*members, *_MEMBER.findall(asked.text)]):
        yield from _in_another_class(name, owner, changes, read)


def another_task(
    changes: ChangeSet, asked: TaskWords, others: Iterable[Task], *, read: Read
) -> Complaint | None:
    """Complain of an answer that makes what another task of the roadmap promises.

    To be asked where nothing of what this task promises is there.
    """
    made = {name for path in changes.files for name in _new_names(path, changes, read)}
    made -= promised_names(asked)
    for task in others if made else ():
        theirs = sorted(promised_names(TaskWords.of(task)) & made)
        if theirs:
            message = (
                f"The answer does another task of the roadmap: `{theirs[0]}` belongs to "
                f"“{task.title}”."
            )
            advice = "Do the task that is asked for, and only that."
            return Complaint("", "OtherTask", message, advice=advice)
    return None


def content_of_another(
    changes: ChangeSet, others: Mapping[str, bytes], *, read: Read
) -> Iterator[Complaint]:
    """Yield files that get the content of another file of the repository in place of their own.

    ``others`` are the files that stay as they are. To be asked where a file loses names.
    """
    for path, write in changes.files.items():
        before = read(path)
        if write is None or before is None:
            continue
        old, new = _names(path, before), _names(path, write.content)
        if not new or len(old & new) * 4 > len(old):
            continue
        owner = next((p for p, text in others.items() if _is_mostly(_names(p, text), new)), "")
        if owner:
            message = f"This is the content of {owner}, with changes."
            yield Complaint(path, "WrongPlace", message, advice=f"Give it as {owner}.")


def taken_over(
    changes: ChangeSet, paths: Iterable[str], *, task_text: str, read: Read
) -> Iterator[Complaint]:
    """Yield files that get other code in place of all of their own, which the task does not name.

    ``paths`` are files that lose names. To be asked once, for it may be meant so.
    """
    for path in paths:
        before, write = read(path), changes.files.get(path)
        stem = path.rpartition("/")[2].partition(".")[0]
        if write is None or before is None or has_word(task_text.lower(), stem.lower()):
            continue
        old, new = _names(path, before), _names(path, write.content)
        if new and len(old & new) * 4 <= len(old):
            message = (
                f"The answer puts other code in place of all that {path} has, which the task does "
                "not ask for."
            )
            advice = (
                "Leave that file as it is, and give this code in the file where it belongs. Only "
                "if the task cannot be done otherwise, give the same answer again."
            )
            yield Complaint(path, "WrongPlace", message, advice=advice)


def _is_mostly(theirs: set[str], new: set[str]) -> bool:
    return bool(theirs) and len(theirs & new) * 2 > len(theirs)


def _new_names(path: str, changes: ChangeSet, read: Read) -> frozenset[str]:
    """What a changed file, no test, defines and did not define before."""
    write = changes.files[path]
    if write is None or is_test_file(path):
        return frozenset()
    old, new = (_names(path, content) for content in (read(path) or b"", write.content))
    return frozenset(new - old)


def _names(path: str, content: bytes) -> set[str]:
    """What a file defines; of CommonJS also what it exports."""
    defined = {each.name for each in symbols_of(path, content).definitions}
    script = language_of(path) in ("javascript", "typescript", "tsx")
    exported = _EXPORT.findall(content.decode("utf-8", "replace")) if script else []
    return defined | set(exported)


def _has(path: str, name: str, changes: ChangeSet, paths: Collection[str], read: Read) -> bool:
    """Whether a file has a name, or imports a changed file that it may have it from."""
    write = changes.files.get(path)
    content = write.content if write else read(path) or b""
    if path in changes.files and write is None:  # it goes, as the task may say elsewhere
        return True
    statements = symbols_of(path, content).imports
    used = imported(path, statements, ModulePaths(paths)) & changes.files.keys()
    return has_word(content.decode("utf-8", "replace"), name) or bool(used)


def _in_another_class(name: str, owner: str, changes: ChangeSet, read: Read) -> Iterator[Complaint]:
    """Yield a method that is new in another class, where its own is there and as it was."""
    for path in changes.files:
        before = _classes(read(path) or b"") if path.endswith(".py") else {}
        write = changes.files[path]
        after = _classes(write.content) if write and path.endswith(".py") else {}
        own = after.get(owner)
        if own is None or own.bases or ast.dump(own) != _dumped(before.get(owner)):
            continue
        put = [
            each.name
            for each in after.values()
            if name in _members(each) - _members(before.get(each.name))
        ]
        given = re.search(_GIVEN.format(owner, name), _text(write))
        if put and not given and name not in _members(own):
            message = f"The task asks for `{name}` in the class `{owner}`, and not in `{put[0]}`."
            yield Complaint(path, "WrongClass", message, own.lineno)


def _text(write: Write | None) -> str:
    return write.content.decode("utf-8", "replace") if write else ""


def _classes(content: bytes) -> dict[str, ast.ClassDef]:
    try:
        tree = python_tree(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def _dumped(node: ast.ClassDef | None) -> str:
    return ast.dump(node) if node else ""


def _members(node: ast.ClassDef | None) -> set[str]:
    """What a class defines in its own body."""
    body = node.body if node else []
    return {each.name for each in body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
