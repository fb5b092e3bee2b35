"""Which syntax check a file gets: that of its language's grammar, or one written for its format."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from runner.checks import data_formats, grammars, markup, programs, sql
from runner.checks import grammars as grammar
from runner.code.languages import CODE_SUFFIXES, LANGUAGES, language_of
from runner.state.findings import Complaint

Check = Callable[[str, bytes], Complaint | None]

_SPECIAL: dict[str, Check] = {
    ".py": programs.check_python,
    ".pyi": programs.check_python,
    ".json": data_formats.check_json,
    ".webmanifest": data_formats.check_json,
    ".ipynb": data_formats.check_json,
    ".yaml": data_formats.check_yaml,
    ".yml": data_formats.check_yaml,
    ".toml": data_formats.check_toml,
    ".sql": sql.check_sql,
    ".sh": programs.check_shell,
    ".bash": programs.check_shell,
    ".js": programs.check_javascript,
    ".mjs": programs.check_javascript,
    ".cjs": programs.check_javascript,
    ".jsx": programs.check_javascript,
    ".ts": programs.check_typescript,
    ".mts": programs.check_typescript,
    ".cts": programs.check_typescript,
    ".tsx": programs.check_typescript,
    ".css": markup.check_css,
}
"""Checks that know more than a grammar, or a format that is no language of code."""

_UNCHECKED = ("c", "cpp", "html", "css")
"""What only a compiler can judge, for its macros; and what browsers read however it is written."""

_BY_GRAMMAR = {
    name: partial(grammars.checked, language=name) for name in LANGUAGES if name not in _UNCHECKED
}
BY_SUFFIX: dict[str, Check] = {
    suffix: _BY_GRAMMAR[name] for suffix, name in CODE_SUFFIXES.items() if name in _BY_GRAMMAR
} | _SPECIAL
BY_NAME: dict[str, Check] = {
    "Pipfile": data_formats.check_toml,
    "poetry.lock": data_formats.check_toml,
    "uv.lock": data_formats.check_toml,
    "Cargo.lock": data_formats.check_toml,
    "Pipfile.lock": data_formats.check_json,
    ".clang-format": data_formats.check_yaml,
    "Gemfile": _BY_GRAMMAR["ruby"],
    "Rakefile": _BY_GRAMMAR["ruby"],
    ".bashrc": programs.check_shell,
}
EXACT: frozenset[Check] = frozenset(
    (
        programs.check_python,
        data_formats.check_json,
        data_formats.check_yaml,
        data_formats.check_toml,
    )
)
"""Checks that know all of their language; a grammar may be older than the code it sees."""


def check_for(path: str) -> Check | None:
    """Return the syntax check of a path; None when the language is not known here."""
    name = path.rpartition("/")[2]
    _, dot, suffix = name.rpartition(".")
    return BY_NAME.get(name) or BY_SUFFIX.get((dot + suffix).lower())


def faults(path: str, content: bytes) -> int:
    """Return how many errors a grammar sees in a file; 1 without a grammar."""
    language = language_of(path)
    return grammar.count(language, content) if language else 1
