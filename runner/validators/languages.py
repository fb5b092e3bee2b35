"""Which syntax check a file gets, by its suffix or name: one literal table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

from runner.findings import Complaint
from runner.validators import (
    c_like,
    css,
    grammar,
    grammars,
    html,
    javascript,
    json_,
    python,
    shell,
    sql,
    toml_,
    typescript,
    yaml_,
)
from runner.validators.grammar import Grammar

Check = Callable[[str, bytes], Complaint | None]

BY_SUFFIX: dict[str, Check] = {
    ".py": python.check,
    ".pyi": python.check,
    ".json": json_.check,
    ".webmanifest": json_.check,
    ".ipynb": json_.check,
    ".yaml": yaml_.check,
    ".yml": yaml_.check,
    ".toml": toml_.check,
    ".sql": sql.check,
    ".sh": shell.check,
    ".bash": shell.check,
    ".js": javascript.check,
    ".mjs": javascript.check,
    ".cjs": javascript.check,
    ".jsx": javascript.check,
    ".ts": typescript.check,
    ".mts": typescript.check,
    ".cts": typescript.check,
    ".tsx": typescript.check,
    ".go": partial(grammars.checked, language=grammars.GO),
    ".rs": partial(grammars.checked, language=grammars.RUST),
    ".java": partial(grammars.checked, language=grammars.JAVA),
    ".rb": partial(grammars.checked, language=grammars.RUBY),
    ".rake": partial(grammars.checked, language=grammars.RUBY),
    ".gemspec": partial(grammars.checked, language=grammars.RUBY),
    ".php": partial(grammars.checked, language=grammars.PHP),
    ".c": c_like.check_c,
    ".h": c_like.check_header,
    ".cc": c_like.check_cpp,
    ".cpp": c_like.check_cpp,
    ".cxx": c_like.check_cpp,
    ".hh": c_like.check_cpp,
    ".hpp": c_like.check_cpp,
    ".hxx": c_like.check_cpp,
    ".html": html.check,
    ".htm": html.check,
    ".css": css.check,
}
BY_NAME: dict[str, Check] = {
    "Pipfile": toml_.check,
    "poetry.lock": toml_.check,
    "uv.lock": toml_.check,
    "Cargo.lock": toml_.check,
    "Pipfile.lock": json_.check,
    ".clang-format": yaml_.check,
    "Gemfile": partial(grammars.checked, language=grammars.RUBY),
    "Rakefile": partial(grammars.checked, language=grammars.RUBY),
    ".bashrc": shell.check,
}
EXACT: frozenset[Check] = frozenset((python.check, json_.check, yaml_.check, toml_.check))
"""Checks that know all of their language; a grammar may be older than the code it sees."""
_GRAMMARS: dict[Check | None, Grammar] = {
    javascript.check: grammars.JAVASCRIPT,
    typescript.check: grammars.TSX,
    shell.check: grammars.BASH,
    css.check: grammars.CSS,
    html.check: grammars.HTML,
    c_like.check_c: grammars.C,
    c_like.check_cpp: grammars.CPP,
    c_like.check_header: grammars.CPP,
}


def check_for(path: str) -> Check | None:
    """Return the syntax check of a path; None when the language is not known here."""
    name = path.rpartition("/")[2]
    _, dot, suffix = name.rpartition(".")
    return BY_NAME.get(name) or BY_SUFFIX.get((dot + suffix).lower())


def grammar_for(path: str) -> Grammar | None:
    """Return the grammar of a path's language; None where there is none."""
    check = check_for(path)
    if isinstance(check, partial):
        return cast(Grammar, check.keywords["language"])
    return _GRAMMARS.get(check)


def faults(path: str, content: bytes) -> int:
    """Return how many errors a grammar sees in a file; 1 where there is none to ask."""
    language = grammar_for(path)
    return grammar.count(language, content) if language else 1
