"""What a task says of itself beside its words: optional, parallel, priority, effort."""

from __future__ import annotations

import re

from runner.roadmap import field_words as words
from runner.roadmap.fields import halfwidth
from runner.roadmap.marks import without_marks

_UNIT = (
    r"(?:h|hrs?|hours?|d|days?|w|wks?|weeks?|min|mins|minutes?|m|months?|sp|pts?|points?"
    r"|stunden?|std|tage?|wochen?|heures?|jours?|semaines?|horas?|d[ií]as?|dias?|semanas?"
    r"|ore|giorni|uur|dagen|godzin\w*|dni|ч|час\w*|дн\w*|недел\w*"
    r"|小时|天|周|時間|日|週間?|시간|일|주)"
)
_EFFORT = re.compile(
    rf"[(\[]\s*(?:est\.?|estimated:?)?\s*(?P<value>[~≈<]?\s*\d+(?:[.,]\d+)?(?:\s*-\s*\d+(?:[.,]\d+)?)?\s*{_UNIT})"
    r"\s*[)\]]",
    re.IGNORECASE,
)
_LEVEL = r"(?:critical|highest|high|medium|normal|low|lowest|urgent)"
_PRIORITY = re.compile(
    rf"[(\[]\s*(?P<value>P[0-5]|{_LEVEL}(?=\s+priority)|{_LEVEL}(?=\s*[)\]]))(?:\s+priority)?\s*[)\]](?!\()"
    r"|\A\*\*(?P<bold>P[0-4])\*\*",
    re.IGNORECASE,
)
_HEADED = re.compile(
    rf"(?P<value>P[0-5]|{_LEVEL})(?:\s+priority|\s+prio)?(?=\s*(?:\Z|[-:(]))", re.IGNORECASE
)
_PARALLEL = re.compile(
    r"\W*(?:[\w.#-]{1,20}[.):*]{0,3}\s+)?(?:\[[^\[\]\n]{1,20}\]\s+)*?\[P\](?=\s)"
)
_CODE = re.compile(r"`[^`\n]*`")
_OPTIONAL = re.compile(
    rf"[(\[]\s*{words.any_of(words.OPTIONAL)}\s*[)\]](?!\()"
    rf"|\A[\s*_]*{words.any_of(words.OPTIONAL)}[*_]*\s*(?::|-\s)",
    re.IGNORECASE,
)
_STAR = re.compile(r"\\?\*(?=\s)|[\w.]{1,20}\\?\*(?=\s)")
_YES = re.compile(r"(?:yes|true|y|ja|oui|s[íi]|sim|да|是|はい|예)\b|✅|\*", re.IGNORECASE)


def is_parallel(text: str) -> bool:
    """Say whether a task bears spec-kit's ``[P]`` among the marks before its words."""
    return "[P]" in text and _PARALLEL.match(text) is not None


def is_optional(text: str) -> bool:
    """Say whether a task's own text marks it as optional: "(optional)", "2.3* Text", "Text*"."""
    text = halfwidth(text.split("\n", 1)[0][:500].strip())
    if "*" in text and (_STAR.match(text) or _ends_in_star(text)):
        return True
    return _OPTIONAL.search(_CODE.sub(" ", text)) is not None


def is_optional_place(text: str) -> bool:
    """Say whether a heading or label makes what is below it optional."""
    plain = without_marks(halfwidth(text[:200]).strip(" :")).casefold()
    return plain in words.OPTIONAL or _OPTIONAL.search(plain) is not None


def says_yes(value: str) -> bool:
    """Say whether the value of the field "Optional" is a yes."""
    return _YES.match(value) is not None


def says_optional(priority: str) -> bool:
    """Say whether a priority is that of something optional ("nice to have")."""
    return without_marks(priority).strip(" .").casefold() in words.OPTIONAL


def priority_in(text: str) -> str:
    """Return the priority in brackets of a text ("(P1)", "[high priority]"), '' without."""
    if "(" not in text and "[" not in text and "**" not in text:
        return ""
    found = _PRIORITY.search(_CODE.sub(" ", text[:500]))
    return (found["value"] or found["bold"] or "") if found else ""


def priority_of(heading: str) -> str:
    """Return the priority a heading is ("High Priority", "🔴 Critical", "P0: Must"), '' else."""
    found = _HEADED.match(without_marks(heading[:200]))
    return found["value"] if found else ""


def effort_in(text: str) -> str:
    """Return the effort in brackets of a text ("(~1.5 hours)", "(2-3 days)"), '' without."""
    if "(" not in text and "[" not in text and text.isascii():
        return ""
    found = _EFFORT.search(_CODE.sub(" ", halfwidth(text[:500]).replace("–", "-")))  # noqa: RUF001
    return found["value"].strip() if found else ""


def plain_value(value: str) -> str:
    """The value of a priority or an effort, without marks around its words."""
    return without_marks(value) or value


def _ends_in_star(text: str) -> bool:
    """A star after the last word that closes no emphasis."""
    if not text.endswith("*"):
        return False
    return text.endswith((" *", "\\*")) or text.count("*") % 2 == 1
