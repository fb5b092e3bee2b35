"""What is wrong with data, in words that nobody has to know pydantic for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError


def plain_message(message: str) -> str:
    """Return one of pydantic's messages without the words that only programmers know."""
    text = message.removeprefix("Value error, ").removeprefix("Input ")
    return text.partition(", unable")[0]


def first_fault(error: ValidationError) -> str:
    """Say where the first fault is and what it is: ``notes.0.kind: should be 'files'``."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {plain_message(first['msg'])}" if place else plain_message(first["msg"])
