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
    r"format|white ?space|\bblanks?\b|\bspaces?\b|\btabs?\b|indent|new ?lines?\b|\bCRLF\b|\bEOL\b"
    r"|line[- ]?(?:end|break|length)|\bEOF\b|\blint|style|\bpep ?-?8|\bblack\b|\bruff\b|prettier"
    r"|gofmt|flake8|pre-commit|tid(?:y|ied)|clean|layout|cosmetic|einr(?:ü|ue)ck|leerze|espac|sangr"
    r"|отступ|пробел|空格|缩进|空白|インデント|들여쓰기|공백",
    re.IGNORECASE,
)
_CODE_NAME = re.compile(
    r"`([^`\n]{1,120})`|(?<![\w.])(\w+(?:_\w+)+|[A-Za-z]+[a-z][A-Z]\w*|\w+(?=\(\)))"
)
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Asked:
    """A task's words. ``text`` is all that people wrote about it, headings and section included."""

    text: str
    files: tuple[str, ...] = ()

    @classmethod
    def of(cls, task: Task) -> Asked:
        """Read a task."""
        own = "\n".join((task.text, task.details, *task.acceptance))
        above = "\n".join((task.label, task.section, *(each.text for each in task.headings)))
        return cls(f"{own}\n{above}", task.files)

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

    def names_file(self, path: str) -> bool:
        """Whether it names the file: by its path, the end of it, its name, or a folder it is in."""
        name = path.rpartition("/")[2]
        if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-]|\.\w)", self.text):
            return True
        return any(path.startswith(file) for file in self.files if file.endswith("/"))

    def mentions(self, *words: str) -> bool:
        """Whether a word of the task begins with one of these (small letters)."""
        return any(word.startswith(words) for word in self.words)

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
