"""Answers given as JSON, as models write it: fenced, bare, trailing commas, Python dicts."""

from __future__ import annotations

import ast
import html
import itertools
import json
import re
import warnings
from collections.abc import Callable, Mapping, Sequence

from runner.answers.blocks import looks_like_path, path_of
from runner.answers.fences import outline, unescape_newlines
from runner.answers.pieces import AnswerPiece, FileEdit, FoundPieces, Known, join, unreadable

_PATH = ("path", "file", "filename", "file_path", "filepath", "name")
_TEXT = (
    "content",
    "contents",
    "code",
    "text",
    "source",
    "new_content",
    "file_content",
    "file_text",
)
_LISTS = ("files", "changes", "edits", "file_changes", "file", "tool_calls", "calls")
_ARGUMENTS = ("arguments", "parameters", "input", "args")
_SEARCH = ("search", "old_str", "old_string", "old_text")
_REPLACE = ("replace", "new_str", "new_string", "new_text")
_TRAILING = re.compile(r'("(?:\\.|[^"\\])*"?)|,(\s*[\]}])', re.DOTALL)
_LOOKS = re.compile(r'["\'](?:' + "|".join((*_PATH, "files", "changes")) + r')["\']\s*:')
_JSON = {"", "json", "json5", "jsonc"}
_INFOS = {*_JSON, "python"}
_DECODER = json.JSONDecoder(strict=False)
_MOST_FAILED = 20
_LONGEST_LITERAL = 500_000


def is_json(text: str) -> bool:
    """Whether an answer is braces, or brackets, from its beginning to its end."""
    whole = text.strip()
    return whole[:1] in {"{", "["} and whole[-1:] in {"}", "]"}


def read_json(text: str, known: Known) -> tuple[FoundPieces, str]:
    """Return what the JSON of an answer says, and the answer with the lines of it blank.

    If no JSON says which files to write, nothing is found and the entire answer is left.
    """
    several, rest = _several(text, known)
    one, rest = _one(rest, known)
    return join([several, one]), rest


def _several(text: str, known: Known) -> tuple[FoundPieces, str]:
    """Read the JSON of each fence, and that which begins lines of its own outside of them.

    Other files may be given in another form beside it. What is not valid is left to ``_one``, and
    everything if that is outside of a fence: its end is in doubt.
    """
    left, found = text.split("\n"), list[FoundPieces]()
    parts = outline(text, lambda _info, _line: False)
    for block in parts.blocks:
        is_file = block.info.lower() not in _JSON or path_of(block, known)
        if not is_file and (items := _items(lenient_json(block.text), known)):
            found.append(_found(items))
            end = block.line + len(block.lines) + block.closed
            left[block.line - 1 : end] = [""] * (end - block.line + 1)
    begins = [number for number, line in parts.prose if line[:1] in {"{", "["}]
    outside = _outside(left, begins, known)
    if outside is None:
        return FoundPieces(), text
    return join([*found, *outside]), "\n".join(left)


def _outside(left: list[str], begins: Sequence[int], known: Known) -> list[FoundPieces] | None:
    """Read the JSON that begins these lines (from 1) and blank it; None where it may not end."""
    text, found, done, failed = "\n".join(left), list[FoundPieces](), 0, 0
    starts = [0, *itertools.accumulate(len(line) + 1 for line in left)]
    for number in begins:
        if number <= done or failed > _MOST_FAILED:
            continue
        start = starts[number - 1]
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            if _LOOKS.search(text[start : start + 2000]):
                return None
            failed += 1
            continue
        if items := _items(value, known):
            found.append(_found(items))
            done = number + text.count("\n", start, end)
            left[number - 1 : done] = [""] * (done - number + 1)
    return found


def _one(text: str, known: Known) -> tuple[FoundPieces, str]:
    """Read the JSON that is the entire answer, its only fence, or all between its braces."""
    raw, rest = _candidate(text, known)
    value = lenient_json(raw)
    if items := _items(value, known):
        return _found(items), rest
    if value is None and raw.lstrip()[:1] in "{[" and _LOOKS.search(raw[:2000]):
        return FoundPieces(complaints=(unreadable(_why(raw)),)), rest
    return FoundPieces(), text


def read_call(raw: str, known: Known) -> FoundPieces | None:
    """Return what the call of a tool writes, as JSON with the tool's name and its arguments."""
    items = _items(lenient_json(raw), known)
    return _found(items) if items else None


def _candidate(text: str, known: Known) -> tuple[str, str]:
    """The text that may be the JSON (all, one fence's inside, the braces'), and what is left."""
    whole = text.strip()
    if whole.startswith(("{&quot;", "[{&quot;")):
        whole = html.unescape(whole)
    if is_json(whole):
        return whole, ""
    parts = outline(text, lambda _info, _line: False)
    only = parts.blocks[0] if len(parts.blocks) == 1 else None
    if only and only.info.lower() in _INFOS and not path_of(only, known):
        lines = dict(parts.prose)
        rest = (lines.get(number, "") for number in range(1, text.count("\n") + 2))
        return only.text, "\n".join(rest)
    if parts.blocks or "{" not in text:
        return "", text
    start = min(at for at in (text.find("{"), text.find("[")) if at >= 0)
    end = max(text.rfind("}"), text.rfind("]")) + 1
    end = end if end > start else len(text)
    raw = text[start:end]
    return raw, text[:start] + "\n" * raw.count("\n") + text[end:]


def lenient_json(raw: str) -> object:
    """Read JSON, each reading more lenient than the one before; None when none can.

    Half a character, which JSON can say and nothing can carry, stays: content with it is refused.
    """
    readings: tuple[Callable[[], object], ...] = (
        lambda: json.loads(raw),
        lambda: json.loads(raw, strict=False),
        lambda: json.loads(_TRAILING.sub(lambda m: m[1] or m[2], raw), strict=False),
        lambda: _literal(raw),
    )
    for reading in readings:
        try:
            return reading()
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
    return None


def _literal(raw: str) -> object:
    if len(raw) > _LONGEST_LITERAL:
        raise ValueError("too long")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.literal_eval(raw.strip())


def _why(raw: str) -> str:
    try:
        json.loads(raw, strict=False)
    except json.JSONDecodeError as error:
        return (
            f"The JSON of the answer is broken at line {error.lineno}, column {error.colno}: "
            f"{error.msg}."
        )
    except (ValueError, RecursionError):
        return "The JSON of the answer is nested too deeply or holds a number that is too long."
    return "The JSON of the answer does not say which files to write."


def _items(value: object, known: Known) -> list[dict[object, object]]:
    """Return the file entries in whatever wrapper they came."""
    if isinstance(value, list):
        value = [_arguments(item) for item in value]
        entries = [item for item in value if isinstance(item, dict) and _is_entry(item)]
        return entries if len(entries) == len(value) else []
    value = _arguments(value)
    if not isinstance(value, dict):
        return []
    if _is_entry(value):
        return [value]
    for key in _LISTS:
        inner = value.get(key)
        if isinstance(inner, list | dict) and (items := _items(inner, known)):
            return items
    if value and all(isinstance(v, str) and _keyed(k, v, known) for k, v in value.items()):
        return [{"path": key, "content": text} for key, text in value.items()]
    return []


def _arguments(value: object) -> object:
    """Return the arguments where the value is the call of a tool, else the value."""
    if not isinstance(value, dict):
        return value
    function = value.get("function")
    call: dict[object, object] = function if isinstance(function, dict) else value
    inner = first_of(call, _ARGUMENTS)
    if isinstance(inner, str):
        inner = lenient_json(inner)
    return inner if isinstance(inner, dict) else value


def _keyed(path: object, text: str, known: Known) -> bool:
    names = isinstance(path, str) and looks_like_path(path, known.names)
    return names and (path in known.names or "\n" in text or "\\n" in text)


def _is_entry(item: dict[object, object]) -> bool:
    path, text = first_of(item, _PATH), first_of(item, _TEXT)
    if "path" not in item and not (isinstance(path, str) and looks_like_path(path)):
        return False  # any object may have a name
    edit = all(isinstance(first_of(item, keys), str) for keys in (_SEARCH, _REPLACE))
    return isinstance(path, str) and (isinstance(text, str) or edit or _deletes(item))


def _deletes(item: dict[object, object]) -> bool:
    words = (item.get("action"), item.get("type"), item.get("operation"))
    return item.get("delete") is True or any(
        word in {"delete", "remove"} for word in words if isinstance(word, str)
    )


def first_of(item: Mapping[object, object], keys: Sequence[str]) -> object:
    """Return the value of the first of these keys that an object has."""
    return next((item[key] for key in keys if key in item), None)


def _found(items: list[dict[object, object]]) -> FoundPieces:
    pieces, notes = [], []
    for number, item in enumerate(items, 1):
        path, place = str(first_of(item, _PATH)), f"entry {number} of the JSON answer"
        text = first_of(item, _TEXT)
        if _deletes(item):
            pieces.append(AnswerPiece(path, place))
        elif isinstance(text, str):
            content, problem = _content(text, path)
            notes += problem
            pieces.append(AnswerPiece(path, place, text=content))
        else:
            search, replace = str(first_of(item, _SEARCH)), str(first_of(item, _REPLACE))
            edit = FileEdit(
                tuple(search.strip("\n").split("\n")), tuple(replace.strip("\n").split("\n"))
            )
            pieces.append(AnswerPiece(path, place, edits=(edit,)))
    return FoundPieces(tuple(pieces), notes=tuple(notes))


def _content(text: str, path: str) -> tuple[str, list[str]]:
    """Take a double escape and a fence off the content of one entry."""
    notes = []
    plain = unescape_newlines(text.replace("\r\n", "\n"), path)
    if plain != text.replace("\r\n", "\n"):
        notes.append(f"{path}: put \\n back into line breaks")
    if plain.lstrip().startswith(("```", "~~~")):
        blocks = outline(plain.strip(), lambda _info, _line: False).blocks
        if len(blocks) == 1 and not path.endswith((".md", ".mdx")):
            notes.append(f"{path}: removed the fence around the file")
            plain = blocks[0].text
    return plain, notes
