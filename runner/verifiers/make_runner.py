"""``make test``: what verifies a project without a known test runner; its exit code counts."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from runner.findings import Level
from runner.ports import Box
from runner.verifiers.judging import by_exit_code, must_be_there, ran
from runner.verifiers.tool import Read

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_TARGET = re.compile(rb"^test[ \t]*:(?!=)", re.MULTILINE)


class Make:
    """The ``Tool`` for makefiles; only asked where no other tool finds tests."""

    name = "make"

    def found(self, paths: Collection[str], read: Read) -> bool:
        """Whether the makefile that make would take has a target ``test``."""
        own = next((name for name in MAKEFILES if name in paths), None)
        return own is not None and bool(_TARGET.search(read(own) or b""))

    async def run(self, box: Box, *, timeout: float, only: Sequence[str] = ()) -> Level:
        """Run the target; it knows no single tests."""
        result, level = await ran(box, ["make", "test"], tool=self.name, timeout=timeout)
        must_be_there(result, "make")
        return by_exit_code(level, result, timeout=timeout)
