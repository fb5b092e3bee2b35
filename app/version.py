"""Which Cairn this is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def version_of_cairn() -> str:
    """Return the version that is installed; ``source`` for a folder that is not installed."""
    try:
        return version("cairn")
    except PackageNotFoundError:
        return "source"
