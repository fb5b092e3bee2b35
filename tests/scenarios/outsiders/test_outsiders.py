"""Forty small repositories by somebody who had not read the code: what is done is told truthfully.

Each file in ``cases/`` says what must come out and by which row of the table; what the product
does was not looked at before that was decided.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.app.warm import start
from tests.marks import OUTSIDE
from tests.model_server import Asked, ScriptedModel, serve
from tests.model_server.turns import Turn as Said
from tests.plain_python import plain_path
from tests.scenarios.outsiders.case_file import COMPLETED, Case, Turn, read_case

KNOWN: dict[str, str] = {}
"""Cases that come out wrong so far, with what is seen."""

_CASES = [read_case(path) for path in sorted(Path(__file__).with_name("cases").glob("*.txt"))]
_PROGRAMS = Path(sys.executable).parent
_WHO = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")


def _param(case: Case) -> Any:
    known = KNOWN.get(case.name)
    marks = [pytest.mark.xfail(strict=True, reason=known)] if known else []
    return pytest.param(case, id=case.name, marks=marks)


def test_there_are_forty() -> None:
    assert len(_CASES) >= 40
    assert {case.name for case in _CASES} >= KNOWN.keys()


@OUTSIDE
@pytest.mark.parametrize("case", [_param(case) for case in _CASES])
async def test_what_comes_out(case: Case, tmp_path: Path) -> None:
    missing = [program for program in case.needs if shutil.which(program) is None]
    if missing:
        pytest.skip(f"not on this machine: {', '.join(missing)}")
    repository = await _repository(case, tmp_path)
    for number, turn in enumerate(case.turns, 1):
        seen, told = await _played(repository, turn, f"{case.name}, run {number} ({turn.row})")
        assert seen in turn.expect, f"must be {' or '.join(turn.expect)}, is {seen}: {told}"


async def _repository(case: Case, tmp_path: Path) -> Path:
    repository, outside = tmp_path / "repository", tmp_path / "outside"
    outside.mkdir()
    for name, content in case.files.items():
        path = repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content.replace("{tmp}", str(outside)), encoding="utf-8")
    await _git(repository, "init", "--quiet", "--initial-branch=main")
    await _git(repository, "config", "user.name", "Ada")
    await _git(repository, "config", "user.email", "ada@example.com")
    await _git(repository, "add", "--all")
    await _git(repository, *_WHO, "commit", "--quiet", "--message=Begin")
    return repository


async def _played(repository: Path, turn: Turn, where: str) -> tuple[str, str]:
    """What came out, told alike everywhere, and all that was said."""
    before = await _git(repository, "rev-parse", "HEAD")
    ticked = _ticks(repository)
    code, said, calls = await _cairn(repository, turn)
    commits = (await _git(repository, "rev-list", f"{before}..HEAD")).split()
    report = json.loads((repository / ".executor/report.json").read_text(encoding="utf-8"))
    told = f"{where}\nexit code {code}\n{said}"
    seen = await _outcome(repository, commits, code)
    assert await _git(repository, "status", "--porcelain") == "", told
    if seen in COMPLETED:
        [trust] = report["trust"]
        assert trust["verdict"] == seen, told
        assert seen == "shown" or trust["reason"], told
        verified = await _trailer(repository, "Cairn-Verified")
        assert verified.startswith("yes" if seen == "shown" else "no"), told
        listing = await _git(
            repository,
            "-c",
            "core.quotePath=false",
            "diff",
            "--no-renames",
            "--name-only",
            before,
            "HEAD",
        )
        changed = set(listing.splitlines())
        assert changed >= set(turn.holds), f"not committed: {told}"
        assert not changed & set(turn.without), f"committed: {changed} {told}"
    else:
        assert report["trust"] == [], told
    if seen == "shown":
        assert _ticks(repository) == ticked + 1, told
    elif seen not in COMPLETED:
        assert _ticks(repository) == ticked, told
    assert calls == (turn.calls or calls), f"asked {calls} times: {told}"
    assert turn.listed in json.dumps(report, ensure_ascii=False), f"not listed: {told}"
    return seen, told


async def _outcome(repository: Path, commits: list[str], code: int) -> str:
    """Tell what came out by what is in git, and by the exit code where nothing is."""
    if commits:
        assert len(commits) == 1, commits
        return await _trailer(repository, "Cairn-Verdict")
    assert code in (1, 3), code
    return "asked" if code == 3 else "red"


async def _cairn(repository: Path, turn: Turn) -> tuple[int, str, int]:
    model = ScriptedModel()

    def again(_asked: Asked) -> Said:
        return turn.answers[-1]

    model.says(*turn.answers[:-1])
    model.otherwise = again
    kept = {name: text for name, text in os.environ.items() if not name.startswith("CAIRN_")}
    async with serve(model) as base_url:
        more = {
            "OPENAI_BASE_URL": base_url,
            "CAIRN_MODEL": "scripted",
            "PATH": plain_path(_PROGRAMS),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "NO_COLOR": "1",
        }
        arguments = ("run", "--sandbox", "process", "--max-tasks", "1", *turn.args)
        process = await start(arguments, repository, {**kept, **more})
        output, errors = await process.communicate()
    assert process.returncode is not None
    return process.returncode, (output + errors).decode(errors="replace"), len(model.requests)


async def _git(repository: Path, *arguments: str) -> str:
    process = await asyncio.create_subprocess_exec(
        "git",
        *arguments,
        cwd=repository,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await process.communicate()
    assert process.returncode == 0, errors.decode(errors="replace")
    return output.decode().strip()


async def _trailer(repository: Path, name: str) -> str:
    return await _git(repository, "log", "-1", f"--format=%(trailers:key={name},valueonly)")


def _ticks(repository: Path) -> int:
    text = (repository / "ROADMAP.md").read_text(encoding="utf-8")
    return len(re.findall(r"^\s*[-*] \[x\]", text, re.MULTILINE))
