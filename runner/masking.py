"""Hide secrets in what leaves the program: the one mask of every border.

It is used for everything that is sent to GitHub and to the model, for what a sandbox prints before
anything else sees it, and for what is logged, stored and shown. It finds what this process knows to
be secret by value, and well-known secrets by their form, with the detectors that also judge what a
change adds (``secret_kinds.py``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from runner import secret_kinds

HIDDEN = "***"

Spans = list[tuple[int, int]]

_SHORTEST = 6
_MOST_LEARNED = 1_000
_MOST_JUDGED = 60_000
"""Characters that are looked at closely at either end: a hostile output must not take minutes."""

# What may stand between the lines of a key: line ends (also escaped ones), quotes, what test tools
# and diffs write in front of a line, and header lines (RFC 1421). Nothing is tried twice (``+``).
_BETWEEN = (
    r"(?:\s|\\{1,4}[nr]|[\"'`+,;:>|#*()]|-(?!----)|\bE\b|[A-Za-z-]{3,20}: [^\n\\]{0,80}){0,60}+"
)
_LINES = rf"(?:{_BETWEEN}[A-Za-z0-9+/]{{16,}}+={{0,2}})++"
_BEGIN, _END = (rf"-----{w} [A-Z0-9 ]{{0,20}}PRIVATE KEY(?: BLOCK)?-----" for w in ("BEGIN", "END"))
_KEY = re.compile(
    # a marker alone is code that looks for keys; the last line of a key may be short
    rf"{_BEGIN}(?:{_LINES}(?:{_BETWEEN}[A-Za-z0-9+/]{{1,15}}={{0,2}})?{_BETWEEN}{_END}"
    rf"|(?={_BETWEEN}[A-Za-z0-9+/=]{{40}})(?:(?:(?!-----).){{0,20000}}{_END}|{_LINES}))",
    re.DOTALL,
)
# Installation tokens have dots and about 500 characters since 2026 (GitHub changelog 2026-05-15).
# Names of CSS classes begin with sk-, too; they have few digits.
_TOKENS = re.compile(
    r"gh[pousr]_[A-Za-z0-9_.=-]{16,}|github_pat_\w{20,}"
    r"|\bsk-(?:proj|svcacct|admin|ant)-[A-Za-z0-9_-]{16,}"
    r"|\bsk-(?=(?:[A-Za-z_-]{0,40}[0-9]){3})[A-Za-z0-9_-]{16,}"
    r"|\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]+"
    r"|(?i:authorization)['\"]?\s*[:=]\s*['\"]?(?i:bearer|basic|token)\s+"
    r"(?P<credential>(?=(?:[A-Za-z._~+/=-]{0,40}[0-9]){3})[A-Za-z0-9._~+/=-]{20,})"
)
_STARTS = (*(f"gh{kind}_" for kind in "pousr"), "github_pat_", "sk-", "eyj", "authorization")
_ASSIGNED = re.compile(r"\s*(?:export )?[A-Z][A-Z0-9_]*=\S+\s*")


class Mask:
    """Hides these secrets, and whatever looks like one, in a text."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._known = tuple(sorted({f for s in secrets for f in _forms(s)}, key=len, reverse=True))
        self._learned: dict[str, None] = {}

    def learn(self, secret: str) -> None:
        """Hide this value from now on, too; the oldest of very many are forgotten."""
        if len(secret) >= _SHORTEST:
            self._learned[secret] = None
        while len(self._learned) > _MOST_LEARNED:
            del self._learned[next(iter(self._learned))]

    def __call__(self, text: str) -> str:
        """Return the text with ``HIDDEN`` in the place of every secret."""
        return _covered(text, self.spans(text))

    def values(self, text: str) -> str:
        """Return the text without the secrets that are known by value.

        For what must stay exact: no form is judged, so no code can be taken for a secret.
        """
        return _covered(text, _merged(self._values(text)))

    def spans(self, text: str) -> Spans:
        """Return where secrets stand, in order; those that touch or overlap are one."""
        found = [match.span() for match in _KEY.finditer(text)]
        found += self._values(text)
        lower = text.lower()
        if any(start in lower for start in _STARTS):  # most texts have none
            tokens = _TOKENS.finditer(text)
            found += (m.span("credential" if m["credential"] else 0) for m in tokens)
        found += _judged(text)
        return _merged(found)

    def _values(self, text: str) -> Iterator[tuple[int, int]]:
        for secret in (*self._known, *self._learned):
            yield from _places(text, secret)


def masked(value: Any, mask: Callable[[str], str]) -> Any:
    """Return a JSON value in which every text is masked; keys stay as they are."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {key: masked(inner, mask) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [masked(inner, mask) for inner in value]
    return value


def hidden_lines(text: str, spans: Spans) -> dict[str, str]:
    """Return each line of the masked text that hides something, with what really stands there.

    A block is one line when it is masked and many in truth.
    """
    found: dict[str, str] = {}
    group = Spans()
    for span in spans:
        if group and "\n" in text[group[-1][1] : span[0]]:
            found |= _line(text, group)
            group = []
        group.append(span)
    return found | _line(text, group) if group else found


def _line(text: str, group: Spans) -> dict[str, str]:
    """The whole line, or lines, around spans that share one once they are masked."""
    start = text.rfind("\n", 0, group[0][0]) + 1
    end = text.find("\n", group[-1][1])
    truth = text[start : end if end >= 0 else len(text)]
    return {_covered(truth, [(a - start, b - start) for a, b in group]): truth}


def _forms(secret: str) -> Iterator[str]:
    """A secret as it may appear: whole, one of its lines, escaped as in JSON, or in an address."""
    secret = secret.strip()
    if "://" in secret:  # of an address (of a database) the password is secret, if there is one
        password = urlsplit(secret).password or ""
        forms = {password, unquote(password)}
    else:
        lines = {line.strip() for line in secret.split("\n")}
        whole = {secret, secret.replace("\n", "\\n"), quote(secret, safe="")}
        forms = whole | {line for line in lines if not line.startswith("-----")}
    yield from (form for form in forms if len(form) >= _SHORTEST)


def _judged(text: str) -> Iterator[tuple[int, int]]:
    """Where the detectors find secrets, in the lines that can hold any."""
    lines = secret_kinds.lines_with_trigger(text)
    for start, end in sorted({*_first(lines), *_first(lines[::-1])}):
        line = text[start:end]
        unquoted = _ASSIGNED.fullmatch(line) is not None
        for kind, value in secret_kinds.secrets_in(line, unquoted=unquoted):
            if kind != secret_kinds.PRIVATE_KEY and secret_kinds.is_certain(kind, value):
                yield from ((start + a, start + b) for a, b in _places(line, value))


def _first(lines: Spans) -> Iterator[tuple[int, int]]:
    room = _MOST_JUDGED
    for start, end in lines:
        if room <= 0:
            return
        yield start, min(end, start + room)
        room -= end - start


def _places(text: str, value: str) -> Iterator[tuple[int, int]]:
    at = text.find(value)
    while at >= 0:
        yield at, at + len(value)
        at = text.find(value, at + len(value))


def _merged(spans: Iterable[tuple[int, int]]) -> Spans:
    merged = Spans()
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _covered(text: str, spans: Spans) -> str:
    if not spans:
        return text
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], HIDDEN]
        at = end
    return "".join((*parts, text[at:]))
