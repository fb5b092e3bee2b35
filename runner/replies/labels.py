"""Tell the path of a block from what is written beside it.

Three places, strongest first: the info string, the lines above, the first line inside.
"""

from __future__ import annotations

import re
from collections.abc import Collection

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
_SUFFIXES = frozenset(_KINDS.split())
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
    return suffix[1].lower() in _SUFFIXES or name != word


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
