"""A sandbox that runs nothing: it keeps what is written into it and answers by rule.

Tests are red when a file of the workspace says ``RED`` and green otherwise.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Callable, Sequence

from runner.errors import Outage, PortError
from runner.loop.workspace import manifest
from runner.ports import CommandResult, Fill, Ran, SandboxSession, SandboxSpec, Setup, unheard
from runner.state.changes import EXECUTABLE, FILE

Files = dict[str, bytes]
Rule = Callable[[Files], list[str]]

_OK = CommandResult(0, b"", b"")


def says_red(files: Files) -> list[str]:
    """Name the files that say RED: each is a failing test."""
    return sorted(path for path, content in files.items() if b"RED" in content)


class RecordingBox:
    """Takes a tree over ``run`` as the product writes it, and reports tests by ``rule``."""

    def __init__(self, sandbox: RecordingSandbox, spec: SandboxSpec) -> None:
        self._sandbox = sandbox
        self.spec = spec
        self.files: Files = {}
        self.closed = False
        self._report = b""

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout: float | None = None
    ) -> CommandResult:
        assert not self.closed, "a command for a box that is gone"
        self._sandbox.may_fail()
        if stdin:
            return self._written(stdin)
        if "pytest" in argv and self._sandbox.seconds(self.files) > (timeout or 0):
            return CommandResult(137, b"", b"", timed_out=True)
        if "pytest" in argv:
            return self._tested()
        if any(word.endswith(".xml") for word in argv):
            return CommandResult(0, self._report, b"")
        return _OK

    async def renew(self) -> bool:
        return False

    async def close(self) -> None:
        self.closed = True
        self._sandbox.may_fail_to_close()

    def _written(self, archive: bytes) -> CommandResult:
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            members = [(m, tar.extractfile(m)) for m in tar if m.isreg()]
            found = {m.name: (m.mode, file.read() if file else b"") for m, file in members}
        self.files = {path: content for path, (_, content) in found.items()}
        self._sandbox.seen.append(dict(self.files))
        modes = {p: (EXECUTABLE if m & 0o100 else FILE, c) for p, (m, c) in found.items()}
        digest = hashlib.sha256(b"".join(manifest(modes))).hexdigest()
        return CommandResult(0, f"{digest}  -\n".encode(), b"")

    def _tested(self) -> CommandResult:
        red = self._sandbox.rule(self.files)
        cases = [_case(path, "<failure message='assert 1 == 2'>said RED</failure>") for path in red]
        xml = "".join([_case("always"), *cases])
        self._report = (
            f"<testsuites><testsuite name='pytest'>{xml}</testsuite></testsuites>".encode()
        )
        return CommandResult(1 if red else 0, b"some output\n", b"")


def _case(name: str, inner: str = "") -> str:
    where = "classname='tests' file='tests/test_it.py' line='1'"
    return f"<testcase {where} name='{name}'>{inner}</testcase>"


class RecordingSandbox:
    """Opens recording boxes; ``seen`` is every tree that was written into one.

    ``seconds`` are those that the tests of a tree would take: what has fewer is timed out.
    """

    def __init__(self, rule: Rule = says_red) -> None:
        self.rule = rule
        self.seconds: Callable[[Files], float] = lambda _: 0.0
        self.boxes: list[RecordingBox] = []
        self.seen: list[Files] = []
        self.outages: list[PortError] = []
        self.setups: list[Setup] = []
        self.closing_outages: list[Outage] = []

    @property
    def name(self) -> str:
        return "recording"

    installed = False

    async def check(self) -> None:
        self.may_fail()

    async def open(self, spec: SandboxSpec) -> SandboxSession:
        self.may_fail()
        self.boxes.append(RecordingBox(self, spec))
        return self.boxes[-1]

    async def prepare(self, spec: SandboxSpec, setup: Setup, fill: Fill, ran: Ran = unheard) -> str:
        self.may_fail()
        self.setups.append(setup)
        return f"prepared-{setup.inputs[:8]}"

    async def kept(self) -> int:
        return 0

    async def sweep(self) -> int:
        return 0

    def may_fail(self) -> None:
        """Raise the next outage, if one is planned."""
        if self.outages:
            raise self.outages.pop(0)

    def may_fail_to_close(self) -> None:
        """Raise the next outage of closing, if one is planned."""
        if self.closing_outages:
            raise self.closing_outages.pop(0)
