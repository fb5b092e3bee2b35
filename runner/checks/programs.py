"""Check the syntax of Python, JavaScript, TypeScript, shell, C and C++.

Python is checked by the compiler that Cairn runs on; the container's own Python decides in the
verification. What a grammar does not know is left to the language's own tools.
"""

from __future__ import annotations

import re
import warnings

from runner.checks.grammars import (
    BASH,
    CPP,
    JAVASCRIPT,
    TSX,
    TYPESCRIPT,
    C,
    SyntaxGrammar,
    checked,
    line_at,
)
from runner.checks.markup import mismatch
from runner.state.findings import Complaint
from runner.text.patterns import lazy_pattern
from runner.text.sanitize import numbered


def check_python(path: str, content: bytes) -> Complaint | None:
    """Return the first syntax error of a Python file, or None. Nothing is run, nothing warns."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(content, path.encode("utf-8", "replace"), "exec", dont_inherit=True)
    except SyntaxError as error:
        return _complaint(path, content, error)
    except (RecursionError, MemoryError):
        return Complaint(path, "SyntaxError", "The code is nested too deeply to be compiled.")
    except ValueError as error:
        return _null_byte(path, content, error)
    return None


def _complaint(path: str, content: bytes, error: SyntaxError) -> Complaint:
    return Complaint(
        path=path,
        error=type(error).__name__,
        message=error.msg,
        line=error.lineno,
        column=error.offset if error.offset and error.offset > 0 else None,
        excerpt=numbered(content.decode("utf-8", "replace"), error.lineno or 1),
    )


def _null_byte(path: str, content: bytes, error: ValueError) -> Complaint:
    """Complain about a null byte, which the compiler reports without its place."""
    before = content.partition(b"\0")[0]
    line = before.count(b"\n") + 1
    return Complaint(path, "SyntaxError", str(error), line, len(before) - before.rfind(b"\n"))


# types that another tool takes out (https://flow.org/en/docs/usage/)
_FLOW = lazy_pattern(rb"@flow\b")


def check_javascript(path: str, content: bytes) -> Complaint | None:
    """Return the first error of a JavaScript file, or None; Flow types are not checked."""
    if _FLOW.search(content, 0, 2_000):
        return None
    return checked(path, content, JAVASCRIPT, further=mismatch if b"</" in content else None)


# variance annotations (https://www.typescriptlang.org/docs/handbook/2/generics.html) and ``using``
_NEW = lazy_pattern(rb"\b(?:in|out|using|defer|accessor|unique)\s+\$?\w+")


def check_typescript(path: str, content: bytes) -> Complaint | None:
    """Return the first error of a TypeScript file, or None; declarations are not looked at."""
    if path.endswith((".d.ts", ".d.mts", ".d.cts")):
        return None
    if path.lower().endswith("x"):
        return checked(path, content, TSX, _plausible_typescript, further=mismatch)
    return checked(path, content, TYPESCRIPT, _plausible_typescript)


def _plausible_typescript(content: bytes, offset: int) -> bool:
    return _NEW.search(line_at(content, offset)) is None


_OTHER = lazy_pattern(rb"#!.*\b(?:zsh|fish|t?csh|ksh)\b|#compdef\b")
_EXOTIC = lazy_pattern(rb"\[\[|\(\(|\)\)|\$\{[^}]*[#%/:(~^,@!]|<<|`|\$\(|[@?*+!]\(")
_WORD = lazy_pattern(rb"\s*(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|\}|\)|;;|\Z)")
_FUNCTION = lazy_pattern(rb"\s*(?:function\s+)?[\w-]+\s*\(\)\s*\{?\s*$")


def check_shell(path: str, content: bytes) -> Complaint | None:
    """Return the first error of a shell script, or None; other shells' are not checked."""
    return None if _OTHER.match(content) else checked(path, content, BASH, _plausible_shell)


def _plausible_shell(content: bytes, offset: int) -> bool:
    """Say whether the structure is broken there, or a line without any expansion."""
    line = line_at(content, offset)
    if _EXOTIC.search(line) or _FUNCTION.match(line):
        return False
    return _WORD.match(content, offset) is not None or b"," not in line


# of whose branches only one is compiled, and nothing here says which; a guard of a header has none
_BRANCHES = lazy_pattern(rb"^[ \t]*#[ \t]*(?:else|elif|if\b|ifdef)", re.MULTILINE)
_DEFINED = lazy_pattern(
    rb"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)\n]*\))?[ \t]*([^\n]*)", re.MULTILINE
)
_SIMPLE_VALUE = lazy_pattern(rb"\(?[ \t]*[-~(]*(?:[0-9.]|\"|'|sizeof\b)[^\n]*")
_COMMENT_OR_TEXT = lazy_pattern(
    rb"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL
)
# words in capitals that are values or types of the standard library, not syntax
_VALUE = lazy_pattern(
    rb"NULL|EOF|FILE|DIR|TRUE|FALSE|BUFSIZ|RAND_MAX|EXIT_\w+|SEEK_\w+|CHAR_BIT|CLOCKS_PER_SEC"
    rb"|U?(?:INT|LONG|LLONG|CHAR|SHRT|SIZE)\w*_(?:MAX|MIN)|(?:DBL|FLT)_\w+|SIG[A-Z]+|E[A-Z]{4,}"
    rb"|M_PI|PATH_MAX|[A-Z]\w?"
)
_MACRO = lazy_pattern(
    rb"\b(?:[A-Z_][A-Z0-9_]+|\w+_[A-Z]{3,}\w*|__\w+|_[A-Z]\w*|co_\w+"
    rb"|requires|concept|import|module|operator|va_arg)\b"
)
_BOUNDARY = lazy_pattern(rb"\n[ \t\r]*\n(?=[^\s}])|\n}")
_CPP_ONLY = lazy_pattern(rb"\b(?:class|template|namespace|public|private)\b|::")


def check_c(path: str, content: bytes) -> Complaint | None:
    """Return the first error of a C file, or None."""
    return _check(path, content, C)


def check_cpp(path: str, content: bytes) -> Complaint | None:
    """Return the first error of a C++ file, or None."""
    return _check(path, content, CPP)


def check_header(path: str, content: bytes) -> Complaint | None:
    """Return the first error of a header that is one in C and in C++, or None."""
    as_cpp = _check(path, content, CPP)
    as_c = _check(path, content, C) if as_cpp else None
    return as_cpp if as_c and _CPP_ONLY.search(content) else as_c


def _check(path: str, content: bytes, language: SyntaxGrammar) -> Complaint | None:
    if len(content) > language.largest or _BRANCHES.search(content):
        return None
    macros = frozenset(
        found[1]
        for found in _DEFINED.finditer(content)
        if found[2] or not _SIMPLE_VALUE.fullmatch(found[3])
    )
    values = frozenset(found[1] for found in _DEFINED.finditer(content)) - macros

    def plausible(code: bytes, offset: int) -> bool:
        """Say whether no word of the declaration up to the error can be a macro."""
        words = set(re.findall(rb"\w+", near := _declaration(code, offset)))
        capitals = {w for w in _MACRO.findall(near) if not _VALUE.fullmatch(w)} - values
        return not capitals and not macros & words

    return checked(path, content, language, plausible)


def _declaration(code: bytes, offset: int) -> bytes:
    """Return the code from the start of the declaration before to the line behind an offset."""
    end = code.find(b"\n", len(code) - len(code[offset:].lstrip()))
    head = _COMMENT_OR_TEXT.sub(b" ", code[: end if end >= 0 else len(code)])
    ends = [found.end() for found in _BOUNDARY.finditer(head, 0, len(head.rstrip()) - 1)]
    return head[ends[-2] :] if len(ends) > 1 else head
