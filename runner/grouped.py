"""Values made of groups: their fields by name, whichever group holds them.

A value with many fields keeps them in groups, so that a reader meets ten at a time. Names are
unique across the groups of a value. Code that has fields by name (the command line, a stored row)
need not know the groups. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, fields, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    V = TypeVar("V", bound=DataclassInstance)
else:
    V = TypeVar("V")

GROUP: Final = {"group": True}
"""Metadata of a field that groups others: its default is a frozen dataclass, all by default."""


def stored_as(name: str) -> dict[str, str]:
    """Metadata of a field that stored rows know by another name."""
    return {"stored": name}


def changed(value: V, **changes: Any) -> V:
    """Return the value with some fields replaced, those of its groups too."""
    for each in fields(value):
        own = [f.name for f in _inner(each) if f.name in changes]
        if own:
            inner = {name: changes.pop(name) for name in own}
            held = changes.get(each.name, getattr(value, each.name))
            changes[each.name] = replace(held, **inner)
    return replace(value, **changes)


def side_by_side(value: DataclassInstance) -> dict[str, Any]:
    """Return the fields of a value, those of its groups beside its own, by name."""
    found: dict[str, Any] = {}
    for each in fields(value):
        held = getattr(value, each.name)
        inner = {f.name: getattr(held, f.name) for f in _inner(each)}
        found |= inner if "group" in each.metadata else {each.name: held}
    return found


def stored_fields(value: DataclassInstance) -> dict[str, Any]:
    """Return the fields of a value as rows store them: those of its groups beside its own."""
    found: dict[str, Any] = {}
    for each in fields(value):
        held = getattr(value, each.name)
        inner = {_stored(f): getattr(held, f.name) for f in _inner(each)}
        found |= inner if "group" in each.metadata else {each.name: held}
    return found


def nested(kind: type[V], data: Mapping[str, Any]) -> dict[str, Any]:
    """Undo ``stored_fields``; fields that a row of an older version lacks are left out."""
    found: dict[str, Any] = {}
    for each in fields(kind):
        if "group" in each.metadata:
            own = {f.name: _stored(f) for f in _inner(each)}
            found[each.name] = {name: data[key] for name, key in own.items() if key in data}
        elif each.name in data:
            found[each.name] = data[each.name]
    return found


def _inner(each: Field[Any]) -> tuple[Field[Any], ...]:
    kind: Any = each.default_factory
    return fields(kind) if "group" in each.metadata else ()


def _stored(each: Field[Any]) -> str:
    return str(each.metadata.get("stored", each.name))
