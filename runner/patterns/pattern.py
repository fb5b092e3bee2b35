"""A pattern: phrases of tasks, a schema of what stands in them, and the files that do the task.

Files of patterns are a repository's own text, and hostile. A phrase is no regular expression, a
schema refers to nothing and its expressions match in linear time, and a template knows outputs,
conditions and the filters of ``filters.py``: no loop, no call, no attribute, no file. What it makes
is a change set, which is validated and verified like an answer of a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

from jinja2 import StrictUndefined, TemplateError, nodes
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import SandboxedEnvironment
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from runner.config.reading import (
    ConfigError,
    ConfigProblem,
    Document,
    Unreadable,
    check_size,
    dotted,
    problems_of,
    read_yaml,
)
from runner.patterns import filters
from runner.state.changes import ChangeSet, Write

FOLDER = ".github/cairn/patterns/"
"""Where a repository has its own."""

_OWN = ("old", "target")
_LONGEST_OLD, _LONGEST_FILE, _LONGEST_TASK = 256 * 1024, 1 << 20, 1_000
_INPUT = re.compile(r"\{([a-z][a-z0-9_]{0,29})\}")
_QUOTES = "`\"'"
_HARMLESS = (
    *(nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.Filter),
    *(nodes.If, nodes.CondExpr, nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not),
)


class NoFit(Exception):
    """A pattern cannot do a task after all; the message says why."""


_Phrase = Annotated[str, Field(min_length=8, max_length=300)]


class _Checks(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


class _PatternFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str = Field(pattern=r"^[a-z][a-z0-9_-]{0,49}$")
    when: Annotated[tuple[_Phrase, ...], Field(min_length=1, max_length=10)]
    inputs: dict[str, Any] = Field(default_factory=dict)
    checks: _Checks = _Checks()
    files: Annotated[dict[str, str], Field(min_length=1, max_length=20)]


@cache
def _templates() -> SandboxedEnvironment:
    made = SandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)
    made.globals.clear()
    made.tests.clear()
    known = (filters.dotted, filters.stem, filters.quoted, filters.with_value, filters.with_status)
    made.filters = {each.__name__: each for each in known} | {"lower": str.lower}
    return made


@dataclass(frozen=True)
class Pattern:
    """One pattern; ``place`` is its file, or says that it is built in."""

    place: str
    file: _PatternFile
    document: Document

    @property
    def name(self) -> str:
        """What its file calls it."""
        return self.file.name

    def get_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of its inputs: all are text, and none is left out."""
        names = sorted(_inputs(self.file.when[0]))
        text = {"type": "object", "properties": {n: {"type": "string"} for n in names}}
        return {**text, "required": names, **self.file.inputs}

    def inputs_of(self, text: str) -> dict[str, str] | None:
        """Return what a task's words give, if they are one of the phrases and nothing else."""
        said = " ".join(text.split()).removesuffix(".")
        for phrase in self.file.when if len(said) <= _LONGEST_TASK else ():
            if found := re.fullmatch(_expression(phrase), said, re.IGNORECASE):
                return found.groupdict()
        return None

    def validate_inputs(self, inputs: Mapping[str, object]) -> list[ConfigProblem]:
        """Return what the schema says against inputs, with the line of the rule in its file."""
        return [
            ConfigProblem(self.document.line(("inputs", *path)), dotted(at), message)
            for path, at, message in _violations(self.get_schema(), inputs)
        ]

    def paths(self, inputs: Mapping[str, str]) -> dict[str, str]:
        """Return the paths of its files and checks, by their templates. Raises ``NoFit``."""
        named = (*self.file.checks.present, *self.file.checks.absent, *self.file.files)
        return {each: _rendered(each, inputs, _LONGEST_TASK) for each in named}

    def execute(self, inputs: Mapping[str, str], old: Mapping[str, bytes]) -> ChangeSet:
        """Return the change; ``old`` is what is at its paths now. Raises ``NoFit``."""
        if problems := self.validate_inputs(inputs):
            raise NoFit("; ".join(map(str, problems)))
        paths, made, left = self.paths(inputs), dict[str, Write | None](), _LONGEST_FILE
        for each in self.file.checks.present:
            if paths[each] not in old:
                raise NoFit(f"{paths[each]} is not there")
        for each in self.file.checks.absent:
            if paths[each] in old:
                raise NoFit(f"{paths[each]} is there already")
        for name, template in self.file.files.items():
            target, there = paths[name], old.get(paths[name], b"")
            if len(there) > _LONGEST_OLD:
                raise NoFit(f"{target} is too long")
            try:
                values = {**inputs, "old": there.decode(), "target": target}
            except UnicodeDecodeError as error:
                raise NoFit(f"{target} is not UTF-8") from error
            text = _rendered(template, values, left)
            left -= len(text)
            made[target] = Write(text.encode())
        return ChangeSet(made)


def _rendered(template: str, values: Mapping[str, str], most: int) -> str:
    """Fill a template, up to so many characters. Raises ``NoFit``."""
    text, size = list[str](), 0
    try:
        for part in _templates().from_string(template).generate(**values):
            text.append(part)
            if (size := size + len(part)) > most:
                raise NoFit("its templates make too much")
    except (TemplateError, ValueError, TypeError) as error:  # also a filter with a wrong argument
        raise NoFit(str(error)) from error
    return "".join(text)


def _inputs(phrase: str) -> set[str]:
    return set(_INPUT.findall(phrase))


@cache
def _expression(phrase: str) -> str:
    """The expression for a phrase: what stands for an input ends where its quotes or word do."""
    made, parts = "", _INPUT.split(" ".join(phrase.split()).removesuffix("."))
    for at in range(0, len(parts), 2):
        made += re.escape(parts[at])
        if at + 1 < len(parts):
            quote = parts[at][-1:] if parts[at][-1:] in _QUOTES else ""
            made += f"(?P<{parts[at + 1]}>[^{quote or _QUOTES + chr(92) + 's'}]+)"
    return made


def _phrase_fault(phrase: str, names: set[str]) -> str:
    """Why a phrase cannot be used, '' if it can: each input must end where the next begins."""
    parts = _INPUT.split(phrase)
    if set(parts[1::2]) != names or len(parts[1::2]) != len(names):
        return "has other inputs than the first phrase, or one of them twice"
    literals = parts[::2]
    for before, after in pairwise(literals[:-1]):
        quote = before[-1:] if before[-1:] in _QUOTES else ""
        if quote not in after if quote else not re.search(rf"[\s{_QUOTES}]", after):
            return "needs a space or a quotation mark between two inputs"
    return ""


def _violations(
    schema: Mapping[str, Any], inputs: Mapping[str, object]
) -> Iterator[tuple[list[str | int], tuple[str | int, ...], str]]:
    """Where in the schema a rule is that inputs break, at which input, and what it says."""
    import jsonschema_rs  # only where a task matches

    def refuses(uri: str) -> Any:
        raise ValueError(f"a schema refers to nothing outside, so not to {uri}")

    judge = jsonschema_rs.Draft202012Validator(
        dict(schema), retriever=refuses, pattern_options=jsonschema_rs.RegexOptions()
    )
    for error in judge.iter_errors(dict(inputs)):
        yield error.schema_path, tuple(error.instance_path), error.message


def read_pattern(content: bytes, place: str) -> Pattern:
    """Read a pattern's file. Raises ``ConfigError`` with every problem and its line."""
    check_size(len(content))
    try:
        document = read_yaml(content)
        file = _PatternFile.model_validate(document.values)
    except Unreadable as error:
        raise ConfigError([ConfigProblem(error.line, error.key, error.message)]) from error
    except ValidationError as error:
        raise ConfigError(problems_of(error, document, _PatternFile)) from error
    found = Pattern(place, file, document)
    if problems := list(_problems(found)):
        raise ConfigError(problems)
    return found


def is_pattern(path: str) -> bool:
    """Say whether a path is that of a pattern's file."""
    return path.startswith(FOLDER) and path.endswith((".yml", ".yaml"))


def read_patterns(files: Mapping[str, bytes]) -> tuple[list[Pattern], list[str]]:
    """Read files of patterns; return also what is wrong with the others, with path and line."""
    found, wrong = list[Pattern](), list[str]()
    for path, content in files.items():
        try:
            found.append(read_pattern(content, path))
        except ConfigError as error:
            wrong += [f"{path}, {problem}" for problem in error.problems]
    return found, wrong


def _problems(pattern: Pattern) -> Iterator[ConfigProblem]:
    file, line, names = pattern.file, pattern.document.line, _inputs(pattern.file.when[0])
    for at, phrase in enumerate(file.when):
        if fault := _phrase_fault(phrase, names):
            yield ConfigProblem(line(("when", at)), f"when.{at}", f"This {fault}.")
    try:
        next(_violations(pattern.get_schema(), {}), None)
    except ValueError as error:
        path = ("inputs", *getattr(error, "instance_path", ()))
        why = str(error).split("\n", 1)[0]
        yield ConfigProblem(line(path), dotted(path), f"This is no JSON Schema: {why}.")
    conditions = ((("checks", name, at), text)
                  for name in ("present", "absent")
                  for at, text in enumerate(getattr(file.checks, name)))  # fmt: skip
    targets = ((("files", target), target) for target in file.files)
    texts = ((("files", target), text) for target, text in file.files.items())
    for known, templates in ((names, (*conditions, *targets)), ({*names, *_OWN}, (*texts,))):
        for path, text in templates:
            if fault := _template_fault(text, known):
                yield ConfigProblem(line(path), dotted(path), fault)


def _template_fault(text: str, known: set[str]) -> str:
    """Why a template cannot be used, '' if it can."""
    try:
        tree = _templates().parse(text)
        for node in tree.find_all(nodes.Node):
            if not isinstance(node, _HARMLESS):
                return f"A template has no {type(node).__name__.lower()} (its line {node.lineno})."
        _templates().compile(tree)
    except (TemplateError, RecursionError, SyntaxError) as error:
        return f"This is no template: {error}."
    unknown = sorted(find_undeclared_variables(_templates().parse(text)) - known)
    return f"There is no input {unknown[0]}." if unknown else ""


@cache
def built_in() -> tuple[Pattern, ...]:
    """Return the patterns that come with Cairn."""
    found = sorted((Path(__file__).parent / "built_in").glob("*.yml"))
    return tuple(read_pattern(each.read_bytes(), "built in") for each in found)
