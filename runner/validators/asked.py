"""What a task's own words ask for and forbid: files it names, files it says to leave alone.

Only what people wrote counts here; a plan that a model made is no permission.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from runner.roadmap.task import Task
from runner.validators.left_alone import says_leave_alone

_FORMATTING = re.compile(
    r"\b(?:re-?)?format(?:s|ted|ting)?\s+(?:(?:the|all|our|with|everything)\s+)*(?:code|files?"
    r"|sources?|imports?|modules?|project|repo\w*|everything|tests?|black|ruff|prettier|gofmt)\b"
    r"|\bformatt(?:ing|er)\b|white ?space|\bblank lines?\b|\bline[- ]?(?:end|break|length)|indent"
    r"|\b(?:trailing|leading|extra|double)\s+(?:spaces?|blanks?|newlines?)|\bnew ?lines?\s+at"
    r"|\btabs?\b.{0,20}\bspaces\b|\bCRLF\b|\bEOL\b|\blint|code style|\bpep ?-?8|\bblack\b|\bruff\b"
    r"|prettier|gofmt|flake8|pre-commit|tid(?:y|ied)|clean(?:ed)?[- ]?up|cosmetic|einr(?:ü|ue)ck"
    r"|leerze|sangr|отступ|пробел|空格|缩进|空白|インデント|들여쓰기|공백",
    re.IGNORECASE,
)
_PATH_WORD = re.compile(r"[\w@.+-]*/[\w@./+-]+|\b[\w-]+\.[a-z][a-z0-9]{0,4}\b")
_CODE_NAME = re.compile(
    r"`([^`\n]{1,120})`|(?<![\w.])(\w+(?:_\w+)+|[A-Za-z]+[a-z][A-Z]\w*|\w+(?=\(\)))"
)
_WORD = re.compile(r"[^\W\d]\w*")
_ABOUT_TESTS = re.compile(
    r"^\W*(?:(?:write|add|create|extend|improve|increase|implement|provide|expand|update|fix)\s+)?"
    r"(?:(?:a|an|the|more|new|missing|some|unit|integration|regression|property|e2e)\s+)*"
    r"tests?\s+(?:cases?\s+)?(?:for|of|that|in|to|which|on|around|`)"
    r"|^\W*(?:tests?|cover)\s+[`\w]|\btest\s+coverage\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class TaskWords:
    """A task's words. ``text`` is all that people wrote about it, headings and section included.

    ``about_tests`` says that tests are all it is to write.
    """

    text: str
    files: tuple[str, ...] = ()
    about_tests: bool = False

    @classmethod
    def of(cls, task: Task) -> TaskWords:
        """Read a task."""
        own = "\n".join((task.text, task.details, *task.acceptance))
        above = "\n".join((task.label, task.section, *(each.text for each in task.headings)))
        return cls(f"{own}\n{above}", task.files, _ABOUT_TESTS.search(task.title) is not None)

    @cached_property
    def formatting(self) -> bool:
        """Whether it may be about blanks, line ends or style."""
        return _FORMATTING.search(self.text) is not None

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of code it mentions: words in code spans, and words that only code has."""
        spans = (first or second for first, second in _CODE_NAME.findall(self.text))
        return frozenset(name for span in spans for name in _WORD.findall(span))

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word, in small letters."""
        return frozenset(word.lower() for word in _WORD.findall(self.text))

    @cached_property
    def prose(self) -> frozenset[str]:
        """Its words without those of code and paths, in small letters."""
        said = _PATH_WORD.sub(" ", re.sub(r"`[^`\n]+`", " ", self.text))
        return frozenset(word.lower() for word in _WORD.findall(said))

    def names_file(self, path: str) -> bool:
        """Whether it names the file: by its path, the end of it, its name, or a folder it is in."""
        name = path.rpartition("/")[2]
        if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-]|\.\w)", self.text):
            return True
        return any(path.startswith(file) for file in self.files if file.endswith("/"))

    def mentions(self, *words: str) -> bool:
        """Whether a word of the task's prose begins with one of these (small letters)."""
        return any(word.startswith(words) for word in self.prose)

    def left_alone(self, paths: Collection[str]) -> frozenset[str]:
        """Return those of the ``paths`` that it says must not change."""
        return frozenset(path for path in paths if self._leaves(path))

    def _leaves(self, path: str) -> bool:
        return any(
            says_leave_alone(line[: found.start()], line[found.end() :])
            for line in self.text.split("\n")
            for found in re.finditer(rf"(?<![\w./-]){_ending(path)}(?![\w/-]|\.\w)", line)
        )


def _ending(path: str) -> str:
    """A pattern for the path or its file name."""
    folder, slash, name = path.rpartition("/")
    return f"(?:{re.escape(folder + slash)})?{re.escape(name)}"


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Every identifier in the texts."""
    return frozenset(word for text in texts for word in _WORD.findall(text))
