"""What is shown to a model that asks to see more of the repository."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from runner.answers.look_forms import LookRequest
from runner.code.symbols import Definition, symbols_of
from runner.context.cut import cut, hard_cut, wanted_by
from runner.context.facts import no_source
from runner.context.tokens import Count
from runner.text.counting import counted
from runner.text.encoding import text_of
from runner.text.mask import is_secret_file

MOST_LINES, MOST_CHARACTERS = 200, 8_000
"""Of one file that is read; of a longer one the places that the task is about."""

MOST_HITS, _MOST_LISTED, _LONGEST_LINE = 20, 60, 160
_MOST_DEFINED, _FEWEST_DEFINED, _BRIEF_HITS = 60, 12, 5
_LEAST_CUT = 200
"""Tokens below which the beginning of something is not worth showing."""

_WORD = re.compile(r"[^\W\d]\w+")
_ALTERNATIVE = re.compile(r"\\?\|")


@dataclass(frozen=True, slots=True)
class Shown:
    """The answer to a request, and the few lines that stay of it once there is no more room.

    ``whole`` is the path of a file that is shown completely; ``found`` is False where there was
    nothing to show.
    """

    text: str
    brief: str = ""
    whole: str = ""
    found: bool = True


def shown(
    look: LookRequest,
    files: Mapping[str, bytes],
    paths: Collection[str],
    about: str,
    refused: Mapping[str, str] | None = None,
) -> Shown:
    """Answer one request. ``files`` are the texts that it may need, ``paths`` all there are.

    ``about`` are the task's words: of a long file, the places that share most with them are shown.
    ``refused`` says why some paths are not shown.
    """
    if look.kind == "LIST":
        return _listed(look.what, paths)
    if look.kind == "SEARCH":
        return _found(look.what, files)
    why = (refused or {}).get(look.what) or _unreadable(look.what, files.get(look.what, b""))
    if why and look.what in paths:
        return _nothing(f"{look.what} is not shown: it {why}.")
    if look.what in files:
        return _read(look, files[look.what], about)
    inside = any(path.startswith(f"{look.what}/") for path in paths)
    return _listed(look.what, paths) if inside else _missing(look.what, paths)


def _nothing(text: str) -> Shown:
    return Shown(text, text, found=False)


def _unreadable(path: str, content: bytes) -> str:
    """Why nobody is shown this file; '' if it is shown."""
    return "holds secrets" if is_secret_file(path) else no_source(content)


def _read(look: LookRequest, content: bytes, about: str) -> Shown:
    text = text_of(look.what, content).rstrip("\n")
    lines = text.split("\n")
    if look.first > len(lines):
        return _nothing(f"{look.what} has only {counted(len(lines), 'line')}.")
    if not look.first and len(lines) <= MOST_LINES and len(text) <= MOST_CHARACTERS:
        brief = _outlined(look.what, content, 1, len(lines))
        return Shown(_fenced(look.what, text), brief, whole=look.what)
    if look.first:
        first = look.first if look.first > 0 else max(1, len(lines) + look.first + 1)
        last = min(look.last or len(lines), first + MOST_LINES - 1, len(lines))
        part = "\n".join(lines[first - 1 : last])[:MOST_CHARACTERS]
        brief = _outlined(look.what, content, first, last)
        return Shown(_fenced(f"{look.what} (lines {first}-{last} of {len(lines)})", part), brief)
    symbols = symbols_of(look.what, content)
    part = cut(text, symbols, about=wanted_by(about), limit=MOST_CHARACTERS, count=len)
    note = f"{look.what} (a part of its {len(lines)} lines; READ {look.what}:from-to shows others)"
    defined = _defined(symbols.definitions, 1, len(lines), most=_MOST_DEFINED)
    text = (
        f"{_fenced(note, part)}\n{look.what} defines: {defined}" if defined else _fenced(note, part)
    )
    return Shown(text, _outlined(look.what, content, 1, len(lines)))


def _outlined(path: str, content: bytes, first: int, last: int) -> str:
    """One line that says what stands in these lines of a file."""
    inside = symbols_of(path, content).definitions
    defined = _defined(inside, first, last, most=_FEWEST_DEFINED)
    has = f" define {defined}" if defined else " were shown"
    return f"{path}: lines {first}-{last}{has} (shown before; READ shows them again)"


def _defined(definitions: Sequence[Definition], first: int, last: int, *, most: int) -> str:
    """Names with their lines, outer definitions before inner ones."""
    there = [each for each in definitions if first <= each.line <= last]
    chosen = sorted(sorted(there, key=lambda d: (d.depth, d.line))[:most], key=lambda d: d.line)
    more = f", and {len(there) - most} more" if len(there) > most else ""
    return ", ".join(f"{each.name} ({each.line}-{each.end_line})" for each in chosen) + more


def _fenced(title: str, text: str) -> str:
    fence = "```" if "```" not in text else "``````"
    return f"{title}\n{fence}\n{text}\n{fence}"


def _found(words: str, files: Mapping[str, bytes]) -> Shown:
    """Where the words are, as they are written, else in any case."""
    hits = list(_hits(words, files, str)) or list(_hits(words, files, str.lower))
    text = f"`{words}` stands in:\n"
    if not hits:  # a pattern is not run: it may take for ever
        hits = list(_loosely(words, files))
        text = f"Nothing has exactly `{words}`. Its words stand together in:\n"
    if not hits:
        return Shown(f"Nothing has `{words}`.", f"Nothing has `{words}`.")
    return Shown(_some(text, hits, MOST_HITS), _some(text, hits, _BRIEF_HITS))


def _some(head: str, lines: Sequence[str], most: int) -> str:
    more = f"\n[... {len(lines) - most} more ...]" if len(lines) > most else ""
    return head + "\n".join(lines[:most]) + more


def _hits(words: str, files: Mapping[str, bytes], plain: Callable[[str], str]) -> Iterator[str]:
    wanted = plain(words)
    return _lines(files, lambda text: wanted in plain(text))


def _loosely(words: str, files: Mapping[str, bytes]) -> Iterator[str]:
    """Lines with all words of a pattern, or of one of its alternatives."""
    ways = [frozenset(_WORD.findall(way.lower())) for way in _ALTERNATIVE.split(words)]
    ways = [way for way in ways if way]
    return _lines(files, lambda text: any(all(w in text.lower() for w in way) for way in ways))


def _lines(files: Mapping[str, bytes], has: Callable[[str], bool]) -> Iterator[str]:
    """Yield the lines for which this is true; entire files are tested first."""
    for path, content in sorted(files.items()):
        text = text_of(path, content)
        if _unreadable(path, content) or not has(text):
            continue
        definitions = symbols_of(path, content).definitions
        for number, line in enumerate(text.split("\n"), 1):
            if has(line):
                around = [each for each in definitions if each.line <= number <= each.end_line]
                where = f" ({around[-1].name})" if around else ""
                yield f"{path}:{number}{where}: {line.strip()[:_LONGEST_LINE]}"


def _listed(folder: str, paths: Collection[str]) -> Shown:
    start = f"{folder}/" if folder not in ("", ".") else ""
    inside = [path[len(start) :] for path in paths if path.startswith(start)]
    if folder in paths:
        return _nothing(f"{folder} is a file; READ {folder} shows it.")
    if not inside:
        return _missing(folder, {path.rpartition("/")[0] for path in paths})
    parts = (path.partition("/") for path in inside)
    names = sorted({part + slash for part, slash, _ in parts})
    head = f"{start or 'The root'} has:\n"
    return Shown(
        _some(head, names, _MOST_LISTED),
        f"{start or 'The root'} has {counted(len(names), 'entry', 'entries')}",
    )


def _missing(name: str, there: Collection[str]) -> Shown:
    last = name.rpartition("/")[2]
    same = sorted(path for path in there if path.rpartition("/")[2] == last)
    near = same[:3] or difflib.get_close_matches(name, list(there), n=3)
    hint = f" Did you mean {', '.join(near)}?" if near else ""
    return Shown(f"There is no {name}.{hint}", f"There is no {name}.", found=bool(near))


def fitted(rounds: Sequence[Sequence[Shown]], *, room: int, count: Count) -> list[str]:
    """Return the text of each round, all of them together within ``room`` tokens.

    The oldest answers shrink to their few lines first; of the newest, what does not fit is left
    out with a note.
    """
    texts = [[each.text for each in shown] for shown in rounds]
    left = room - sum(count(text) for row in texts for text in row)
    older = [(r, at) for r, row in enumerate(rounds[:-1]) for at in range(len(row))]
    for r, at in older:
        if left >= 0:
            break
        left += count(texts[r][at]) - count(rounds[r][at].brief)
        texts[r][at] = rounds[r][at].brief
    newest = texts[-1] if texts else []
    while left < 0 and newest:
        at = len(newest) - 1
        left += count(newest[at])
        cut_off = hard_cut(newest[at], limit=left, count=count) if left > _LEAST_CUT else ""
        if cut_off:
            newest[at] = cut_off
            break
        newest[at:] = []
    if rounds and len(newest) < len(rounds[-1]):
        newest.append("[... the rest is too long to be shown ...]")
    return ["\n\n".join(row) for row in texts]
