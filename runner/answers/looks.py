"""A reply that asks to see more of the repository instead of answering.

``READ path[:from-to]``, ``SEARCH words`` and ``LIST folder``, each on its own line, also in a list
or between fences; and a sentence that says which file is needed.
A reply that gives a file is an answer, whatever else it holds.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from runner.answers.blocks import from_line, names_file, path_of
from runner.answers.fences import FencedBlock, clean_answer, is_program, outline
from runner.answers.look_forms import LookRequest, plausible, request
from runner.answers.pieces import Known
from runner.answers.reply import gives_files

MOST_LOOKS = 6
"""Requests of one reply that are answered."""

_MOST_OTHER_LINES = 8
_LONGEST = 20_000  # characters of a reply that are read
_INVISIBLE = re.compile("[\u200b\u200c\u200d\u2060\ufeff]")
_DRESS = re.compile(r"^\s*(?:(?:[-*+>]|\d+[.)]|[$%])\s+)*")
_EDIT = re.compile(r"^(?:<{5,}|={7}|>{5,})", re.MULTILINE)
_OWN = re.compile(r"^(READ|SEARCH|LIST)\b(?:[*`]*(:?)[*`]*)\s*(.*)$", re.IGNORECASE)
_PLACE = re.compile(r"[\"'`*(]*([^\s\"'`:#,;()*]+)[\"'`*)]*")
_LINES = re.compile(
    r"(?:[:#]|\s*\(?\s*(?:lines?\b|(?=L?\d))|,)\s*L?(\d{1,9})(?:\s*(?:[-,:\u2013\u2014]|\.\.|to)\s*L?(\d{1,9}))?\s*\)?"
)  # fmt: skip
_NEXT = re.compile(r"\s*(?:[,;]|and\b|\s(?=\S))\s*")
_ASIDE = re.compile(
    r"\s*(?:$|[(#.?!\u2013\u2014-]|//|(?:to|for|because|so|please)\b)", re.IGNORECASE
)
_NEEDS = re.compile(r"\b(?:see|seen|show|shown|need|provide|share|look|content|contents)\b", re.I)
_PATH = re.compile(r"[\w@./+-]{0,200}[\w-]\.\w{1,5}")
_BETWEEN = re.compile(r"[^\w@./+-]+|\.(?=\s|$)")


def looks_in(
    text: str,
    paths: Collection[str],
    *,
    expected: Sequence[str] = (),
    shown: Collection[str] = (),
) -> tuple[LookRequest, ...]:
    """Return what a reply asks to see; nothing where it is an answer.

    ``paths`` are those of the repository, ``expected`` the files that the task asks for. A sentence
    counts only if it names existing files that are not ``shown`` completely.
    """
    text = _INVISIBLE.sub("", clean_answer(text[:_LONGEST]))
    known = Known(frozenset(paths), tuple(expected), lambda _path: None)
    parts = outline(text, lambda info, above: names_file(info, above, known))
    asking = [block for block in parts.blocks if _asks(block, known)]
    if _EDIT.search(text) or gives_files(_without(asking, text), known):
        return ()
    lines = [*(line for _, line in parts.prose), *(n for b in parts.blocks for n in b.lines)]
    found = [_looks(line, known.paths) for line in lines if line.strip()]
    if sum(not each for each in found) > _MOST_OTHER_LINES:
        return ()
    looks = [look for each in found for look in each]
    if not looks and not parts.blocks and _NEEDS.search(text) and not is_program(text):
        looks = list(_named(text, known.paths, shown))
    return tuple(dict.fromkeys(looks))[:MOST_LOOKS]


def _asks(block: FencedBlock, known: Known) -> bool:
    """Whether a block only asks, and is not a file to write.

    The path of a file to write is alone on its line, or is of a file that does not exist yet.
    """
    lines = [line for line in block.lines if line.strip() and not line.lstrip().startswith("#")]
    found = [_looks(line, known.paths) for line in lines]
    looks = [look for each in found for look in each]
    if not looks or not all(found):
        return False
    near = [line for line in block.above if line.strip()][-3:]
    exact = names_file(block.info, "", known) or any(from_line(n, known.names) for n in near)
    path = path_of(block, known)
    shows = all(look.what == path for look in looks)
    return not path or (path in known.paths and (shows or not exact))


def _without(blocks: Collection[FencedBlock], text: str) -> str:
    """The text with the lines of these blocks blank."""
    lines = text.split("\n")
    for block in blocks:
        end = block.line + len(block.lines) + block.closed
        lines[block.line - 1 : end] = [""] * (end - block.line + 1)
    return "\n".join(lines)


def _looks(line: str, paths: Collection[str]) -> tuple[LookRequest, ...]:
    """What one line asks for."""
    own = _OWN.match(_DRESS.sub("", line).strip().strip("`").strip().lstrip("*").strip())
    return _own(own[1], own[2], own[3].strip().rstrip("*`"), paths) if own else ()


def _own(word: str, colon: str, rest: str, paths: Collection[str]) -> tuple[LookRequest, ...]:
    """Read a line in the form that was asked for; in small letters only if it is not prose."""
    sure = word.isupper() or bool(colon)
    if word.upper() == "READ":
        return tuple(_places(rest, paths, sure=sure))
    if word.upper() == "LIST":
        folder = _PLACE.match(rest)
        if not rest and sure:
            return (request("LIST", ""),)
        alone = folder is not None and _ASIDE.match(rest, folder.end())
        return (request("LIST", folder[1]),) if folder and alone and (sure or "/" in rest) else ()
    words = rest.strip("\"'`")
    return (request("SEARCH", words),) if words and (sure or words != rest) else ()


def _places(rest: str, paths: Collection[str], *, sure: bool) -> Iterator[LookRequest]:
    """Read ``a.py:1-20, b.py``: paths with the lines that are wanted of each."""
    at = 0
    while (place := _PLACE.match(rest, at)) and plausible(place[1], paths, sure=sure and not at):
        lines = _LINES.match(rest, place.end())
        if lines is None:
            yield request("READ", place[1])
        at = place.end()
        while lines:
            yield request("READ", place[1], int(lines[1]), int(lines[2] or lines[1]))
            at = lines.end()
            lines = _LINES.match(rest, at) if rest[at : at + 1] == "," else None
        following = _NEXT.match(rest, at)
        if following is None or _ASIDE.match(rest, at):
            return
        at = following.end()


def _named(text: str, paths: Collection[str], shown: Collection[str]) -> Iterator[LookRequest]:
    """The files that a text names, by path or by a name that only one has, and that are news."""
    for part in dict.fromkeys(_BETWEEN.split(text)):
        path = part.removeprefix("./") if _PATH.fullmatch(part) else "/"
        same = [p for p in paths if p == path or p.endswith(f"/{path}")]
        if len(same) == 1 and same[0] not in shown:
            yield request("READ", same[0])
