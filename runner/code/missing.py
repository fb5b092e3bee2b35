"""What an output says was not found: modules and packages of four languages. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from runner.text.patterns import lazy_pattern

Language = Literal["python", "node", "go", "rust"]
_MOST = 20

INSTALLED_AS = {
    "yaml": "PyYAML",
    "PIL": "Pillow",
    "cv2": "opencv-python",
    "sklearn": "scikit-learn",
    "skimage": "scikit-image",
    "bs4": "beautifulsoup4",
    "dotenv": "python-dotenv",
    "dateutil": "python-dateutil",
    "jwt": "PyJWT",
    "jose": "python-jose",
    "psycopg2": "psycopg2-binary",
    "serial": "pyserial",
    "Crypto": "pycryptodome",
    "attr": "attrs",
    "docx": "python-docx",
    "magic": "python-magic",
    "MySQLdb": "mysqlclient",
}
"""Packages that are installed under another name than they are imported by."""


@dataclass(frozen=True, slots=True)
class Missing:
    """What was not found: ``name`` as it is written, ``path`` as it would be in a tree.

    ``inside`` is True if the name itself shows that it is part of this repository.
    """

    language: Language
    name: str
    path: str
    inside: bool = False


def missing_in(text: str, module: str = "") -> tuple[Missing, ...]:
    """Return what a text says was not found; ``module`` is the repository's own Go module."""
    found = [each for read in _READERS for each in read(text, module)]
    return tuple(dict.fromkeys(found))[:_MOST]


# at the beginning of its line: elsewhere the words may be in a text that is compared
_PYTHON = lazy_pattern(
    r"^(?:E\s+)?(?:ModuleNotFoundError|ImportError): No module named ['\"]?(?P<name>[\w.]{1,200})",
    re.MULTILINE,
)
_NODE_MODULE = lazy_pattern(
    r"^.{0,80}?Cannot find (?P<what>module|package) '(?P<name>[^'\n]{1,300})'"
    r"(?P<resolved> imported from)?",
    re.MULTILINE,
)
# an ES module is named by its file, from the root of the tree, however it was imported; a package
# by its own name (https://nodejs.org/api/esm.html#resolution-algorithm-specification)
_NODE_FILE = lazy_pattern(r"(?!@|node_modules/)(?:.*/|.+\.[cm]?[jt]sx?$)")
_GO = lazy_pattern(
    r"(?:no required module provides package|cannot find module providing package|"
    r"cannot find package|^.{0,80}: package) \"?(?P<name>[\w./~-]{1,200})\"?"
    r"(?=;|:|\s|$)(?P<std> is not in (?:std|GOROOT))?",
    re.MULTILINE,
)
_RUST = lazy_pattern(
    r"unresolved import `(?P<path>[\w:]{1,200})`|can't find crate for `(?P<crate>\w{1,100})`"
    r"|use of (?:undeclared|unresolved) (?:crate or module|module or unlinked crate) "
    r"`(?P<use>\w{1,100})`|file not found for module `(?P<module>\w{1,100})`"
    r"|no matching package named `(?P<package>[\w-]{1,100})`"
)


def _python(text: str, _module: str) -> Iterator[Missing]:
    for found in _PYTHON.finditer(text):
        name = found["name"].strip(".")
        if name:
            yield Missing("python", name, name.replace(".", "/"))


def _node(text: str, _module: str) -> Iterator[Missing]:
    for found in _NODE_MODULE.finditer(text):
        name = found["name"]
        resolved = found["what"] == "module" and found["resolved"]
        if name.startswith((".", "/", "file:")) or (resolved and _NODE_FILE.match(name)):
            path = re.sub(r"^(?:file:/*|/|\.{1,2}/)+", "", name)
            yield Missing("node", name, re.sub(r"\.[cm]?[jt]sx?$", "", path), inside=True)
        elif not name.startswith("node:"):
            parts = name.split("/")
            yield Missing("node", "/".join(parts[: 2 if name.startswith("@") else 1]), name)


def _go(text: str, module: str) -> Iterator[Missing]:
    for found in _GO.finditer(text):
        name = found["name"].rstrip(".")
        if module and name.startswith(f"{module}/"):
            yield Missing("go", name, name.removeprefix(f"{module}/"), inside=True)
        elif "." in name.partition("/")[0]:
            yield Missing("go", name, name)
        elif found["std"]:
            yield Missing("go", name, name, inside=True)


def _rust(text: str, _module: str) -> Iterator[Missing]:
    for found in _RUST.finditer(text):
        name = next(value for value in found.groups() if value)
        top, _, rest = name.partition("::")
        if top in ("crate", "self", "super"):
            yield Missing("rust", name, rest.split("::")[0] or top, inside=True)
        elif top not in ("std", "core", "alloc"):
            yield Missing("rust", top, top, inside=bool(found["module"]))


_READERS: tuple[Callable[[str, str], Iterator[Missing]], ...] = (_python, _node, _go, _rust)
