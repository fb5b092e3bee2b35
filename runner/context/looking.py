"""What is shown to a model that asks to see more of the repository."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from runner.answers.look_forms import LookRequest
from runner.code.symbols import Definition, symbols_of
from runner.context.cut import cut, wanted_by
from runner.text.mask import is_secret_file

MOST_LINES, MOST_CHARACTERS = 200, 8_000
"""Of one file that is read; of a longer one the places that the task is about."""

MOST_HITS, _MOST_LISTED, _LONGEST_LINE = 20, 60, 160
_WORD = re.compile(r"[^\W\d]\w+")
_ALTERNATIVE = re.compile(r"\\?\|")


@dataclass(frozen=True, slots=True)
class Shown:
    """The answer to a request; ``whole`` is the path of a file that is shown completely."""

    text: str
    whole: str = ""


def shown(
    look: LookRequest, files: Mapping[str, bytes], paths: Collection[str], about: str
) -> Shown:
    """Answer one request. ``files`` are the texts that it may need, ``paths`` all there are.

    ``about`` are the task's words: of a long file, the places that share most with them are shown.
    """
    if look.kind == "LIST":
        return Shown(_listed(look.what, paths))
    if look.kind == "SEARCH":
        return Shown(_found(look.what, files))
    if look.what in files:
        return _read(look, files[look.what], about)
    inside = any(path.startswith(f"{look.what}/") for path in paths)
    return Shown(_listed(look.what, paths) if inside else _missing(look.what, paths))


def _read(look: LookRequest, content: bytes, about: str) -> Shown:
    if is_secret_file(look.what) or b"\0" in content[:8_000]:
        return Shown(f"{look.what} is not shown: it holds secrets or is no text.")
    text = content.decode("utf-8", "replace").replace("\r\n", "\n").rstrip("\n")
    lines = text.split("\n")
    if look.first > len(lines):
        return Shown(f"{look.what} has only {len(lines)} lines.")
    if look.first:
        first = look.first if look.first > 0 else max(1, len(lines) + look.first + 1)
        last = min(look.last or len(lines), first + MOST_LINES - 1, len(lines))
        part = "\n".join(lines[first - 1 : last])[:MOST_CHARACTERS]
        return Shown(_fenced(f"{look.what} (lines {first}-{last} of {len(lines)})", part))
    if len(lines) <= MOST_LINES and len(text) <= MOST_CHARACTERS:
        return Shown(_fenced(look.what, text), look.what)
    symbols = symbols_of(look.what, content)
    part = cut(text, symbols, about=wanted_by(about), limit=MOST_CHARACTERS, count=len)
    note = f"{look.what} (a part of its {len(lines)} lines; READ {look.what}:from-to shows others)"
    return Shown(_fenced(note, part), "" if part != text else look.what)


def _fenced(title: str, text: str) -> str:
    fence = "```" if "```" not in text else "``````"
    return f"{title}\n{fence}\n{text}\n{fence}"


def _found(words: str, files: Mapping[str, bytes]) -> str:
    """Where the words are, as they are written, else in any case."""
    hits = list(_hits(words, files, str)) or list(_hits(words, files, str.lower))
    text = f"`{words}` stands in:\n"
    if not hits:  # a pattern is not run: it may take for ever
        hits = list(_loosely(words, files))
        text = f"Nothing has exactly `{words}`. Its words stand together in:\n"
    if not hits:
        return f"Nothing has `{words}`."
    more = f"\n[... {len(hits) - MOST_HITS} more ...]" if len(hits) > MOST_HITS else ""
    return text + "\n".join(hits[:MOST_HITS]) + more


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
        text = content.decode("utf-8", "replace")
        if is_secret_file(path) or not has(text):
            continue
        definitions = symbols_of(path, content).definitions
        for number, line in enumerate(text.split("\n"), 1):
            if has(line):
                where = _enclosing(definitions, number)
                yield f"{path}:{number}{where}: {line.strip()[:_LONGEST_LINE]}"


def _enclosing(definitions: Sequence[Definition], line: int) -> str:
    inside = [each for each in definitions if each.line <= line <= each.end_line]
    return f" ({inside[-1].name})" if inside else ""


def _listed(folder: str, paths: Collection[str]) -> str:
    start = f"{folder}/" if folder not in ("", ".") else ""
    inside = [path[len(start) :] for path in paths if path.startswith(start)]
    if folder in paths:
        return f"{folder} is a file; READ {folder} shows it."
    if not inside:
        return _missing(folder, {path.rpartition("/")[0] for path in paths})
    names = sorted({part + ("/" if rest else "") for part, _, rest in map(_split, inside)})
    more = f"\n[... {len(names) - _MOST_LISTED} more ...]" if len(names) > _MOST_LISTED else ""
    return f"{start or 'The root'} has:\n" + "\n".join(names[:_MOST_LISTED]) + more


def _split(path: str) -> tuple[str, str, str]:
    return path.partition("/")


def _missing(name: str, there: Collection[str]) -> str:
    last = name.rpartition("/")[2]
    same = sorted(path for path in there if path.rpartition("/")[2] == last)
    near = same[:3] or difflib.get_close_matches(name, list(there), n=3)
    hint = f" Did you mean {', '.join(near)}?" if near else ""
    return f"There is no {name}.{hint}"
