"""What ``cairn roadmap show`` and ``lint`` do. Exit codes: 0, 1 something found, 2 unusable."""

from __future__ import annotations

import json as json_
import sys

from app.roadmap.as_json import roadmap_json, warnings_json
from app.roadmap.files import Unusable, read_roadmap
from app.terminal import any_encoding, printable
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Roadmap


def show(file: str, *, json: bool) -> int:
    """Print how Cairn reads a roadmap."""
    roadmap = parsed(file)
    if roadmap is None:
        return 2
    if json:
        print(json_.dumps(roadmap_json(roadmap), indent=2))
        return 0
    # drawing is not needed for programs, and takes a moment to import
    from app.roadmap.view import print_roadmap

    print_roadmap(roadmap)
    return 0


def lint(file: str, *, json: bool) -> int:
    """Print what a person should look at; 1 when there is something."""
    from app.roadmap.view import warning_line
    from runner.roadmap.lint import lint as find

    roadmap = parsed(file)
    if roadmap is None:
        return 2
    found = find(roadmap)
    if json:
        print(json_.dumps(warnings_json(found), indent=2))
    else:
        lines = [warning_line(roadmap.path, warning) for warning in found]
        print("\n".join(lines or [f"{printable(file)}: nothing to say."]))
    return 1 if found else 0


def parsed(file: str) -> Roadmap | None:
    """Read and parse a file; None, with a sentence on standard error, when it cannot be used."""
    any_encoding()
    try:
        roadmap = parse_roadmap(file, read_roadmap(file))
    except Unusable as error:
        complain(str(error))
        return None
    if any(warning.code == "file-too-large" for warning in roadmap.warnings):
        complain(f"{file} cannot be used: {roadmap.asks}")
        return None
    return roadmap


def complain(message: str) -> None:
    """Say on standard error what is wrong and what to do."""
    print(printable(message), file=sys.stderr)
