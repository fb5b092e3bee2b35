"""Answers given as fenced blocks: find out which block is which file.

The path is taken from the info string, the lines above, or the first line inside, in this order;
else from language, kind and content. Paths outside the tree are refused here.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from runner.answers.edits import are_edits, has_edits, is_diff, read_diff, read_edits
from runner.answers.fences import FencedBlock, Outline, fits, is_here_document, is_shell
from runner.answers.pieces import AnswerPiece, FileEdit, FoundPieces, Known, join, unreadable
from runner.code.languages import CODE_SUFFIXES, is_test_file
from runner.state.findings import Complaint
from runner.text.counting import counted

_BARE = (
    "Makefile Dockerfile LICENSE README CHANGELOG Procfile Gemfile Rakefile Vagrantfile Jenkinsfile"
    " .gitignore .gitattributes .dockerignore .editorconfig .env.example .npmrc .nvmrc"
)
_BARE_NAMES = frozenset(_BARE.split())
_KINDS = (
    "bash bat c cc cfg cjs conf cpp cs css csv cxx env go gradle h hpp htm html ini ipynb java js"
    " json jsonc jsx kt less lock lua md mdx mjs php pl proto ps1 py pyi r rb rs rst sass scala"
    " scss sh sql svelte svg swift tf toml ts tsx txt vue xml yaml yml zsh"
)
_SUFFIXES = {f".{kind}" for kind in _KINDS.split()} | CODE_SUFFIXES.keys()
_WORD = re.compile(r"^(?:[A-Za-z]:)?[\w.@+\-/\\()\[\]$~]+$")
_SUFFIX = re.compile(r"\.([A-Za-z][A-Za-z0-9]{0,8})$")
_INFO_KEY = re.compile(
    r"(?:title|file|filename|file_path|filepath|path|name)\s*[=:]\s*(?:\"([^\"]+)\"|'([^']+)'|([^\s}]+))",
    re.IGNORECASE,
)
_LEAD = re.compile(r"^(?:#{1,6}|[-*+>]|\(?\d+[.)])\s+")
_ROLE = re.compile(
    r"^(?:(?:create|add|update|updated|modify|edit|new|write|the|full|complete)\s+)*"
    r"(?:(?:file\s*name|file\s*path|filename|filepath|file|path)\b)?\s*[:=]?\s*",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"^\s*<[\w:]+\s[^<>]*?\w*(?:path|name|src)\s*=\s*[\"'](?P<path>[^\"'\n]+)[\"'][^<>]*>$"
)
_TAIL = re.compile(r"\s*\((?:[a-z ]*(?:new|updated|modified|file|unchanged|full)[a-z ]*)\)$", re.I)
_COMMENT = re.compile(
    r"^\s*(?P<mark>#|//|--|;|%|/\*|<!--)\s*(?:file\s*name|filename|file|path)?\s*:?\s*"
    r"(?P<path>\S+?)\s*(?:\*/|-->)?\s*$",
    re.IGNORECASE,
)
_NOT_THE_FILE = re.compile(r"(?i)\b(?:example|usage|use|run|call|try|output|test it|import)\b")


def looks_like_path(word: str, known: Collection[str] = ()) -> bool:
    """Whether one word can be meant as a file's path."""
    if word in known:
        return True
    if not _WORD.match(word) or "://" in word or len(word) > 300:
        return False
    name = re.split(r"[/\\]", word)[-1]
    suffix = _SUFFIX.search(name)
    if suffix is None:
        return name in _BARE_NAMES
    return suffix[0].lower() in _SUFFIXES or name != word


def from_info(info: str, known: Collection[str]) -> str:
    """Return the path in an info string (``python src/a.py``, ``py:src/a.py``, ``title="…"``)."""
    named = _INFO_KEY.search(info)
    if named:
        return next(group for group in named.groups() if group)
    if info in known:
        return info
    language, _, rest = info.partition(" ")
    if rest.strip() in known:
        return rest.strip()
    for word in [*rest.split(), language, language.partition(":")[2]]:
        word = word.strip("`\"'{}(),;")
        if looks_like_path(word, known) and ":" not in word.lstrip("./\\")[2:]:
            return word
    return ""


def from_line(line: str, known: Collection[str]) -> str:
    """Return the path when the line is nothing but a path, however it is dressed."""
    if (tag := _TAG.match(line)) and looks_like_path(tag["path"], known):
        return tag["path"]
    text = _LEAD.sub("", line.strip().replace("\\_", "_")).strip("*`\"' \t:")
    for candidate in (text, _TAIL.sub("", _ROLE.sub("", text))):
        word = candidate.strip("*`\"' \t:")
        if word in known or (word and looks_like_path(word, known)):
            return word
    return ""


def from_sentence(line: str, known: Collection[str]) -> str:
    """Return the path a sentence above a block is about, when it names exactly one."""
    if _NOT_THE_FILE.search(re.sub(r"`[^`]*`", "", line)):
        return ""
    words = (word.strip("*`\"'()[],;:.") for word in line.split())
    paths = {word for word in words if word and looks_like_path(word, known)}
    return paths.pop() if len(paths) == 1 else ""


def from_above(lines: Collection[str], known: Collection[str]) -> str:
    """Return the path in the lines above a block: the nearest that is a path, else its sentence."""
    near = [line for line in lines if line.strip()][-3:][::-1]
    exact = next((path for path in (from_line(line, known) for line in near) if path), "")
    return exact or (from_sentence(near[0], known) if near else "")


def from_first_line(line: str, known: Collection[str], *, markdown: bool = False) -> str:
    """Return the path in a block's first line: a comment that holds only it, or the bare path."""
    found = _COMMENT.match(line)
    if found and looks_like_path(found["path"], known):
        heading = found["mark"] == "#" and markdown
        return "" if heading else found["path"]
    word = re.sub(r"(?i)^file(?:name|path)?:\s*", "", line.strip())
    return word if word in known or ("/" in word and looks_like_path(word, known)) else ""


# names that live in many folders: a bare one is more likely a new file than a misspelt old one
_COMMON = (
    "__init__.py __main__.py conftest.py setup.py main.py index.js index.ts index.html"
    " package.json README.md Makefile Dockerfile .gitignore"
)
_EVERYWHERE = frozenset(_COMMON.split())
_WORKSPACES = ("workspace", "repo", "repository", "project")


@dataclass(frozen=True, slots=True)
class Resolved:
    """A path of the tree; ``note`` says what was changed in its spelling ('' if nothing)."""

    path: str
    note: str = ""


def resolve(
    written: str, *, paths: Collection[str], expected: Collection[str]
) -> Resolved | Complaint:
    """Return the path that is meant, or a complaint ``UnsafePath`` when it leaves the tree."""
    path = _tidy(written)
    if path.startswith(("/", "~")) or bool(re.match(r"[A-Za-z]:", path)):
        inside = _inside(path, paths, expected)
        if inside is None:
            return _unsafe(written, "is absolute")
        path = inside
    if not path or path == ".":
        return _unsafe(written, "names no file")
    if ".." in path.split("/"):
        return _unsafe(written, "leaves the repository ('..')")
    meant = path if path in expected or path in paths else _meant(path, paths, expected)
    note = "" if meant == written else f"{written}: taken as {meant}"
    return Resolved(meant, note)


def _tidy(written: str) -> str:
    path = written.strip().strip("`\"'").replace("\\", "/")
    if path.startswith("./"):
        path = path[2:]
    if ".." in path.split("/") or not path:
        return path
    leading = "/" if path.startswith("/") else ""
    return leading + posixpath.normpath(path).lstrip("/")


def _inside(path: str, paths: Collection[str], expected: Collection[str]) -> str | None:
    """Return the part of an absolute path that is in the tree, if it is unambiguous."""
    parts = re.sub(r"^[A-Za-z]:", "", path).lstrip("/~").split("/")
    if ".." in parts:
        return None
    for start in range(len(parts)):
        tail = "/".join(parts[start:])
        if tail in expected or ("/" in tail and tail in paths):
            return tail
    if parts[0] in _WORKSPACES and len(parts) > 1:
        return "/".join(parts[1:])
    top = parts[0] + "/"
    return "/".join(parts) if any(known.startswith(top) for known in paths) else None


def _meant(path: str, paths: Collection[str], expected: Collection[str]) -> str:
    """Return the one known file that an unknown spelling can mean, else the spelling itself."""
    wanted = [known for known in expected if _name(known) == _name(path)]
    if len(wanted) == 1:
        return wanted[0]
    folded = [known for known in paths if known.casefold() == path.casefold()]
    if len(folded) == 1:
        return folded[0]
    if "/" in path or path in _EVERYWHERE:
        return path
    same_name = [known for known in paths if _name(known) == path]
    return same_name[0] if len(same_name) == 1 else path


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _unsafe(written: str, why: str) -> Complaint:
    return Complaint(
        path=written,
        error="UnsafePath",
        message=f"The path {written!r} {why}.",
        advice="Give paths relative to the repository's root.",
    )


_TEST = re.compile(
    r"^\s*(?:async\s+)?def test|^\s*class Test|^\s*(?:test|it|describe)\s*\("
    r"|^func (?:Test|Fuzz)\w*\(|^\s*@Test\b|^\s*#\[test\]",
    re.MULTILINE,
)
_CODE = re.compile(
    r"^(?:export\s+(?:default\s+)?)?(?:async\s+)?"
    r"(?:def|class|function|func|pub fn|fn)\s+(?!\(?[Tt]est|Fuzz)\w",
    re.MULTILINE,
)
_ALIKE = 0.5
"""How much of a file's own lines a block must hold to be taken for a new version of it."""


def target(lines: Sequence[str], info: str, known: Known) -> str:
    """Return the one expected file that the lines can be; '' when that is in doubt."""
    kind = "bash" if is_here_document(lines) else info  # Python reads `cat <<EOF` as a shift
    found = [path for path in known.expected if fits(kind, path)]
    for narrower in (_of_kind, _by_content):
        if len(found) > 1:
            found = narrower(found, lines, known)
    return found[0] if len(found) == 1 else ""


def _of_kind(paths: Sequence[str], lines: Sequence[str], _known: Known) -> list[str]:
    """Keep test files for tests and other files for other code; all where the block has both."""
    text = "\n".join(lines)
    tests, code = bool(_TEST.search(text)), bool(_CODE.search(text))
    if tests and code:
        return list(paths)
    kept = [path for path in paths if is_test_file(path) == tests]
    return kept or list(paths)


def _by_content(paths: Sequence[str], lines: Sequence[str], known: Known) -> list[str]:
    """Keep the files that the block is a new version of, else the ones that do not exist yet."""
    new = {line.strip() for line in lines}
    old = {path: _lines(known.read(path)) for path in paths if path in known.paths}
    alike = [p for p, own in old.items() if own and len(own & new) >= _ALIKE * len(own)]
    missing = [path for path in paths if path not in old]
    return alike or missing or list(paths)


def _lines(content: bytes | None) -> set[str]:
    text = (content or b"").decode("utf-8", "replace")
    return {line.strip() for line in text.split("\n")} - {""}


def read_blocks(parts: Outline, known: Known, *, truncated: bool) -> FoundPieces:
    """Return what the blocks say; a block without a path is placed or reported."""
    found: list[FoundPieces] = []
    unnamed: list[FencedBlock] = []
    labelled = [(block, path_of(block, known)) for block in parts.blocks]
    whole = {p: block.lines for block, p in labelled if p and not _is_part(block, p, known)}
    for block, path in labelled:
        if truncated and not block.closed and block is parts.blocks[-1]:
            found.append(_cut_off(block, path))
        elif _has_edits(block, path, known):
            found.append(edits_of(block.lines, known, place=block.place, path=path))
        elif is_diff(block.lines, block.info) and _explains(block, path, whole):
            found.append(FoundPieces(notes=(f"{block.place} repeats a change as a diff: ignored",)))
        elif is_diff(block.lines, block.info):
            found.append(read_diff(block.lines, place=block.place, path=path))
        elif path:
            found.append(_whole(block, path, known))
        else:
            unnamed.append(block)
    pieces = [piece for part in found for piece in part.pieces]
    named = not all(known.is_example(piece.path) for piece in pieces)
    found.append(_unnamed(unnamed, known, named=named))
    return join(found)


def _is_part(block: FencedBlock, path: str, known: Known) -> bool:
    return _has_edits(block, path, known) or is_diff(block.lines, block.info)


def _has_edits(block: FencedBlock, path: str, known: Known) -> bool:
    """Whether a block is edits; a file's text may have the marks of edits and conflicts."""
    if not path or not has_edits(block.lines):
        return has_edits(block.lines)
    return are_edits(_without_label(block, path, known), old_lines(path, known))


def old_lines(written: str, known: Known) -> list[str] | None:
    """Return the lines of the file that a path in an answer means, None where there is none."""
    meant = resolve(written, paths=known.paths, expected=known.expected)
    path = meant.path if isinstance(meant, Resolved) else ""
    content = known.read(path) if path in known.paths else None
    return None if content is None else known.lines_of(path, content).texts


def _explains(block: FencedBlock, path: str, whole: Mapping[str, Sequence[str]]) -> bool:
    """Whether a diff only shows what changed in a file that the answer also gives whole."""
    given = [whole[path]] if path in whole else [] if path else list(whole.values())
    there = {line.rstrip() for lines in given for line in lines}
    added = {line[1:].rstrip() for line in block.lines if re.match(r"\+(?!\+\+ )", line)}
    return bool(there) and added <= there | {""}


def names_file(info: str, above: str, known: Known) -> bool:
    """Whether a fence with this info string under this line begins a file."""
    return bool(from_info(info, known.names) or from_line(above, known.names))


def path_of(block: FencedBlock, known: Known) -> str:
    """Return the path written beside a block ('' when there is none)."""
    first = next((line for line in block.lines if line.strip()), "")
    markdown = block.info.lower().startswith(("md", "markdown"))
    return (
        from_info(block.info, known.names)
        or from_above(block.above, known.names)
        or from_first_line(first, known.names, markdown=markdown)
    )


def edits_of(lines: Sequence[str], known: Known, *, place: str, path: str) -> FoundPieces:
    """Return the search/replace edits of a block; a path line above an edit names its file."""

    def label(at: int) -> str:
        above = next((line for line in reversed(lines[:at]) if line.strip()), "")
        return from_line(above.lstrip("#/ "), known.names)

    def old(at: int) -> Sequence[str]:
        labels = (
            label(start) for start in range(at, -1, -1) if has_edits(lines[start : start + 1])
        )
        named = next(filter(None, labels), path)
        return (old_lines(named, known) if named else None) or ()

    edits = read_edits(lines, old)
    if isinstance(edits, int):
        message = f"{place}: the edit that begins at its line {edits + 1} has no end marker."
        return FoundPieces(complaints=(unreadable(message, path=path),))
    pieces: list[AnswerPiece] = []
    for at, edit in edits:
        path = label(at) or path
        if not path:
            return FoundPieces(complaints=(unreadable(f"{place} edits a file without naming it."),))
        _join_edit(pieces, _edit_piece(path, place, edit))
    return FoundPieces(tuple(pieces))


def _join_edit(pieces: list[AnswerPiece], piece: AnswerPiece) -> None:
    """Put edits of one file together: they are applied all or not at all."""
    last = pieces[-1] if pieces else None
    if last and last.path == piece.path and last.text is None and piece.text is None:
        pieces[-1] = replace(last, edits=(*last.edits, *piece.edits))
    else:
        pieces.append(piece)


def _edit_piece(path: str, place: str, edit: FileEdit) -> AnswerPiece:
    if not any(line.strip() for line in edit.search):
        return AnswerPiece(path, place, text="\n".join(edit.replace), edits=(edit,))
    return AnswerPiece(path, place, edits=(edit,))


def _whole(block: FencedBlock, path: str, known: Known) -> FoundPieces:
    lines = _without_label(block, path, known)
    notes = () if block.closed else (f"{path}: the fence of {block.place} was not closed",)
    return FoundPieces((AnswerPiece(path, block.place, text="\n".join(lines)),), notes=notes)


def _without_label(block: FencedBlock, path: str, known: Known) -> tuple[str, ...]:
    """Drop a first line that is only the path, unless the file had that line before."""
    at = next((i for i, line in enumerate(block.lines) if line.strip()), None)
    if at is None:
        return block.lines
    label = from_first_line(block.lines[at], known.names, markdown=path.endswith(".md"))
    old = known.read(path) if path in known.names else None
    kept = old is not None and old.split(b"\n")[0].strip() == block.lines[at].strip().encode(
        "utf-8", "replace"
    )
    return block.lines[at + 1 :] if label and label == path and not kept else block.lines


def _cut_off(block: FencedBlock, path: str) -> FoundPieces:
    what = path or block.place
    message = (
        f"The answer stops in the middle of {what}, after {counted(len(block.lines), 'line')}."
    )
    advice = "Answer again with the whole file, shorter if possible."
    cut = unreadable(message, path=path, error="TruncatedAnswer", advice=advice)
    return FoundPieces(complaints=(cut,))


def _unnamed(blocks: Sequence[FencedBlock], known: Known, *, named: bool) -> FoundPieces:
    """Place blocks without a path; beside named ones they are examples and are ignored."""
    if named:
        return FoundPieces(notes=tuple(f"{block.place} has no path: ignored" for block in blocks))
    found: list[FoundPieces] = []
    targets = [target(block.lines, block.info, known) for block in blocks]
    wanted = {path for path in targets if path}
    placed: set[str] = set()
    for block, path in zip(blocks, targets, strict=True):
        complete = bool(placed) and placed == set(known.expected)
        if path and path not in placed and (len(wanted) == 1 or targets.count(path) == 1):
            placed.add(path)
            note = f"{path}: taken from {block.place}, which names no path"
            found += [FoundPieces(notes=(note,)), _whole(block, path, known)]
        elif is_shell(block.info, block.lines) or complete or path in placed:
            found.append(FoundPieces(notes=(f"{block.place} has no path: ignored",)))
        else:
            message = f"{block.place.capitalize()} has no path."
            advice = "Write the path of the file on a line of its own, then the fence."
            found.append(FoundPieces(complaints=(unreadable(message, advice=advice),)))
    return join(found)
