"""What linters and type checkers print, read into findings.

All of it comes from the sandbox and may be anything. Each reader raises ``UnreadableOutput`` where
the tool could not do its work: wrong options, a broken configuration, a crash.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from runner.ports import CommandResult
from runner.text.patterns import lazy_pattern

_LONGEST = 300
_LINE = lazy_pattern(r"\bline \d+")
_MYPY = lazy_pattern(
    r"(?P<path>[^\n:]{1,400}):(?P<line>\d+):(?:\d+:)*"
    r" error: (?P<message>.{1,2000}?)(?:  \[(?P<rule>[\w-]{1,60})\])?"
)
_FLAKE8 = lazy_pattern(
    r"(?P<path>[^\n:]{1,400}):(?P<line>\d+):\d+: (?P<rule>[A-Z]+\d+) (?P<message>.{1,2000})"
)
_TSC = lazy_pattern(
    r"(?P<path>[^\n(]{1,400})\((?P<line>\d+),\d+\): error (?P<rule>TS\d+): (?P<message>.{1,2000})"
)
# errors about options and the configuration file itself
_TSC_OWN = lazy_pattern(
    r"^(?:[^\n(]{1,400}\(\d+,\d+\): )?error (TS(?:5|6|18)\d{3}: .{1,300})", re.M
)


class UnreadableOutput(Exception):
    """The output of a tool says nothing about the code."""


@dataclass(frozen=True, slots=True)
class ToolFinding:
    """One complaint of a tool. ``path`` is as the tool writes it until it is known to be ours."""

    path: str
    line: int | None
    rule: str
    message: str

    @property
    def kind(self) -> tuple[str, str]:
        """What stays the same when lines above it come or go."""
        return self.rule, _LINE.sub("line", self.message)


def read_ruff(result: CommandResult) -> Iterator[ToolFinding]:
    """Read ``ruff check --output-format=json``."""
    _ended_with(result, 0, 1)
    for each in dicts(_json(result.stdout)):
        if rule := each.get("code"):
            yield _found(
                each.get("filename"),
                at.get("row") if isinstance(at := each.get("location"), dict) else None,
                rule,
                each.get("message"),
            )


def read_flake8(result: CommandResult) -> Iterator[ToolFinding]:
    """Read ``flake8 --exit-zero``: any other exit code is its own trouble."""
    _ended_with(result, 0)
    return _matched(_FLAKE8, result)


def read_mypy(result: CommandResult) -> Iterator[ToolFinding]:
    """Read mypy's lines; 2 is wrong usage, or code that it cannot read."""
    _ended_with(result, 0, 1)
    found = list(_matched(_MYPY, result))
    if result.exit_code and not found:
        raise UnreadableOutput(_own_trouble(result))
    return iter(found)


def read_pyright(result: CommandResult) -> Iterator[ToolFinding]:
    """Read ``pyright --outputjson``: its errors, whose lines count from 0."""
    _ended_with(result, 0, 1)
    report = _json(result.stdout)
    if not isinstance(report, dict) or "generalDiagnostics" not in report:
        raise UnreadableOutput("its output is not readable")
    for each in dicts(report["generalDiagnostics"]):
        if each.get("severity") == "error":
            at = each.get("range")
            start = at.get("start") if isinstance(at, dict) else None
            line = start.get("line") if isinstance(start, dict) else None
            line = line + 1 if isinstance(line, int) else None
            yield _found(each.get("file"), line, each.get("rule"), each.get("message"))


def read_eslint(result: CommandResult) -> Iterator[ToolFinding]:
    """Read ``eslint --format json``. What has no rule is about parsing or ignored files."""
    _ended_with(result, 0, 1)
    for file in dicts(_json(result.stdout)):
        for each in dicts(file.get("messages")):
            if rule := each.get("ruleId"):
                yield _found(file.get("filePath"), each.get("line"), rule, each.get("message"))


def read_tsc(result: CommandResult) -> Iterator[ToolFinding]:
    """Read the lines of ``tsc --pretty false``."""
    text = _text(result.stdout)
    if own := _TSC_OWN.search(text):
        raise UnreadableOutput(own[1])
    found = list(_matched(_TSC, result))
    if result.exit_code and not found:
        raise UnreadableOutput(_own_trouble(result))
    return iter(found)


def read_gofmt(result: CommandResult) -> Iterator[ToolFinding]:
    """Read ``gofmt -l``: the files that it would write in another way."""
    _ended_with(result, 0)
    for path in _text(result.stdout).split("\n"):
        if path.strip():
            yield _found(path.strip(), None, "gofmt", "the file is not formatted")


def read_clippy(result: CommandResult) -> Iterator[ToolFinding]:
    """Read the messages of ``cargo clippy --message-format=json``.

    https://doc.rust-lang.org/cargo/reference/external-tools.html#json-messages
    """
    lines = [_json(line) for line in result.stdout.split(b"\n") if line.startswith(b"{")]
    if not any(report.get("reason") == "build-finished" for report in dicts(lines)):
        raise UnreadableOutput(_own_trouble(result))
    for report in dicts(lines):
        message = report.get("message")
        if isinstance(message, dict) and isinstance(message.get("code"), dict):
            spans = dicts(message.get("spans"))
            first = next((span for span in spans if span.get("is_primary")), None)
            if first:
                at = first.get("line_start")
                rule = message["code"].get("code")
                yield _found(first.get("file_name"), at, rule, message.get("message"))


def _matched(pattern: re.Pattern[str], result: CommandResult) -> Iterator[ToolFinding]:
    for line in _text(result.stdout).split("\n"):
        if found := pattern.fullmatch(line.rstrip("\r")):
            yield _found(found["path"], int(found["line"]), found["rule"], found["message"])


def _found(path: object, line: object, rule: object, message: object) -> ToolFinding:
    at = line if isinstance(line, int) and line > 0 else None
    text = " ".join(str(message or "").split())[:_LONGEST]
    return ToolFinding(str(path or ""), at, str(rule or "")[:_LONGEST], text)


def _ended_with(result: CommandResult, *codes: int) -> None:
    if result.exit_code not in codes:
        raise UnreadableOutput(_own_trouble(result))


def _own_trouble(result: CommandResult) -> str:
    """The first lines that a tool printed about its own trouble, on one line."""
    text = _text(result.stderr).strip() or _text(result.stdout).strip()
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return " ".join(lines[:3])[:_LONGEST] or f"exit code {result.exit_code}"


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UnreadableOutput("its output is not readable") from error


def dicts(value: object) -> list[dict[str, Any]]:
    """The objects of a list of JSON."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _text(output: bytes) -> str:
    return output.decode("utf-8", "replace")
