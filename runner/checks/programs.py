"""Check the syntax of Python, JavaScript, TypeScript and shell.

Python is checked by the compiler that Cairn runs on; the container's own Python decides in the
verification. What a grammar does not know is left to the language's own tools.
"""

from __future__ import annotations

import warnings

from runner.checks.grammars import checked, line_at
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
        column = error.offset if error.offset and error.offset > 0 else None
        excerpt = numbered(content.decode("utf-8", "replace"), error.lineno or 1)
        kind = type(error).__name__
        return Complaint(path, kind, error.msg, error.lineno, column, excerpt)
    except (RecursionError, MemoryError):
        return Complaint(path, "SyntaxError", "The code is nested too deeply to be compiled.")
    except ValueError as error:  # a null byte, which the compiler reports without its place
        before = content.partition(b"\0")[0]
        line, column = before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
        return Complaint(path, "SyntaxError", str(error), line, column)
    return None


# types that another tool takes out (https://flow.org/en/docs/usage/)
_FLOW = lazy_pattern(rb"@flow\b")


def check_javascript(path: str, content: bytes) -> Complaint | None:
    """Return the first error of a JavaScript file, or None; Flow types are not checked."""
    if _FLOW.search(content, 0, 2_000):
        return None
    return checked(path, content, "javascript", further=mismatch if b"</" in content else None)


# variance annotations (https://www.typescriptlang.org/docs/handbook/2/generics.html) and ``using``
_NEW = lazy_pattern(rb"\b(?:in|out|using|defer|accessor|unique)\s+\$?\w+")


def check_typescript(path: str, content: bytes) -> Complaint | None:
    """Return the first error of a TypeScript file, or None; declarations are not looked at."""
    if path.endswith((".d.ts", ".d.mts", ".d.cts")):
        return None
    if path.lower().endswith("x"):
        return checked(path, content, "tsx", _plausible_typescript, further=mismatch)
    return checked(path, content, "typescript", _plausible_typescript)


def _plausible_typescript(content: bytes, offset: int) -> bool:
    return _NEW.search(line_at(content, offset)) is None


_OTHER = lazy_pattern(rb"#!.*\b(?:zsh|fish|t?csh|ksh)\b|#compdef\b")
_EXOTIC = lazy_pattern(rb"\[\[|\(\(|\)\)|\$\{[^}]*[#%/:(~^,@!]|<<|`|\$\(|[@?*+!]\(")
_WORD = lazy_pattern(rb"\s*(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|\}|\)|;;|\Z)")
_FUNCTION = lazy_pattern(rb"\s*(?:function\s+)?[\w-]+\s*\(\)\s*\{?\s*$")


def check_shell(path: str, content: bytes) -> Complaint | None:
    """Return the first error of a shell script, or None; other shells' are not checked."""
    return None if _OTHER.match(content) else checked(path, content, "bash", _plausible_shell)


def _plausible_shell(content: bytes, offset: int) -> bool:
    """Say whether the structure is broken there, or a line without any expansion."""
    line = line_at(content, offset)
    if _EXOTIC.search(line) or _FUNCTION.match(line):
        return False
    return _WORD.match(content, offset) is not None or b"," not in line
