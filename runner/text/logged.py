"""What a line of the log is about: a delivery, a run, a task and its node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

_ABOUT: ContextVar[Mapping[str, str]] = ContextVar("about", default={})  # noqa: B039 - never changed


@contextmanager
def about(**names: str) -> Iterator[None]:
    """Say what everything is about that is logged meanwhile, here and in what is begun here."""
    token = _ABOUT.set({**_ABOUT.get(), **names})
    try:
        yield
    finally:
        _ABOUT.reset(token)


def subject() -> Mapping[str, str]:
    """What is being worked on here, by the kind of thing; those that are known."""
    return {kind: name for kind, name in _ABOUT.get().items() if name}
