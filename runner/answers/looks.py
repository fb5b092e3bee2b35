"""A reply that asks to see more of the repository instead of answering.

``READ path[:from-to]``, ``SEARCH words`` and ``LIST folder``, each on a line of its own; the same
as a shell command, in a list or between fences; and a sentence that says which file is needed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from runner.answers.blocks import from_info, from_line
from runner.answers.fences import clean_answer, is_program, outline

MOST_LOOKS = 6
"""Requests of one reply that are answered."""

_MOST_OTHER_LINES = 8
_LINE = re.compile(r"^\s*(?:[-*+>]\s+|\d+[.)]\s+)?[`*]*(.*?)[`*]*\s*$")
_READ = re.compile(r"^(?:READ|cat|less|head|tail)\s+(?:-n\s*\d+\s+)?[\"'`]?([^\s\"'`:]+)[\"'`]?"
                   r"(?::(\d+)(?:\s*[-,]\s*(\d+))?)?$")  # fmt: skip
_SED = re.compile(r"^sed\s+-n\s+[\"']?(\d+),(\d+)p[\"']?\s+[\"']?([^\s\"']+)[\"']?$")
_SEARCH = re.compile(r"^SEARCH:?\s+[\"'`]?(.+?)[\"'`]?$")
_GREP = re.compile(
    r"^(?:grep|rg|git grep)\s+(?:-\S+\s+)*[\"']([^\"']+)[\"'](?:\s+\S+)*$"
    r"|^(?:grep|rg|git grep)\s+(?:-\S+\s+)*([^\s\"'-]\S*)(?:\s+[\w./-]+)*$"
)  # fmt: skip
_LIST = re.compile(r"^(?:LIST|ls|tree)(?:\s+-\w+)*(?:\s+[\"'`]?([^\s\"'`]+)[\"'`]?)?$")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_EDIT = re.compile(r"^(?:<{5,}|={7}|>{5,})|^DELETE\s", re.MULTILINE)
_WRAPPED = re.compile(r"^\s*(?:[{<]|\[\s*\{|\*\*\* Begin Patch)", re.MULTILINE)
_NEEDS = re.compile(r"\b(?:see|seen|show|shown|need|provide|share|look|content|contents)\b", re.I)
_PATH = re.compile(r"[\w@./+-]*[\w-]\.\w{1,5}\b")


@dataclass(frozen=True, slots=True)
class LookRequest:
    """One request: ``what`` is a path, words or a folder; lines count from 1 (0: the whole)."""

    kind: Literal["READ", "SEARCH", "LIST"]
    what: str
    first: int = 0
    last: int = 0


def looks_in(text: str, paths: Collection[str]) -> tuple[LookRequest, ...]:
    """Return what a reply asks to see; nothing where it is an answer.

    ``paths`` are those of the repository: a sentence counts only where it names some of them.
    """
    text = clean_answer(text)
    if _EDIT.search(text) or _WRAPPED.search(text) or _holds_a_file(text, paths):
        return ()
    lines = [line for line in text.split("\n") if line.strip() and not _FENCE.match(line)]
    found = [(line, _look(line)) for line in lines]
    looks = tuple(dict.fromkeys(look for _, look in found if look))
    others = sum(look is None for _, look in found)
    if looks and others <= _MOST_OTHER_LINES:
        return looks[:MOST_LOOKS]
    short = others <= _MOST_OTHER_LINES and "```" not in text
    if short and _NEEDS.search(text) and not is_program(text):
        return tuple(_named(text, paths))[:MOST_LOOKS]
    return ()


def _holds_a_file(text: str, paths: Collection[str]) -> bool:
    """Whether a fence has the name of a file, and more in it than the command that shows it."""
    for block in outline(text, lambda info, above: bool(_label(info, above, paths))).blocks:
        above = next((line for line in reversed(block.above) if line.strip()), "")
        path = _label(block.info, above, paths)
        looks = [_look(line) for line in block.lines if line.strip()]
        if path and not all(look and look.what == path for look in looks):
            return True
    return False


def _label(info: str, above: str, paths: Collection[str]) -> str:
    return from_info(info, paths) or from_line(above, paths)


def _look(line: str) -> LookRequest | None:
    match = _LINE.match(line)
    said = match[1].strip() if match else ""
    if found := _READ.match(said):
        first, last = int(found[2] or 0), int(found[3] or found[2] or 0)
        return LookRequest("READ", _clean(found[1]), min(first, last), max(first, last))
    if found := _SED.match(said):
        return LookRequest("READ", _clean(found[3]), int(found[1]), int(found[2]))
    if found := _SEARCH.match(said) or _GREP.match(said):
        return LookRequest("SEARCH", next(words for words in found.groups() if words))
    if found := _LIST.match(said):
        return LookRequest("LIST", _clean(found[1] or "").strip("/").removeprefix("./"))
    return None


def _clean(path: str) -> str:
    return path.removeprefix("./").strip("`\"'")


def _named(text: str, paths: Collection[str]) -> Iterator[LookRequest]:
    """The files of the repository that a text names, by path or by a name that only one has."""
    for said in dict.fromkeys(_PATH.findall(text)):
        path = _clean(said)
        same = [p for p in paths if p == path or p.endswith(f"/{path}")]
        if len(same) == 1:
            yield LookRequest("READ", same[0])
