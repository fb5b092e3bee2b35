"""An answer that is a question: what the model wants to know before it writes anything."""

from __future__ import annotations

import re
from collections.abc import Iterable

from runner.state.findings import ASKED_BACK, Complaint
from runner.text.sanitize import cut_middle

_LONGEST = 600
_MOST_LINES = 200
_ASKS = re.compile(
    r"(?i)\?[\s\"'*_)]*$|\?\s+[A-Z(]"
    r"|\bplease (?:clarify|specify|confirm|tell me|let me know (?:which|what|how|where|whether))\b"
    r"|\bI (?:would )?need (?:to know|more (?:information|details|context))\b"
)
_COURTESY = re.compile(
    r"(?i)\b(?:would you like|do you want me|shall i|anything else|can i help|may i help"
    r"|should i (?:proceed|continue|go ahead|start)"
    r"|(?:is|are) (?:this|that|these) (?:ok|okay|all|fine)"
    r"|does (?:this|that) (?:help|work|look|make sense))\b"
)
"""Questions that ask for nothing that the answer depends on."""

_OPTION = re.compile(r"^\s*(?:[-*+]|\d{1,2}[.)]|[a-hA-H][.)])\s+\S")

MESSAGE = (
    "You asked a question instead of giving files, and nobody can answer it now. Take the meaning "
    "that is most likely, say in one sentence what you assume, then give the files."
)


def asked_back(text: str) -> Complaint | None:
    """Return the complaint about an answer without files that asks something; None for others.

    Its ``excerpt`` is the question with its options, foreign text of at most 600 characters.
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(lines) > _MOST_LINES:
        return None
    asked = " ".join(_questions(lines))
    return (
        Complaint("", ASKED_BACK, MESSAGE, excerpt=cut_middle(asked, _LONGEST)) if asked else None
    )


def _questions(lines: Iterable[str]) -> Iterable[str]:
    """The lines that ask, each with the options listed below it."""
    options = False
    for line in lines:
        asks = _ASKS.search(line) is not None and not _COURTESY.search(line)
        if asks or (options and _OPTION.match(line)):
            yield line
        options = asks or (options and _OPTION.match(line) is not None)
