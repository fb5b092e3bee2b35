"""State to journal rows and back: JSON, with every content held by reference beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter

from runner.roadmap.parse import parse_roadmap
from runner.snapshot import blob_sha
from runner.state import Attempt, RunState

_BLOB = "$blob"
_MARK = "$"
"""Keys of our own that begin with it get one more, so that no path can pass for a reference."""
_ATTEMPT = TypeAdapter(Attempt)
_RUN = TypeAdapter(RunState)


def encode_attempt(attempt: Attempt) -> tuple[dict[str, object], dict[str, bytes]]:
    """Return (JSON, contents by sha)."""
    contents: dict[str, bytes] = {}
    return _lift(_ATTEMPT.dump_python(attempt), contents), contents


def encode_run(state: RunState) -> tuple[dict[str, object], dict[str, bytes]]:
    """Return the run's own record: no attempts, and of the roadmap only its path and bytes."""
    contents: dict[str, bytes] = {}
    data = _RUN.dump_python(replace(state, attempts={}, roadmap=None))
    if state.roadmap:
        data["roadmap"] = {"path": state.roadmap.path, "content": state.roadmap.content}
    return _lift(data, contents), contents


def decode_attempt(data: Mapping[str, object], content: Mapping[str, bytes]) -> Attempt:
    """Rebuild an attempt from a row; ``content`` holds what ``references`` names."""
    return _ATTEMPT.validate_python(_lower(dict(data), content.__getitem__))


def decode_run(data: Mapping[str, object], content: Mapping[str, bytes]) -> RunState:
    """Rebuild the run's own record; the roadmap is parsed again from its bytes."""
    plain = _lower(dict(data), content.__getitem__)
    roadmap = plain.pop("roadmap", None)
    state = _RUN.validate_python(plain)
    if roadmap is None:
        return state
    return replace(state, roadmap=parse_roadmap(roadmap["path"], roadmap["content"]))


def references(data: object) -> set[str]:
    """Name the contents a row refers to."""
    if isinstance(data, dict):
        if set(data) == {_BLOB}:
            return {str(data[_BLOB])}
        return _union(references(value) for value in data.values())
    if isinstance(data, list):
        return _union(references(value) for value in data)
    return set()


def _union(sets: Iterable[set[str]]) -> set[str]:
    return set().union(*sets)


def _lift(value: Any, contents: dict[str, bytes]) -> Any:
    if isinstance(value, bytes):
        sha = blob_sha(value)
        contents[sha] = value
        return {_BLOB: sha}
    if isinstance(value, Mapping):
        return {_escaped(str(key)): _lift(inner, contents) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_lift(inner, contents) for inner in value]
    return value


def _lower(value: Any, content: Callable[[str], bytes]) -> Any:
    if isinstance(value, dict):
        if set(value) == {_BLOB}:
            return content(value[_BLOB])
        return {_plain(key): _lower(inner, content) for key, inner in value.items()}
    if isinstance(value, list):
        return [_lower(inner, content) for inner in value]
    return value


def _escaped(key: str) -> str:
    return _MARK + key if key.startswith(_MARK) else key


def _plain(key: str) -> str:
    return key.removeprefix(_MARK)
