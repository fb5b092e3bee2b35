"""Shell scripts (POSIX and Bash); expansions the grammar does not know are left to the shell."""

from __future__ import annotations

import re

from runner.findings import Complaint
from runner.validators.grammars import BASH, checked, line_at

_OTHER = re.compile(rb"#!.*\b(?:zsh|fish|t?csh|ksh)\b|#compdef\b")
_EXOTIC = re.compile(rb"\[\[|\(\(|\)\)|\$\{[^}]*[#%/:(~^,@!]|<<|`|\$\(|[@?*+!]\(")
_WORD = re.compile(rb"\s*(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|\}|\)|;;|\Z)")
_FUNCTION = re.compile(rb"\s*(?:function\s+)?[\w-]+\s*\(\)\s*\{?\s*$")


def check(path: str, content: bytes) -> Complaint | None:
    """Return the first error of a shell script, or None; other shells' scripts are let be."""
    return None if _OTHER.match(content) else checked(path, content, BASH, _plausible)


def _plausible(content: bytes, offset: int) -> bool:
    """Say whether the structure is broken there, or a line without any expansion."""
    line = line_at(content, offset)
    if _EXOTIC.search(line) or _FUNCTION.match(line):
        return False
    return _WORD.match(content, offset) is not None or b"," not in line
