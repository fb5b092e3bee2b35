"""TOML 1.0 by the standard library."""

from __future__ import annotations

import re
import tomllib

from runner.findings import Complaint
from runner.text import numbered

# the standard library takes quadratic time for them
_LONG_KEY = re.compile(r"(?:[\w\"'-]+[ \t]*\.[ \t]*){100}")
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def check(path: str, content: bytes) -> Complaint | None:
    """Return the first error of a TOML file, or None."""
    text = content.decode("utf-8", "replace")
    if _LONG_KEY.search(text):
        return Complaint(path, "TOMLDecodeError", "A key has more than 100 parts.")
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return _complaint(path, text, str(error))
    except RecursionError:
        return Complaint(path, "TOMLDecodeError", "The document is nested too deeply.")
    except ValueError as error:
        # a number or date that the grammar allows and Python cannot hold
        return Complaint(path, "TOMLDecodeError", str(error))
    return None


def _complaint(path: str, text: str, said: str) -> Complaint:
    place = _PLACE.search(said)
    message = _PLACE.sub("", said)
    if place and place[1]:
        line, column = int(place[1]), int(place[2])
    else:
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
        message += " at the end of the file"
    return Complaint(path, "TOMLDecodeError", message, line, column, numbered(text, line))
