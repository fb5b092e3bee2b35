"""Which Cairn this is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, metadata, version


def version_of_cairn() -> str:
    """Return the version that is installed; ``source`` for a folder that is not installed."""
    try:
        return version("cairn")
    except PackageNotFoundError:
        return "source"


def schema_line() -> str:
    """Return the first line of a ``.github/cairn.yml`` by which editors find its JSON Schema.

    '' for a folder that is not installed.
    (https://github.com/redhat-developer/yaml-language-server#using-inlined-schema)
    """
    try:
        urls = metadata("cairn").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    source = next(url.partition(", ")[2] for url in urls if url.startswith("Source, "))
    raw = source.replace("https://github.com/", "https://raw.githubusercontent.com/")
    return f"# yaml-language-server: $schema={raw}/main/docs/cairn.schema.json\n"
