"""Why a task was replaced, kept beside the replacement in comments that nobody sees rendered.

One closed single-line comment a field (DESIGN §8). Such a comment is an HTML block: it ends at the
first ``-->``, on its own line, and takes nothing that follows with it.
https://github.github.com/gfm/#html-blocks
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from runner.roadmap.lines import line_starts

_MOST = 4000
"""Characters of one quoted text; what is longer is cut."""
_BREAKS = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# controls, lone surrogates and what turns the direction of reading
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
_DASHES = re.compile("-(?=-)")
_LINE = re.compile(rb"[ \t]*<!-- (?P<field>[A-Za-z-]+): (?P<value>[^\r\n]*) -->[ \t]*(?=\r|\n|\Z)")
_OPENING = re.compile(rb"<!-- RECOVERY: (?P<strategy>[A-Z_]+) at (?P<at>[0-9TZ:-]{20}) -->")
_FIELDS = frozenset({b"Original", b"Reason", b"Approved-by"})
_TIME = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Which strategy replaced a task, when (aware, kept in UTC seconds), what it was, and why.

    ``original`` is the replaced task's own text, ``approved_by`` a login, or '' where nobody was
    asked.
    """

    strategy: str
    at: datetime
    original: str
    reason: str
    approved_by: str = ""

    @property
    def identity(self) -> tuple[str, str, str]:
        """What makes two applications the same one, whenever they were made."""
        return self.strategy.upper(), quoted(self.original), quoted(self.reason)


@dataclass(frozen=True, slots=True)
class Recorded:
    """An audit as it stands in a file; its texts are as they are written there."""

    line: int
    audit: Audit


def comments(audit: Audit) -> tuple[str, ...]:
    """Return the lines that keep an audit, without indent and line end."""
    at = audit.at.astimezone(UTC).strftime(_TIME)
    fields = (
        ("Original", audit.original),
        ("Reason", audit.reason),
        ("Approved-by", audit.approved_by),
    )
    return (
        f"<!-- RECOVERY: {audit.strategy.upper()} at {at} -->",
        *(f"<!-- {name}: {quoted(text)} -->" for name, text in fields if text),
    )


def quoted(text: str) -> str:
    """Return a text as it may stand in a comment; doing it twice changes nothing."""
    text = _BREAKS.sub(r"\\n", text.strip()).replace("\t", " ")
    text = _DASHES.sub("- ", _UNSEEN.sub("\ufffd", text))
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"


def audits(content: bytes) -> tuple[Recorded, ...]:
    """Return every audit of a file, in its order."""
    if b"<!-- RECOVERY: " not in content:
        return ()
    starts = line_starts(content)
    return tuple(_read(content, starts))


def is_audit(line: bytes) -> bool:
    """Say whether a line is one comment of an audit."""
    found = _LINE.match(line)
    return found is not None and found["field"] in _FIELDS | {b"RECOVERY"}


def _read(content: bytes, starts: list[int]) -> Iterator[Recorded]:
    for found in _OPENING.finditer(content):
        number = bisect_right(starts, found.start())
        at = _time(found["at"])
        if at is None or content[starts[number - 1] : found.start()].strip(b" \t"):
            continue
        fields = _fields(content, starts, number)
        audit = Audit(
            strategy=found["strategy"].decode(),
            at=at,
            original=fields.get("Original", ""),
            reason=fields.get("Reason", ""),
            approved_by=fields.get("Approved-by", ""),
        )
        yield Recorded(number, audit)


def _time(written: bytes) -> datetime | None:
    try:
        return datetime.strptime(written.decode(), _TIME).replace(tzinfo=UTC)
    except ValueError:
        return None


def _fields(content: bytes, starts: list[int], number: int) -> dict[str, str]:
    """The comments on the lines after the opening one, each field once."""
    fields: dict[str, str] = {}
    for start in starts[number : number + len(_FIELDS)]:
        found = _LINE.match(content, start)
        if found is None or found["field"] not in _FIELDS or found["field"].decode() in fields:
            break
        fields[found["field"].decode()] = found["value"].decode("utf-8", "replace")
    return fields
