"""What values of ``.github/cairn.yml`` may look like: sizes, commands, lists, paths, patterns."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, Field, StringConstraints, WithJsonSchema

T = TypeVar("T")
_SIZE = re.compile(r"(\d{1,15})(?:([kmg])i?b?|b)?", re.IGNORECASE)
_SHIFT = {"": 0, "k": 10, "m": 20, "g": 30}
_SIZE_SCHEMA = {
    "anyOf": [
        {"type": "integer", "minimum": 1},
        {"type": "string", "pattern": r"^[0-9]{1,15}([kKmMgG]([iI]?[bB])?|[bB])?$"},
    ]
}
_COMMAND_SCHEMA = {
    "anyOf": [
        {"type": "string", "minLength": 1},
        {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
    ]
}


def _size(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    found = _SIZE.fullmatch(value)
    if not found:
        raise ValueError("is not a size; write bytes, or a number with k, m or g, like 512m")
    return int(found[1]) << _SHIFT[(found[2] or "").lower()]


def _items(value: Any) -> Any:
    if isinstance(value, str):
        raise ValueError("is not a list; write [one, two]")  # noqa: TRY004 # pydantic's way
    return tuple(value) if isinstance(value, list) else value


def _command(value: Any) -> Any:
    if isinstance(value, str):
        return ("sh", "-c", value)
    if isinstance(value, dict) and len(value) == 1:
        ((key, rest),) = value.items()
        line = f"{key}: {rest}".replace("'", "''")
        raise ValueError(
            'is not a command, because YAML reads the ": " in it as a setting; quote it: '
            f"- '{line}'"
        )
    return tuple(value) if isinstance(value, list) else value


def inside(path: str) -> str:
    """Check that a path names a file of the repository."""
    parts = path.split("/")
    if "\\" in path or any(part in {"", ".", ".."} for part in parts) or parts[0] == ".git":
        raise ValueError("is not a path inside the repository; write it like docs/ROADMAP.md")
    return path


def project_folder(path: str) -> str:
    """Check the folder of a project; a ``/`` at its end means nothing."""
    if path.rstrip("/") in (".", ""):
        raise ValueError(
            "is the repository itself, whose plan is `roadmap.path`; name a folder in it"
        )
    return inside(path.removesuffix("/"))


def project_name(name: str) -> str:
    """Check the name of a project."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,49}", name):
        raise ValueError(
            "must begin with a letter, then letters, digits, - and _ may follow (50 in all)"
        )
    return name


def report_pattern(pattern: str) -> str:
    """Check a shell pattern of files in the workspace; '' is none."""
    if pattern and (pattern.startswith(("/", "-", "~")) or ".." in pattern.split("/")):
        raise ValueError("is not a pattern inside the repository; write it like build/test-*.xml")
    return pattern


def gitignore(pattern: str) -> str:
    """Check a pattern (https://git-scm.com/docs/gitignore)."""
    from runner.text.gitignore import understood

    if not list(understood([pattern])):
        raise ValueError("is not a gitignore pattern; write one like /docs/ or *.lock")
    return pattern


Size = Annotated[int, BeforeValidator(_size), WithJsonSchema(_SIZE_SCHEMA)]
Command = Annotated[
    tuple[Annotated[str, StringConstraints(min_length=1, max_length=4000)], ...],
    Field(min_length=1, max_length=100),
    BeforeValidator(_command),
    WithJsonSchema(_COMMAND_SCHEMA),
]
"""Words of a command; one string is for the shell."""
Items = Annotated[tuple[T, ...], BeforeValidator(_items)]

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
Word = Annotated[str, StringConstraints(min_length=1, max_length=200)]
# https://docs.docker.com/reference/cli/docker/image/tag/ ; never something that reads as an option
Image = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/@-]*$", max_length=255)
]


Label = Annotated[str, StringConstraints(min_length=1, max_length=50)]
Reviewer = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*(/[A-Za-z0-9_.-]+)?$", max_length=140),
]
"""A login, or a team of an organisation."""
