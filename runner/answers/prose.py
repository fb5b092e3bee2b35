"""What an answer says in words: its explanation beside the files, or a question instead of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from textwrap import shorten

from runner.answers.fences import Outline
from runner.state.findings import ASKED_BACK, Complaint
from runner.text.sanitize import cut_middle

_LONGEST = 600
_FEWEST_WORDS = 4

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*_\"'])")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_INTRODUCES = re.compile(r"(?i)(?:here(?:'s| is| are)|below (?:is|are)|the following)\b")
_NOT_PROSE = re.compile(
    r"^\s*(?:#{1,6}\s|DELETE\b|READ\b|SEARCH\b|LIST\b|<{3,}|>{3,}|={3,}|[{}\[\]<|@$]|diff --git)"
)

_PATH = re.compile(r"[`*\"']*(?:[\w@.+-]+/)+[\w@.+-]+[`*\"']*$")

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

_NO_ANSWER = "The answer asks a question instead of giving files, and nobody can answer it now."
_ASSUME = (
    "Take the meaning that is most likely, say in one sentence what you assume, then give the "
    "files."
)


def explanation(parts: Outline) -> str:
    """Return the sentences before the first file, else those after the last one, else ''.

    Headings are left out, and so is what only introduces a file ("Here is the code:").
    It is foreign text on one line, of at most 600 characters; ``…`` is in the place of the rest.
    """
    if not parts.blocks:
        return ""
    first, last = parts.blocks[0].line, parts.blocks[-1].line
    before = [text for line, text in parts.prose if line < first]
    after = [text for line, text in parts.prose if line > last]
    return _sentences(before) or _sentences(after)


def _sentences(lines: Iterable[str]) -> str:
    prose = " ".join(_ended(line) for line in lines if _is_prose(line))
    found = [
        sentence
        for sentence in _SENTENCE_END.split(prose)
        if len(_WORD.findall(sentence)) >= _FEWEST_WORDS and not _INTRODUCES.match(sentence)
    ]
    return shorten(" ".join(found), _LONGEST, placeholder=" …")


def _is_prose(line: str) -> bool:
    """Whether a line is a sentence or a part of one; a path alone is not."""
    text = line.strip()
    says = text.endswith((".", "!", "?")) or len(_WORD.findall(text)) >= _FEWEST_WORDS
    return says and not text.endswith(":") and not _NOT_PROSE.match(line) and not _PATH.match(text)


def _ended(line: str) -> str:
    """A line of prose; an item of a list is a sentence of its own."""
    text = _ITEM.sub("", line).strip()
    return text if text == line.strip() or text.endswith((".", "!", "?")) else f"{text}."


def asked_back(text: str) -> Complaint | None:
    """Return the complaint about an answer without files that asks something; None for others.

    Its ``excerpt`` is the question with its options, foreign text of at most 600 characters.
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(lines) > _MOST_LINES:
        return None
    asked = " ".join(_questions(lines))
    if not asked:
        return None
    excerpt = cut_middle(asked, _LONGEST)
    return Complaint("", ASKED_BACK, _NO_ANSWER, excerpt=excerpt, advice=_ASSUME)


def _questions(lines: Iterable[str]) -> Iterable[str]:
    """The lines that ask, each with the options listed below it."""
    options = False
    for line in lines:
        asks = _ASKS.search(line) is not None and not _COURTESY.search(line)
        if asks or (options and _OPTION.match(line)):
            yield line
        options = asks or (options and _OPTION.match(line) is not None)
