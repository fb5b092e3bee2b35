"""Run a Rust project's tests: ``cargo test``, whose text is the stable format it has.

https://doc.rust-lang.org/cargo/commands/cargo-test.html. Ids are ``file::test``. Cargo names the
root of a test binary before it runs it, and the path of modules in it leads to the file
(https://doc.rust-lang.org/reference/items/modules.html#module-source-filenames); a doc test says
its file itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from runner.ports import CommandResult, SandboxSession
from runner.state.findings import Level, TestFailure
from runner.text.patterns import lazy_pattern
from runner.verify.judging import Read, judged, must_be_there, not_there, ran
from runner.verify.junit import SuiteReport, UnreadableReport, report_of

_RUNNING = lazy_pattern(r"^ +(?:Running (?:unittests )?(?P<file>\S+) \(|Doc-tests (?P<doc>\S+))")
_TEST = lazy_pattern(r"^test (?P<name>\S.{0,400}?)(?: - should panic)? \.\.\. (?P<result>\w+)")
_BLOCK = lazy_pattern(r"^---- (?P<name>.{1,400}) stdout ----$")
_RESULT = lazy_pattern(r"^test result: \w+\. \d+ passed; \d+ failed;")
_PANIC = lazy_pattern(r"panicked at (?:'.{0,400}', )?(?P<file>[^\s:]{1,300}):(?P<line>\d+):\d+:?$")
_ERROR = lazy_pattern(r"^error(?:\[E\d+\])?: (?P<text>.+)$")
_ARROW = lazy_pattern(r"^ *--> (?P<file>[^\s:]{1,300}):(?P<line>\d+):\d+$")
_OFFLINE = lazy_pattern(rb"--offline was specified|no matching package named|you may want to run")
_NO_TOOLCHAIN = lazy_pattern(rb"^error: rustup could not choose", re.MULTILINE)
_RED = 101
_NOT_COMPILED = "could not compile"
_WHERE = "find . -name target -prune -o '(' -name '*.rs' -o -name Cargo.toml ')' -print | cut -c3-"
# of several packages, Cargo names the file within its own (target.src_path is the whole path):
# https://doc.rust-lang.org/cargo/reference/external-tools.html#artifact-messages
_BINARIES = "pwd -P; exec cargo test --offline --no-run --message-format=json 2>/dev/null"
_OF_BINARY = lazy_pattern(
    r"^(?P<before> +Running (?:unittests )?)(?P<file>\S+) \((?P<binary>\S+)\)", re.MULTILINE
)
_NOISE = ("stack backtrace:", "note: run with `RUST_BACKTRACE", "note: Some details")

# one stream, so that what cargo says stands before the tests it says it of
_COMMAND = (
    'RUST_BACKTRACE=0 CARGO_TERM_COLOR=never exec cargo test --offline --no-fail-fast "$@" 2>&1'
)


class Cargo:
    """The ``Tool`` for Rust."""

    name = "cargo"

    def found(self, paths: Collection[str], read: Read) -> bool:
        """Whether there is a package at the root: its tests may be in any of its files."""
        return "Cargo.toml" in paths and any(path.endswith(".rs") for path in paths)

    async def run(
        self, session: SandboxSession, *, timeout: float, only: Sequence[str] = ()
    ) -> Level:
        """Compile and run all tests, or ``only`` those with these names."""
        names = [name.split("::", 1)[-1].split(" - ")[0] for name in only]
        command = ["sh", "-c", _COMMAND, "sh", *(["--", *names] if names else [])]
        typed = " ".join(["cargo test", *command[4:]])
        result, level = await ran(session, command, tool=self.name, timeout=timeout, shown_as=typed)
        _must_work(result)
        text = result.stdout.decode("utf-8", "replace")
        where = await session.run(["sh", "-c", _WHERE], timeout=60)
        files = frozenset(where.stdout.decode("utf-8", "replace").splitlines())
        if sum(path.endswith("Cargo.toml") for path in files) > 1:
            roots = await _roots(session, timeout)
            text = _OF_BINARY.sub(
                lambda m: f"{m['before']}{roots.get(m['binary'], m['file'])} ({m['binary']})", text
            )
        return judged(level, result, lambda: read_cargo(text, files), timeout=timeout, red=(_RED,))


async def _roots(session: SandboxSession, timeout: float) -> Mapping[str, str]:
    """The root file of each test binary, both as paths below the workspace; nothing is run."""
    listed = await session.run(["sh", "-c", _BINARIES], timeout=timeout)
    folder, _, messages = listed.stdout.decode("utf-8", "replace").partition("\n")
    made = (json.loads(line) for line in messages.splitlines() if '"compiler-artifact"' in line)
    return {
        each["executable"].removeprefix(f"{folder}/"): each["target"]["src_path"].removeprefix(
            f"{folder}/"
        )
        for each in made
        if each["executable"]
    }


def read_cargo(text: str, files: Collection[str] = ()) -> SuiteReport:
    """Read the output of ``cargo test``; ``files`` are the project's.

    Raises ``UnreadableReport`` when no test was run.
    """
    lines = text.split("\n")
    if not any(_RESULT.match(line) for line in lines):
        errors = list(_compile_errors(lines))
        if not errors:
            raise UnreadableReport("there is no test result")
        return report_of(("failed", error) for error in errors)
    return report_of(_cases(lines, files))


def _must_work(result: CommandResult) -> None:
    must_be_there(result, "cargo", how="Rust")
    if result.exit_code and _NO_TOOLCHAIN.search(result.stdout):
        raise not_there(result, "A Rust toolchain", how="rustup default stable")
    if result.exit_code and _OFFLINE.search(result.stdout):
        raise not_there(
            result, "A crate the project needs", how="cargo fetch, with sandbox.network: setup"
        )


def _cases(
    lines: Sequence[str], files: Collection[str]
) -> Iterator[tuple[str, TestFailure | None]]:
    binary, output = "", _outputs(lines)
    for line in lines:
        if found := _RUNNING.match(line):
            binary = found["file"] or ""
        elif found := _TEST.match(line):
            result = {"ok": "passed", "FAILED": "failed"}.get(found["result"], "skipped")
            said = output.get((binary, found["name"]), [])
            yield result, _result(_file(binary, found["name"], files), found["name"], said)
    if any(_NOT_COMPILED in line for line in lines):
        yield from (("failed", error) for error in _compile_errors(lines))


def _outputs(lines: Sequence[str]) -> dict[tuple[str, str], list[str]]:
    """What each failing test printed, by binary and name."""
    found: dict[tuple[str, str], list[str]] = {}
    binary, block = "", None
    for line in lines:
        if running := _RUNNING.match(line):
            binary, block = running["file"] or "", None
        elif begins := _BLOCK.match(line):
            block = found.setdefault((binary, begins["name"]), [])
        elif line == "failures:" or _RESULT.match(line):
            block = None
        elif block is not None:
            block.append(line)
    return found


def _file(binary: str, name: str, files: Collection[str]) -> str:
    """The file of a test: that of the innermost of its modules that has one."""
    if not binary:
        return name.partition(" - ")[0]  # a doc test says its file, and is in no binary
    folder, _, root = binary.rpartition("/")
    inside = folder if root in ("lib.rs", "main.rs", "mod.rs") else binary.removesuffix(".rs")
    modules = name.split("::")[:-1]
    for end in range(len(modules), 0, -1):
        path = "/".join((inside, *modules[:end]))
        if found := next((p for p in (f"{path}.rs", f"{path}/mod.rs") if p in files), ""):
            return found
    return binary


def _result(root: str, name: str, output: Sequence[str]) -> TestFailure:
    places = [found for line in output if (found := _PANIC.search(line[:1000]))]
    at = next((i for i, line in enumerate(output) if line.startswith(_NOISE)), len(output))
    kept = [line for line in output[:at] if line.strip() and not _PANIC.search(line[:1000])]
    message = "\n".join(kept).strip() or "the test failed"
    file, line = (places[0]["file"], int(places[0]["line"])) if places else (root, None)
    return TestFailure(f"{root}::{name}", message, file, line)


def _compile_errors(lines: Sequence[str]) -> Iterator[TestFailure]:
    """One failure an error of the compiler: its words and where it points."""
    for index, line in enumerate(lines):
        error = _ERROR.match(line[:1000])
        arrow = next((f for n in lines[index + 1 : index + 4] if (f := _ARROW.match(n))), None)
        if error and arrow:
            around = "\n".join(lines[index : index + 10]).split("\n\n", 1)[0]
            yield TestFailure(arrow["file"], around, arrow["file"], int(arrow["line"]))
