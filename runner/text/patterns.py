"""Regular expressions that are compiled when they are first used, not when a module is imported.

The patterns of a roadmap and of the checks are large: compiling all of them took a quarter of the
time that a command needs before it does anything, and most commands use few of them.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")


def lazy_pattern(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what can be used as ``re.compile(source, flags)``; its first use compiles it."""
    return cast("re.Pattern[AnyStr]", LazyPattern(source, flags))


class LazyPattern:
    """A pattern whose methods are those of the compiled one from its first use on."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self.pattern = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self._flags)
        self.__dict__ |= {method: getattr(compiled, method) for method in _METHODS}
        return getattr(compiled, name)
