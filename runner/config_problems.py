"""What is wrong with a configuration: each problem with its line, its key and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from runner.config_yaml import LARGEST, Document, Path, dotted


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to change; ``line`` counts from 1, ``key`` is dotted ('' for the file itself).

    Line 0 is for what is wrong with the file as a whole.
    """

    line: int
    key: str
    message: str

    def __str__(self) -> str:
        name = f"`{self.key}`: " if self.key else ""
        return f"line {self.line}: {name}{self.message}" if self.line else self.message


class ConfigError(Exception):
    """The configuration cannot be used; ``problems`` are in the order of the file."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line))
        super().__init__("\n".join(str(problem) for problem in self.problems))


def not_a_file(what: str) -> ConfigError:
    """Make the error for a folder, a link or a submodule in the place of the file."""
    message = f"It is {what}. Replace it with a file, or remove it to use the default settings."
    return ConfigError([Problem(0, "", message)])


def check_size(size: int) -> None:
    """Raise ``ConfigError`` when a file of so many bytes is not even read."""
    if size > LARGEST:
        raise ConfigError([Problem(0, "", f"It has {size} bytes; at most {LARGEST} are read.")])


def problems_of(
    error: ValidationError, document: Document, model: type[BaseModel]
) -> list[Problem]:
    """Turn what pydantic found into problems of the file."""
    details = error.errors(include_url=False, include_input=False)
    return [_problem(detail, document, model) for detail in details]


def _problem(detail: Mapping[str, Any], document: Document, model: type[BaseModel]) -> Problem:
    path: Path = detail["loc"]
    return Problem(document.line(path), dotted(path), _message(detail, path, model))


def _message(detail: Mapping[str, Any], path: Path, model: type[BaseModel]) -> str:
    match detail["type"]:
        case "extra_forbidden":
            return f"There is no such setting. {_did_you_mean(path, model)}"
        case "value_error":
            return f"This {detail['ctx']['error']}."
        case "tuple_type":
            return "This should be a list."
        case "model_type":
            return "This is a group; write its settings below it, indented."
        case "string_pattern_mismatch":
            return "This has a character that does not belong here."
        case _:
            return str(detail["msg"]).replace("Input should", "This should", 1).rstrip(".") + "."


def _did_you_mean(path: Path, model: type[BaseModel]) -> str:
    known = list(_keys(model))
    key = dotted(path)
    group, _, last = key.rpartition(".")
    siblings = [name for name in known if name.rpartition(".")[0] == group]
    # what all have in front says nothing about how near they are
    ends = [name.rpartition(".")[2] for name in siblings]
    near = [siblings[ends.index(end)] for end in difflib.get_close_matches(last, ends, n=1)]
    near = near or [name for name in known if name.rpartition(".")[2] == last]
    if near:
        return f"Did you mean `{near[0]}`?"
    names = ", ".join(name.rpartition(".")[2] for name in siblings)
    return f"There {'is' if len(siblings) == 1 else 'are'}: {names}."


def _keys(model: type[BaseModel], above: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield above + name
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _keys(inner, f"{above}{name}.")
