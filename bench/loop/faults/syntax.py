"""The syntax layer: code in, code that does not parse out, None where the fault does not fit.

``place`` in [0, 1) chooses where.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Mapping

import tree_sitter_javascript
from tree_sitter import Language, Parser

SyntaxFault = Callable[[str, float], str | None]

_JAVASCRIPT = Parser(Language(tree_sitter_javascript.language()))
_BLOCK = re.compile(r"^\s*(?:def|if|elif|else|for|while|class)\b.*:$")
_DOCSTRING = re.compile(r'^\s*"""[^"]+"""$')
_STRING = re.compile(r"""(?<!["'])(["'])[^"'\\]+\1(?!["'])""")


def broken(path: str, code: str) -> bool:
    """Whether a file does not parse: by Python itself, JavaScript by its grammar."""
    if path.endswith(".js"):
        return _JAVASCRIPT.parse(code.encode()).root_node.has_error
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(code, path, "exec", ast.PyCF_ONLY_AST)
        except (SyntaxError, ValueError):
            return True
    return False


def _at(lines: list[str], wanted: Callable[[str], object], place: float) -> int | None:
    found = [number for number, line in enumerate(lines) if wanted(line)]
    return found[int(place * len(found))] if found else None


def _on_line(
    wanted: Callable[[str], object], change: Callable[[str], str]
) -> Callable[[str, float], str | None]:
    """Make a fault that changes one of the lines that are wanted."""

    def fault(code: str, place: float) -> str | None:
        lines = code.split("\n")
        number = _at(lines, wanted, place)
        if number is None:
            return None
        lines[number] = change(lines[number])
        return "\n".join(lines)

    return fault


def _no_body(code: str, place: float) -> str | None:
    """Stop after the head of the last function."""
    lines = code.split("\n")
    heads = [
        n for n, line in enumerate(lines) if re.match(r"\s*(?:export )?(?:def|function) ", line)
    ]
    return "\n".join(lines[: heads[-1] + 1]) + "\n" if heads else None


def _inserted(text: str) -> Callable[[str, float], str | None]:
    """Make a fault that puts a line before a line inside a body."""

    def fault(code: str, place: float) -> str | None:
        lines = code.split("\n")
        number = _at(lines, lambda line: re.match(r"\s+\w", line), place)
        if number is None:
            return None
        indent = lines[number][: len(lines[number]) - len(lines[number].lstrip())]
        return "\n".join([*lines[:number], indent + text, *lines[number:]])

    return fault


def _ellipsis(code: str, place: float) -> str | None:
    """Put an ellipsis sentence in the place of the second half of the lines."""
    lines = code.rstrip("\n").split("\n")
    kept = max(1, len(lines) // 2)
    return "\n".join([*lines[:kept], "... rest of the code remains the same ...", ""])


def _bracket(line: str) -> str:
    return line[: line.rindex(")")] + line[line.rindex(")") + 1 :]


def _typographic(line: str) -> str:
    return _STRING.sub(lambda found: f"\u201c{found[0][1:-1]}\u201d", line, count=1)


def _tabbed(line: str) -> str:
    return line.replace("        ", "\t", 1)


SYNTAX: Mapping[str, SyntaxFault] = {
    "quote4": _on_line(_DOCSTRING.match, lambda line: line + '"'),
    "open_docstring": _on_line(_DOCSTRING.match, lambda line: line[:-3]),
    "no_colon": _on_line(_BLOCK.match, lambda line: line[:-1]),
    "bracket": _on_line(lambda line: ")" in line, _bracket),
    "mixed_indent": _on_line(re.compile(r" {8}\w").match, _tabbed),
    "bad_indent": _on_line(re.compile(r" {4}\w").match, lambda line: " " + line),
    "open_string": _on_line(_STRING.search, lambda line: _STRING.sub(lambda m: m[0][:-1], line, 1)),
    "no_body": _no_body,
    "print_statement": _inserted('print "here", 1'),
    "smart_quotes": _on_line(_STRING.search, _typographic),
    "lazy_ellipsis": _ellipsis,
    "prose_inside": _inserted("Here we go through the values one after the other."),
}
