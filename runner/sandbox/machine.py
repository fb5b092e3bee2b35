"""What an isolated sandbox shows of this machine: the programs and packages that a user works with.

Only the folders of PATH, virtual environments and Python's, Node's and the compilers' own folders,
and the ``node_modules`` of the checkout; all of it read-only, at the same place. Never a home
folder, the checkout or anything that holds one of them, and never what a link of the repository
leads to.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from runner.sandbox.installed import folders_of_node

_OF_A_PREFIX = ("bin", "lib", "lib64", "libexec", "include")
_OF_AN_ENVIRONMENT = (*_OF_A_PREFIX, "share", "etc", "pyvenv.cfg")
# Where a variable leads to what compilers need; of folders that also hold keys only these parts.
_TOOLCHAINS: Mapping[str, tuple[str, ...]] = {
    "GOROOT": ("",),
    "GOMODCACHE": ("",),
    "GOPATH": ("pkg",),
    "JAVA_HOME": ("",),
    "DOTNET_ROOT": ("",),
    "RUSTUP_HOME": ("toolchains", "settings.toml"),
    "CARGO_HOME": ("registry", "git"),
}
_MACHINE = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
_NEVER = ("/proc", "/sys", "/dev", "/workspace", "/prepared")
# How each says where it is (files in its ``bin``), and what is below the folder of a real one.
_INTERPRETERS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "python3": (
        (
            *("-I", "-S", "-c"),
            "import os, sys; print(os.path.join(sys.base_prefix, 'bin', 'python3'),"
            " os.path.join(sys.base_exec_prefix, 'bin', 'python3'),"
            " os.path.realpath(sys.executable), sep='\\n')",
        ),
        "lib*/python3*/os.py",
    ),
    "node": (("-p", "process.execPath"), "bin/node"),
}
_AGENTS = ("aider", "mini")
"""Programs that pipx and uv install in an environment of their own; a link is on PATH."""
_ALONE = ("codex", "claude")
"""Programs that npm installs among other packages, or that are one file; a link is on PATH."""
_HOME = re.compile(r"^home\s*=(.+)$", re.MULTILINE)
_SECONDS = 10


@dataclass(slots=True)
class ShownMachine:
    """What is shown: ``places`` maps where it appears to what is really there (file or folder).

    ``path`` is the PATH of the commands, ``variables`` lead to toolchains, and ``modules`` are the
    ``node_modules`` folders of the checkout by their paths in it.
    """

    path: str = ""
    places: dict[str, Path] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    modules: dict[str, Path] = field(default_factory=dict)


def shown_machine(path: str, checkout: Path, toolchains: Mapping[str, str]) -> ShownMachine:
    """Look what to show, and start python3 and node for it; ``toolchains`` are variables."""
    shown, checkout = ShownMachine(), checkout.resolve()
    kept = [Path.home().resolve(), checkout]
    words: list[str] = []
    found: set[str] = set()
    for folder in map(Path, dict.fromkeys(path.split(os.pathsep))):
        if not folder.is_absolute() or not folder.is_dir():
            continue
        words.append(str(folder))
        places = {str(folder): folder}
        environment = (folder.parent / "pyvenv.cfg").is_file()
        if environment:
            places = _parts(folder.parent, _OF_AN_ENVIRONMENT)
        elif folder.is_relative_to(checkout) and not folder.resolve().is_relative_to(checkout):
            continue  # a link of the repository may lead anywhere
        for program in _INTERPRETERS:
            if program in found or not os.access(folder / program, os.X_OK):
                continue
            found.add(program)
            prefixes = _prefixes(folder / program, checkout)
            places |= {name: part for each in prefixes for name, part in _parts(each).items()}
            linked = environment or (folder / program).is_symlink()
            if prefixes and not linked and folder.parent not in prefixes:
                # on PATH is only a script that looks for the program (pyenv's)
                words.insert(-1, str(prefixes[0] / "bin"))
        for agent in _AGENTS:
            own = next(_links(folder / agent), folder).parent
            if own != folder and (own.parent / "pyvenv.cfg").is_file():
                places |= _parts(own.parent, _OF_AN_ENVIRONMENT)
                for prefix in _prefixes(own / "python3", checkout):
                    places |= _parts(prefix)
        alone = () if folder.is_relative_to(checkout) else _ALONE  # a commit may link anything
        for each in (step for agent in alone for step in _links(folder / agent)):
            packages = next((up for up in each.parents if up.name == "node_modules"), each)
            places[str(packages)] = packages
        _add(shown, places, kept)
    for name, parts in _TOOLCHAINS.items():
        if place := toolchains.get(name, ""):
            _add(shown, _parts(Path(place), parts), kept)
            shown.variables[name] = place
    shown.path = os.pathsep.join(dict.fromkeys(words))
    for name in folders_of_node(checkout):
        real = (checkout / name).resolve()
        if real.name == "node_modules":  # a link again
            shown.modules[name] = real
    return shown


def _parts(folder: Path, names: tuple[str, ...] = _OF_A_PREFIX) -> dict[str, Path]:
    """The parts of a folder that are there, but none that a link leads out of it."""
    there = [folder / name for name in names]
    within = folder.resolve()
    return {
        str(each): each for each in there if each.exists() and each.resolve().is_relative_to(within)
    }


def _add(shown: ShownMachine, places: Mapping[str, Path], kept: Sequence[Path]) -> None:
    for name, place in places.items():
        real = place.resolve()
        if any(Path(name).is_relative_to(each) for each in (*_MACHINE, *_NEVER)):
            continue
        if not any(each.is_relative_to(real) for each in kept):
            shown.places[name] = real


def _prefixes(program: Path, checkout: Path) -> list[Path]:
    """The folders below which an interpreter has its own files.

    Its links name them, and a virtual environment's file; a script in its place (pyenv's) is
    started and asked, unless it is in the checkout: what a repository brings runs only in a
    sandbox. A folder counts only if it looks like an interpreter's.
    """
    asks, mark = _INTERPRETERS[program.name]
    files = list(_links(program))
    with suppress(OSError):
        text = (program.parent.parent / "pyvenv.cfg").read_text("utf-8", "replace")
        files += [Path(home.strip(), program.name) for home in _HOME.findall(text)]
    if not any(each.is_relative_to(checkout) for each in (program, program.resolve())):
        environment = {"PATH": f"{program.parent}{os.pathsep}{os.defpath}", "HOME": os.devnull}
        with suppress(OSError, subprocess.TimeoutExpired):
            done = subprocess.run(
                [program, *asks],
                env=environment,
                cwd=checkout,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
            told = done.stdout.decode("utf-8", "replace").split("\n")
            files[:0] = [Path(line) for line in told if line]
    folders = dict.fromkeys(file.parent.parent for file in files)
    return [folder for folder in folders if any(folder.glob(mark))]


def _links(program: Path) -> Iterator[Path]:
    """Where a link leads, step by step; the last is a file."""
    for _ in range(20):
        if not program.is_symlink():
            return
        program = Path(os.path.normpath(program.parent / program.readlink()))
        yield program
