"""A task's reach: the files its change may touch. Others are left out of an answer.

Inside are the files that the task names, those that define a name it mentions, what is connected
with them by imports or by name, all tests, package files and data. Outside is only what clearly
nobody asked for: documentation, change logs, CI and settings that neither the task nor the
project's rules mention, and source files that have nothing to do with the rest. A task that names
nothing of what changed has all its source files inside.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from runner.checks.asked import MANIFEST, TaskWords, asked_for, side_of, words_of
from runner.checks.blanks import same_but_for_blanks, with_legal_lines, without_blank_changes
from runner.checks.connected import (
    COMMENT_SIGNS,
    LONGEST,
    ChangedFile,
    connected,
    counted_lines,
    is_named,
    is_source,
    stem_words,
    tells,
)
from runner.code.imports import ModulePaths
from runner.code.languages import is_among_tests
from runner.code.symbols import syntax_tree
from runner.state.changes import ChangeSet, Write
from runner.state.findings import Complaint
from runner.text.encoding import in_utf8

Read = Callable[[str], bytes | None]


@dataclass(frozen=True)
class Trimmed:
    """What is left of an answer; ``left_out`` are paths, each with the reason.

    ``notes`` say what was put back in files that stay, ``complaints`` what may not be left out.
    """

    changes: ChangeSet
    left_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    complaints: tuple[Complaint, ...] = ()


def trimmed(
    changes: ChangeSet,
    asked: TaskWords,
    *,
    paths: Collection[str],
    read: Read,
    guidance: Mapping[str, bytes],
    roadmap: str = "",
) -> Trimmed:
    """Remove from an answer what the task does not need, as far as the rest works without it.

    ``paths`` are those of the tree after the change, ``read`` returns what a file held before it,
    ``guidance`` are the project's rules for contributors, ``roadmap`` the file with the tasks. What
    the task says to leave alone never stays in; if the rest needs it, or nothing else is left, that
    is a complaint.
    """
    places = ModulePaths(paths)
    files = {
        path: ChangedFile(
            path,
            None if (old := read(path)) is None else in_utf8(path, old),
            in_utf8(path, write.content) if write else None,
            places,
        )
        for path, write in changes.files.items()
    }
    left, complaints = _left_alone(files, asked)
    if complaints:
        return Trimmed(changes, complaints=complaints)
    left |= _blank(_without(files, left), asked)
    rest = _without(files, left)
    outside = _outside(rest, asked, guidance, roadmap)
    left |= outside if len(outside) < len(rest) else {}
    if _is_another_task(_without(files, left).values(), asked):
        advice = "Do what the task asks for."
        other = Complaint(min(files), "OtherTask", _OTHER_TASK, advice=advice)
        return Trimmed(changes, complaints=(other,))
    kept = ChangeSet({path: write for path, write in changes.files.items() if path not in left})
    found = Trimmed(kept, dict(sorted(left.items())))
    if not asked.mentions("licen", "copyright", "header", "spdx", "legal"):
        found = _put_back(found, read, with_legal_lines, "put back its licence header")
    return found if asked.formatting else _tidied(found, read)


def _without(files: Mapping[str, ChangedFile], left: Mapping[str, str]) -> dict[str, ChangedFile]:
    return {path: file for path, file in files.items() if path not in left}


def _left_alone(
    files: Mapping[str, ChangedFile], asked: TaskWords
) -> tuple[dict[str, str], tuple[Complaint, ...]]:
    """What the task says must not change: left out, or complained of where that will not do."""
    alone = asked.left_alone([path for path, file in files.items() if file.old is not None])
    others = [file for path, file in files.items() if path not in alone]
    needed = [path for path in sorted(alone) if not others or _needed(files[path], others)]
    text = "The task says that {} must not change."
    complaints = [
        Complaint(path, "ProtectedPath", text.format(path), advice="Leave it as it is.")
        for path in needed
    ]
    return dict.fromkeys(alone, "the task says to leave it as it is"), tuple(complaints)


def _needed(file: ChangedFile, rest: Iterable[ChangedFile]) -> bool:
    """Say whether others use a name that only the new version of the file defines."""
    if file.new is None or is_among_tests(file.path):
        return False
    return any(file.new_definitions & words_of(other.changed_lines) for other in rest)


def _blank(files: Mapping[str, ChangedFile], asked: TaskWords) -> dict[str, str]:
    """The files that differ in blanks alone, unless the task may be about blanks."""
    return {
        path: "only whitespace differs"
        for path, file in files.items()
        if not asked.formatting
        and file.old is not None
        and file.new not in (None, file.old)  # the same content is a change of its mode
        and same_but_for_blanks(path, file.old, file.new or b"")
    }


def _tidied(found: Trimmed, read: Read) -> Trimmed:
    """Put the old blanks back where nothing else changed."""

    def tidy(path: str, old: bytes, new: bytes) -> bytes:
        content = without_blank_changes(path, old, new)
        return new if content == old else content

    return _put_back(found, read, tidy, "left out changes of whitespace only")


def _put_back(
    found: Trimmed, read: Read, how: Callable[[str, bytes, bytes], bytes], text: str
) -> Trimmed:
    """Change what the answer made of files that were there; ``how`` takes path, old and new."""
    files, notes = dict(found.changes.files), list(found.notes)
    for path, write in found.changes.files.items():
        old = read(path)
        if write is None or old is None:
            continue
        content = how(path, old, write.content)
        if content != write.content:
            files[path] = Write(content, write.mode)
            notes.append(f"{path}: {text}")
    return replace(found, changes=ChangeSet(files), notes=tuple(notes))


def _outside(
    files: Mapping[str, ChangedFile],
    asked: TaskWords,
    guidance: Mapping[str, bytes],
    roadmap: str,
) -> dict[str, str]:
    """Return the files outside the task's reach, and why each is."""
    seeds = {path for path, file in files.items() if is_named(file, asked)}
    sure = any(is_source(path) and not is_among_tests(path) for path in seeds)
    named = sure or any(map(asked.names_file, seeds))
    inside = connected(files, seeds, asked) if sure else set(files)
    found = {
        path: why
        for path, file in files.items()
        if (why := _why_outside(file, files.values(), asked, guidance, roadmap))
        or (why := _beside(file, files.values(), asked) if named else "")
        or (why := "" if path in inside else "the task does not need it")
    }
    kept = set(files) - set(found)
    if not any(path in seeds or is_source(path) for path in kept):
        return {}  # then the others are what the answer is about
    return found


def _why_outside(
    file: ChangedFile,
    files: Collection[ChangedFile],
    asked: TaskWords,
    guidance: Mapping[str, bytes],
    roadmap: str,
) -> str:
    """Say why a file beside the code is not part of the task; '' for any other file."""
    if file.path == roadmap:
        return "" if asked.mentions("roadmap") else "Cairn marks tasks as done itself"
    side = side_of(file.path)
    if side is None:
        return ""
    if file.new is None and not asked.names_file(file.path) and not asked.mentions(*_TAKING_AWAY):
        return "the task does not ask to delete it"
    new_page = file.old is None and side == "documentation"  # rules are about pages that exist
    if asked_for(file.path, side, asked, {} if new_page else guidance):
        return ""
    if file.old is None and _used_by_name(file, files):
        return ""
    if side == "documentation" and _renames(file, asked):
        return ""
    return f"the task asks for no change of {_SAID[side]}"


def _beside(file: ChangedFile, files: Collection[ChangedFile], asked: TaskWords) -> str:
    """Say why a task that names its code does not need a deletion, or a change of the manifest."""
    if _deleted_unasked(file, files, asked):
        return "the task does not ask for it to be deleted"
    if _manifest_unasked(file, files, asked):
        return "the task needs no other package or version"
    if _only_renamed(file, files, asked):
        return "only names inside it differ, which nothing else uses"
    if _only_texts(file, files, asked):
        return "only texts inside it differ, which the task does not mention"
    return ""


def _deleted_unasked(file: ChangedFile, files: Collection[ChangedFile], asked: TaskWords) -> bool:
    """Whether a file is deleted that the task neither names nor removes, and that did not move."""
    if file.new is not None or asked.names_file(file.path) or asked.mentions(*_TAKING_AWAY):
        return False
    return not any(other.old is None and _moved(file, other) for other in files)


def _moved(old: ChangedFile, new: ChangedFile) -> bool:
    stems = {file.path.rpartition("/")[2].partition(".")[0] for file in (old, new)}
    return len(stems) == 1 or bool(old.definitions & new.definitions)


def _manifest_unasked(file: ChangedFile, files: Collection[ChangedFile], asked: TaskWords) -> bool:
    """Whether a manifest changes in what neither the task nor the other files mention."""
    if file.old is None or file.new is None or not MANIFEST.search(file.path):
        return False
    words = {word.lower() for word in file.changed_words} - _OF_MANIFESTS
    if words & asked.words or asked.mentions(*_ABOUT_MANIFESTS) or asked.names_file(file.path):
        return False
    others = (other for other in files if other.path != file.path and is_source(other.path))
    return not any(words & {word.lower() for word in other.changed_words} for other in others)


def _only_renamed(file: ChangedFile, files: Collection[ChangedFile], asked: TaskWords) -> bool:
    """Whether a file renames things inside it that neither task nor answer mention."""
    if not file.old or not file.new or asked.names_file(file.path) or not is_source(file.path):
        return False
    old, new = (
        _TOKEN.findall(t[:LONGEST].decode("utf-8", "replace")) for t in (file.old, file.new)
    )
    if len(old) != len(new):
        return False
    names = {(a, b) for a, b in zip(old, new, strict=True) if a != b}
    words = {word for pair in names for word in pair}
    once = len({a for a, _ in names}) == len({b for _, b in names}) == len(names)
    if not names or not once or not all(map(str.isidentifier, words)):
        return False
    others = [other.changed_words for other in files if other.path != file.path]
    renamed = {word.lower() for word in words}
    return not renamed & asked.words and not any(words & each for each in others)


def _only_texts(file: ChangedFile, files: Collection[ChangedFile], asked: TaskWords) -> bool:
    """Whether only words in quotes differ, which neither task nor answer mention.

    Words that every text has, and the comments of the other files, mention nothing.
    """
    if not file.old or not file.new or asked.names_file(file.path) or not is_source(file.path):
        return False
    if asked.mentions(*_ABOUT_TEXTS) or _ABOUT_ERRORS.search(asked.text):
        return False
    old, new = (_code_and_texts(file.path, t[:LONGEST]) for t in (file.old, file.new))
    if old is None or new is None or old[0] != new[0]:
        return False
    changed = words_of(old[1]) ^ words_of(new[1])
    words = {word for word in changed if tells(word)}
    others = (words_of(_code_lines(other)) for other in files if other.path != file.path)
    mentioned = {word.lower() for word in words} & asked.words
    return any(len(w) > 1 for w in changed) and not mentioned and not any(words & o for o in others)


def _code_and_texts(path: str, content: bytes) -> tuple[str, list[str]] | None:
    """The code without its texts, but with what is filled into them, and the texts themselves."""
    root = syntax_tree(path, content)
    if root is None:
        return None
    code, texts, end, left = list[str](), list[str](), 0, [root]
    while left:
        node = left.pop()
        if "string" not in node.type:
            left += reversed(node.named_children)
            continue
        texts.append((node.text or b"").decode("utf-8", "replace"))
        before = content[end : node.start_byte].decode("utf-8", "replace")
        code += [before, "".join(_FILLED_IN.findall(texts[-1]))]
        end = node.end_byte
    return "\0".join([*code, content[end:].decode("utf-8", "replace")]), texts


def _code_lines(file: ChangedFile) -> Iterable[str]:
    return (line for line in file.changed_lines if not line.lstrip().startswith(COMMENT_SIGNS))


def _is_another_task(files: Collection[ChangedFile], asked: TaskWords) -> bool:
    """Whether an answer only adds code that shares no word with a task that names its own code."""
    new_code = (file.old is None and is_source(file.path) for file in files)
    if not files or not asked.names or not all(new_code):
        return False
    if any(asked.names_file(file.path) for file in files):
        return False
    topic = {word for word in asked.words | asked.names if tells(word)}
    words = {word for file in files for word in (*file.words, *stem_words(file.path))}
    parts = {part for word in words for part in (word, *_parts(word))}
    enough = 1 if asked.files else _ENOUGH_WORDS  # it names its files, and this is none of them
    says_something = len({part.lower() for part in parts if tells(part)}) >= enough
    return says_something and not topic & parts


def _parts(word: str) -> list[str]:
    """The words that a name like ``loudVoice`` or ``loud_voice`` is made of, in small letters."""
    return [part.lower() for part in (word, *_PART.findall(word))]


_FILLED_IN = re.compile(r"\{[^{}]*\}")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_ABOUT_TEXTS = ("messag", "wording", "reword", "phras", "rephras", "typo", "spell", "translat",
                "locali", "label", "capital", "punctuat", "quot", "terminolog")  # fmt: skip
_ABOUT_ERRORS = re.compile(
    r"\b(?:errors?|exceptions?|help|usage|log|output)\s+(?:texts?|strings?|lines?|outputs?)\b"
    r"|\b(?:clear|better|nice|helpful|friendl|improv|readab|useful|consistent|uniform)\w*\s+"
    r"(?:\w+\s+){0,3}(?:errors?|exceptions?|texts?|strings?|words?|help|output)\b",
    re.IGNORECASE,
)
_ENOUGH_WORDS = 2  # fewer own words do not show what an answer is for
_OTHER_TASK = "Nothing in this answer has to do with the task."
_TOKEN = re.compile(r"\w+|[^\w\s]")
_ABOUT_MANIFESTS = ("depend", "packages", "version", "release", "bump", "upgrad", "config",
                    "install", "librar", "manifest", "publish", "plugin", "mypy",
                    "coverage")  # fmt: skip
_OF_MANIFESTS = {"version", "dependencies", "require", "requires", "github", "com", "org",
                 "project", "scripts", "tool", "indirect", "true", "false", "name"}  # fmt: skip
_SAID = {"CI": "the CI", "settings": "these settings", "change log": "the change log", "legal":
         "this file", "documentation": "the documentation", "leftover": "such a file"}  # fmt: skip


def _used_by_name(file: ChangedFile, others: Iterable[ChangedFile]) -> bool:
    name = file.path.rpartition("/")[2]
    return any(name in other.text for other in others if other.path != file.path)


def _renames(file: ChangedFile, asked: TaskWords) -> bool:
    """Whether most of what goes from a text names what the task renames, moves or takes away."""
    if file.old is None or file.new is None or not asked.mentions(*_TAKING_AWAY):
        return False
    old, new = counted_lines(file.old), counted_lines(file.new)
    about = {name for name in asked.names | asked.words if tells(name)}
    gone = (words_of(old) - words_of(new)) & about
    lost = [line for line in old - new if line.strip()]
    about_it = [line for line in lost if gone & words_of([line])]
    return 2 * len(about_it) >= len(lost) > 0


_TAKING_AWAY = ("renam", "remov", "delet", "drop", "mov", "replac", "deprecat", "umbenenn",
                "entfern", "supprim", "elimin", "renombr", "merg", "split", "consolidat",
                "reorgani", "restructur", "refactor", "convert", "migrat", "unused", "obsolete",
                "revert", "rewrit", "combin", "unify", "extract", "clean")  # fmt: skip
