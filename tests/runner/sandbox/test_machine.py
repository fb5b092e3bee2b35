"""Without a prepared root, a checkout's box shows what the user works with, and no secret."""

from __future__ import annotations

import os
import venv
from pathlib import Path

import pytest

from runner.loop.workspace import materialise, restore
from runner.sandbox.bubblewrap import BubblewrapSandbox
from runner.sandbox.machine import ShownMachine, shown_machine
from tests.runner.sandbox.sandbox_bench import opened, working_sandbox

SECRET = "CAIRN-TEST-SECRET"


def project(folder: Path) -> Path:
    """A checkout with a virtual environment, a package of Node and a file with a secret."""
    venv.create(folder / ".venv")
    (site,) = (folder / ".venv").glob("lib/*/site-packages")
    (site / "only_here.py").write_text("ANSWER = 42\n")
    package = folder / "node_modules" / "told"
    package.mkdir(parents=True)
    (package / "index.js").write_text("exports.told = 42;\n")
    (folder / ".env").write_text(SECRET)
    return folder


def shown(folder: Path, *path: Path) -> ShownMachine:
    """What is shown of a checkout with these folders before the machine's own PATH."""
    return shown_machine(os.pathsep.join([*map(str, path), os.defpath]), folder, {})


async def test_a_box_has_what_the_user_works_with_and_nothing_else(tmp_path: Path) -> None:
    """Packages and programs cannot be changed; checkout, home and keys are not there."""
    await working_sandbox("bubblewrap")
    folder, tools = project(tmp_path / "here"), tmp_path / "tools"
    tools.mkdir()
    (tools / "tool").write_text("#!/bin/sh\necho a tool\n")
    (tools / "tool").chmod(0o755)
    (tmp_path / "key").write_text(SECRET)
    box = BubblewrapSandbox(
        owner=str(tmp_path),
        prepared=tmp_path / "kept",
        shown=lambda: shown(folder, folder / ".venv" / "bin", tools),
    )
    checks = [
        "python3 -c 'import only_here; print(only_here.ANSWER)'",
        "tool",
        "node -e 'console.log(require(\"told\").told)'",
        f"! touch {folder}/.venv/lib/x {tools}/x node_modules/told/x 2>/dev/null",
        f"! cat {folder}/.env {tmp_path}/key 2>/dev/null",
        f"! grep -rs {SECRET} / --include=.env --include=key",
        f"echo $(ls -A {folder} {Path.home()} 2>/dev/null)",
    ]
    async with opened(box) as session:
        await materialise(session, {"a.txt": ("100644", b"")})
        await restore(session)
        results = [await session.run(["sh", "-c", check], timeout=60) for check in checks]

    assert [each.exit_code for each in results] == [0] * len(checks), results
    assert [each.stdout.decode().strip() for each in results[:3]] == ["42", "a tool", "42"]
    assert ".env" not in results[-1].stdout.decode()


def test_an_agent_in_an_environment_of_its_own_is_shown(tmp_path: Path) -> None:
    """What pipx and uv install is a link on PATH; only for programs that are agents it is shown."""
    own, here, path = tmp_path / "pipx" / "aider", tmp_path / "here", tmp_path / "bin"
    venv.create(own)
    for folder in (here, path):
        folder.mkdir()
    for name in ("aider", "other"):
        (own / "bin" / name).touch()
    (path / "other").symlink_to(own / "bin" / "other")
    before = shown(here, path).places
    (path / "aider").symlink_to(own / "bin" / "aider")

    assert str(own / "bin") not in before
    assert shown(here, path).places.keys() >= {str(own / "bin"), str(own / "pyvenv.cfg")}


def test_an_agent_among_packages_of_npm_is_shown(tmp_path: Path) -> None:
    """With what is installed beside it; one that is a single file alone. Not if a commit links."""
    here, path, modules = tmp_path / "here", tmp_path / "bin", tmp_path / "lib" / "node_modules"
    single, inner = tmp_path / "versions" / "2.1", here / ".venv" / "bin"
    for folder in (path, inner, modules / "@openai" / "codex", single.parent):
        folder.mkdir(parents=True)
    (here / ".venv" / "pyvenv.cfg").touch()
    for program in (single, modules / "@openai" / "codex" / "codex.js"):
        program.touch()
    (path / "codex").symlink_to("../lib/node_modules/@openai/codex/codex.js")
    (path / "claude").symlink_to(single)
    (inner / "claude").symlink_to(tmp_path / "key")
    (tmp_path / "key").touch()

    places = shown(here, path, inner).places

    assert places.keys() >= {str(modules), str(single)}
    assert str(tmp_path / "key") not in places


def test_links_of_a_repository_lead_nowhere(tmp_path: Path) -> None:
    """What a commit turns into a link to a folder of the user's is not shown."""
    keys, here = tmp_path / "keys", tmp_path / "here"
    for folder in (keys, here / ".venv" / "bin", here / "web"):
        folder.mkdir(parents=True)
    (here / ".venv" / "pyvenv.cfg").write_text(f"home = {keys}\n")
    for link in (".venv/lib", "bin", "node_modules", "web/node_modules"):
        (here / link).symlink_to(keys)

    found = shown(here, here / ".venv" / "bin", here / "bin")

    assert keys.resolve() not in (*found.places.values(), *found.modules.values())
    assert str(here / ".venv" / "lib") not in found.places


@pytest.mark.parametrize("name", [".", "..", "here/.."])
def test_what_holds_the_checkout_is_not_shown(tmp_path: Path, name: str) -> None:
    """PATH may name it: the environment in it is shown part by part, the rest is not."""
    here = tmp_path / "here"
    venv.create(here)
    (here / ".env").write_text(SECRET)

    found = shown(here, tmp_path / "here" / name, here / "bin")

    assert not any(here.is_relative_to(place) for place in found.places.values())
    assert str(here / "lib") in found.places


def test_no_program_of_the_checkout_is_started(tmp_path: Path) -> None:
    """What a commit calls python3 runs in a box only."""
    for folder in (".venv/bin", "bin"):
        program = tmp_path / "here" / folder / "python3"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        program.chmod(0o755)
    here = tmp_path / "here"
    (here / ".venv" / "pyvenv.cfg").touch()

    shown(here, here / ".venv" / "bin", here / "bin")

    assert not (tmp_path / "ran").exists()


def test_a_script_in_front_of_an_interpreter_is_asked(tmp_path: Path) -> None:
    """As pyenv's are: the real one comes before it on PATH, and its files are shown."""
    real, shims = tmp_path / "versions" / "3", tmp_path / "shims"
    for folder in (real / "bin", real / "lib" / "python3.99", shims, tmp_path / "here"):
        folder.mkdir(parents=True)
    (real / "lib" / "python3.99" / "os.py").touch()
    (shims / "python3").write_text(f"#!/bin/sh\necho {real}/bin/python3\n")
    (shims / "python3").chmod(0o755)

    found = shown(tmp_path / "here", shims)

    assert found.path.split(os.pathsep)[:2] == [str(real / "bin"), str(shims)]
    assert found.places[str(real / "lib")] == (real / "lib").resolve()
