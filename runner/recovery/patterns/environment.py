"""Failures that neither code nor other tasks can fix: network, programs, space, protected files."""

from __future__ import annotations

import re

from runner.recovery.facts import FailureFacts
from runner.state.proposal import Classification, Reason
from runner.text.patterns import lazy_pattern

_RAISED = r"^(?:E\s+)?(?:[\w.]{1,100}\.)?"
"""An error as it is raised: at the beginning of its line, not in a text that is compared."""

_NO_PROGRAM = "a program is missing"
_SIGNS = (
    (
        "the network cannot be reached",
        _RAISED + r"(?:\w*Error|gaierror|timeout)\b.{0,400}?(?:Name or service not known|"
        r"name resolution|nodename nor servname|Network is unreachable|No route to host|"
        r"NameResolutionError|getaddrinfo (?:ENOTFOUND|EAI_AGAIN))",
    ),
    (
        "a server that the tests need is not running",
        _RAISED + r"(?:\w*Error|timeout)\b.{0,400}?(?:Connection refused|ECONNREFUSED|"
        r"could not connect to server|Is the server running|Cannot connect to the Docker daemon)",
    ),
    ("the network cannot be reached", r"^.{0,80}npm ERR! (?:code|errno) (?:ENOTFOUND|EAI_AGAIN)"),
    ("the network cannot be reached", r"^.{0,200}dial tcp: lookup .{0,200}"),
    (
        _NO_PROGRAM,
        _RAISED + r"FileNotFoundError: \[Errno 2\] No such file or directory: '[\w.+-]{1,60}'$",
    ),
    (
        _NO_PROGRAM,
        r"^(?:\S{0,60}: )?(?:line )?(?:\d+: )?[\w.+-]{1,60}: (?:command )?not found$",
    ),
    (_NO_PROGRAM, r"^.{0,40}Error: spawn [\w./+-]{1,60} ENOENT"),
    (
        "a system library is missing",
        r"^.{0,200}\.so(?:\.\d+)*: cannot open shared object file",
    ),
    ("the disk is full", _RAISED + r"\w*Error\b.{0,200}?No space left on device"),
    ("the disk is full", r"^.{0,100}ENOSPC"),
    ("the location is read-only", _RAISED + r"\w*Error\b.{0,200}?Read-only file system"),
    (
        "there is no permission to write there",
        _RAISED
        + r"PermissionError: \[Errno 13\] Permission denied: '/(?:etc|usr|var|opt|root|srv)/",
    ),
    ("another version of Python is needed", r"^.{0,200}requires a different Python"),
)
_PATTERNS = tuple((what, lazy_pattern(sign, re.MULTILINE)) for what, sign in _SIGNS)
_WITH_SUFFIX = lazy_pattern(r"'[\w+-]{1,60}\.\w{1,6}'$")
_LONGEST = 240


def environment(facts: FailureFacts) -> Classification | None:
    """Decide when at least half of the failures show one of the signs."""
    found = [
        (message.test or "the tests", sign)
        for message in facts.messages
        if (sign := _sign(message.text))
    ]
    if not found or 2 * len(found) < len(facts.messages):
        return None
    seen = tuple(dict.fromkeys(f"{what}: {line} ({test})" for test, (what, line) in found))
    return Classification("environment_issue", seen[:3])


def _sign(text: str) -> tuple[str, str] | None:
    """What is lacking and the line that says so."""
    for what, pattern in _PATTERNS:
        if found := pattern.search(text):
            line = " ".join(found[0].split())[:_LONGEST]
            # a name with an ending is a file somebody should have made
            if what == _NO_PROGRAM and _WITH_SUFFIX.search(line):
                continue
            return what, line
    return None


def forbidden(facts: FailureFacts) -> Classification | None:
    """Leave to people what the model will not do, or what only people may change."""
    if facts.complaints and all(each.error == "Refusal" for each in facts.complaints):
        return Classification("unknown", (facts.complaints[0].message,))
    named = set(facts.task.files)
    for complaint in facts.complaints:
        if complaint.error == "ProtectedPath" and complaint.path in named:
            text = (
                f"the task is about {complaint.path}, which is protected: a person must change it"
            )
            return Classification("unknown", (text,))
    return None


_REASONS: dict[str, Reason] = {
    "conflict": "missing_dependency",  # on top of the other task it can be done
    "budget": "task_too_complex",
    "environment": "environment_issue",
    "sandbox": "environment_issue",
    "done": "already_done",
    "permission": "unknown",
    "github": "unknown",
    "merged": "unknown",
    "closed": "unknown",
    "git": "unknown",
    "file": "unknown",
    "internal": "unknown",
}
_TOO_LONG = lazy_pattern(
    r"\btoo long\b|context length|maximum context|too many tokens", re.IGNORECASE
)


def outside(facts: FailureFacts) -> Classification | None:
    """Classify a failure that the answers did not cause."""
    failure = facts.failure
    if failure is None:
        return None
    message = failure.message
    if failure.type == "model":
        too_long = _TOO_LONG.search(failure.message)
        return Classification("task_too_complex" if too_long else "unknown", (message,))
    reason = _REASONS.get(failure.type)
    return Classification(reason, (message,)) if reason else None
