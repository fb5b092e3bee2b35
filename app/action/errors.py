"""What keeps the Action from doing anything."""

from __future__ import annotations


class Refused(Exception):
    """Nothing was changed; the message says what to do. The exit code is 2."""
