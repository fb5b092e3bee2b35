"""Hidden markers by which our objects are found again: ``<!-- cairn:<kind>:<name> -->``.

A marker counts only on what our App wrote. Ours stand before any other text, and the first of a
kind is the one that counts: text that came from a model cannot pass for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote

_MOST = 60_000
"""Characters of a text that GitHub is sure to store, with room for a few markers."""

_STORED = 65_000
"""Characters with all markers, of which there may be a thousand (GitHub's limit is 65,536)."""

_CUT = "\n\n… cut here: the text was too long for GitHub."


def marker(kind: str, name: str) -> str:
    """Make a marker. What would end an HTML comment is percent-encoded."""
    safe = name.replace("%", "%25").replace("--", "-%2D").replace("\n", "%0A")
    return f"<!-- cairn:{kind}:{safe} -->"


def marked(body: str | None, kind: str) -> str | None:
    """Return the name in the first marker of a kind, None when there is none."""
    found = re.search(rf"<!-- cairn:{re.escape(kind)}:(.*?) -->", body or "")
    return unquote(found[1]) if found else None


def first_kind(body: str | None) -> str | None:
    """Return the kind of the first marker, which says what an object of ours is."""
    found = re.search(r"<!-- cairn:([a-z]+):.*? -->", body or "")
    return found[1] if found else None


def with_section(body: str, name: str, text: str) -> str:
    """Return a text of ours with a part of it, found by its name, put in or exchanged.

    It stands behind the markers at the top; an empty one goes.
    """
    begin, end = marker(name, "begin"), marker(name, "end")
    part = f"{begin}\n{text}\n{end}\n\n" if text else ""
    whole = rf"{re.escape(begin)}.*?{re.escape(end)}(?:\r?\n){{0,2}}"
    if found := re.search(whole, body, re.DOTALL):
        return body[: found.start()] + part + body[found.end() :]
    above = re.match(r"(?:<!-- cairn:[a-z]+:.*? -->\r?\n)*(?:\r?\n)?", body)
    at = above.end() if above else 0
    return body[:at] + part + body[at:]


def section(body: str, name: str) -> str:
    """Return what stands in a part of a text of ours, '' where there is none."""
    begin, end = marker(name, "begin"), marker(name, "end")
    found = re.search(rf"{re.escape(begin)}(.*?){re.escape(end)}", body, re.DOTALL)
    return found[1].replace("\r\n", "\n").strip("\n") if found else ""


def with_markers(markers: Iterable[str], text: str) -> str:
    """Put markers before a text that is cut at what GitHub takes."""
    above = "\n".join([*markers, "", ""])
    most = min(_MOST, max(0, _STORED - len(above)))
    cut = text if len(text) <= most else text[: max(0, most - len(_CUT))] + _CUT
    return above + cut
