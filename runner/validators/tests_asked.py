"""What a task says about tests: that they may go, that they change, that new ones are promised."""

from __future__ import annotations

import re

from runner.validators.asked import TaskWords

_GO = re.compile(r"\b(?:delet|drop|remov|skip|disabl)\w*\b.*\btests?\b", re.IGNORECASE)
_SHAPES = re.compile(
    r"\b(?:re)?(?:simplif|parametri[sz]|design|factor|organi[sz]|consolidat|merg|split|structur|work"
    r"|dedup|replac|rewrit)\w*\b.*\btests?\b|\A\W*(?:\d[\d.]*\s+)?tests?(?:\([\w-]+\))?:\s+(?!`)",
    re.IGNORECASE,
)
_TAKES_AWAY = ("remov", "delet", "drop", "deprecat", "revert", "rid", "obsolete",
               "unsupport", "entfern", "supprim", "elimin", "umbenenn")  # fmt: skip
_PLATFORM = ("window", "macos", "linux", "platform", "python", "pypy", "node", "version", "skip",
             "posix", "arm64", "free-thread")  # fmt: skip
_CHANGES = (
    r"(?:updat|chang|adapt|adjust|modif|fix|extend|rewrit|correct|edit|align|migrat|convert|port"
    r"|refactor|improv|replac|renam|mov|expand|strengthen|paramet|clean|split|merg|sync)\w*"
)
_KEEPS = re.compile(
    r"(?:do\s+not|don['’]?t|never|without|must\s+not)\s+(?:chang|modif|edit|touch|alter|weaken|break"  # noqa: RUF001
    r"|adjust|updat)\w*\s+(?:(?:the|any|existing|of|these|those|other)\s+)*tests?\b",
    re.IGNORECASE,
)
_FILLER = (
    r"(?:(?:the|all|existing|its|their|corresponding|related|affected|unit|in|for|of|old|and)\s+)*"
)
_PROMISES = re.compile(
    r"\b(?:with|add|adds|write|create|include|including|plus|and|new)\s+(?:(?:a|an|the|new|unit|its"
    r"|some|more|good|matching|regression|integration|their|own)\s+)*tests?\b|^[\s>*+-]*(?:\*\*)?tests?"
    r"(?:\*\*)?\s*:|\btests?\s+(?:in|for|that|which)\b|\bcovered\s+by\s+tests?\b",
    re.IGNORECASE | re.MULTILINE,
)
_SAME_BEHAVIOUR = re.compile(
    r"\b(?:refactor|renam|mov(?:e|ing)|extract|simplif|clean|restructur|reorgani[sz]|rewrit|performan|speed|faster"
    r"|optimi[sz]|cach|memoi[sz]|typing|type\s+(?:hints?|annotations?)|annotat|coverage|characteri[sz]"
    r"|existing|already|document|inline|deduplicat|port|migrat|convert|split|modulari[sz]|internal"
    r"|same\s+behaviou?r|unchanged|tidy|umbenenn|lint|format)",
    re.IGNORECASE,
)


def may_go(asked: TaskWords) -> bool:
    """Whether the task speaks of tests that go, or are moved or rewritten."""
    return _GO.search(asked.text) is not None or asked.mentions("revert")


def reshapes(asked: TaskWords) -> bool:
    """Whether the task gives tests another shape: fewer that assert as much."""
    return _SHAPES.search(asked.text) is not None


def about_a_platform(asked: TaskWords) -> bool:
    """Whether some tests may not run everywhere any more."""
    return asked.mentions(*_PLATFORM)


def takes_away(asked: TaskWords) -> bool:
    """Whether the task takes something away, so that tests of it may go as well."""
    return asked.mentions(*_TAKES_AWAY)


def must_stay(asked: TaskWords) -> bool:
    """Whether the task says that existing tests must not change."""
    return _KEEPS.search(asked.text) is not None


def asks_to_change(asked: TaskWords, path: str) -> bool:
    """Whether the task asks for other tests in the file: it says so, or tests are all it is about.

    Naming the file is no such word.
    """
    if must_stay(asked):
        return False
    name = re.escape(path.rpartition("/")[2])
    tests = rf"(?:tests?\b|[`\"']?(?:[\w./-]*/)?{name})"
    pattern = rf"\b{_CHANGES}\s+(?:[^.;\n]{{0,80}}\band\s+)?{_FILLER}{tests}"
    return re.search(pattern, asked.text, re.IGNORECASE) is not None or asked.about_tests


def promises_tests(asked: TaskWords) -> bool:
    """Whether the task promises new tests of what it changes."""
    return not asked.about_tests and _PROMISES.search(asked.text) is not None


def keeps_behaviour(asked: TaskWords) -> bool:
    """Whether right tests may well pass without the change: nothing is to behave otherwise."""
    return _SAME_BEHAVIOUR.search(asked.text) is not None
