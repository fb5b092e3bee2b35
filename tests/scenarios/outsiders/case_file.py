"""A case in a text file: a repository, and runs with the model's answers and what must come out.

::

    title: what the case is about
    needs: programs that must be there
    --- base
    === path/of/a/file
    its content, also of ROADMAP.md and .github/cairn.yml; {tmp} is a folder outside of it
    --- run
    args: more arguments of `cairn run`
    expect: one of the outcomes below, or several that are all right
    row: why, by the table that decides
    holds: paths that the commit must have
    without: paths that it must not have
    listed: a text that the report must have
    calls: how often the model is asked, where that matters
    --- answer
    What the model says, with its files. The last answer of a run is given again and again.
    === path/of/a/file
    === DELETE path/of/another
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

COMPLETED = ("shown", "unbroken", "untested")
"""The verdicts of a task that was committed."""
NOT_COMPLETED = ("red", "asked")
"""``red``: the task failed; ``asked``: it waits for a person. Either way nothing is committed."""

_FENCE = "`````"


@dataclass(frozen=True)
class Turn:
    """One start of ``cairn run``."""

    args: tuple[str, ...]
    expect: tuple[str, ...]
    row: str
    holds: tuple[str, ...]
    without: tuple[str, ...]
    listed: str
    calls: int
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """One repository with what is done in it."""

    name: str
    needs: tuple[str, ...]
    files: dict[str, str]
    turns: tuple[Turn, ...]


def read_case(path: Path) -> Case:
    """Read one file. Raises ``ValueError`` if it says nothing that can be checked."""
    head, *parts = ("\n" + path.read_text(encoding="utf-8")).split("\n--- ")
    files: dict[str, str] = {}
    turns: list[tuple[dict[str, str], list[str]]] = []
    for part in parts:
        kind, _, text = part.partition("\n")
        if kind == "base":
            files = _files(text + "\n")[1]
        elif kind == "run":
            turns.append((_fields(text), []))
        elif kind == "answer":
            turns[-1][1].append(_answer(text + "\n"))
        else:
            raise ValueError(f"{path}: what is {kind!r}?")
    if "ROADMAP.md" not in files or not turns:
        raise ValueError(f"{path}: a case has a roadmap and a run")
    needs = tuple(_fields(head).get("needs", "").split())
    return Case(path.stem, needs, files, tuple(_turn(path, *turn) for turn in turns))


def _turn(path: Path, fields: dict[str, str], answers: list[str]) -> Turn:
    expect = tuple(fields["expect"].replace(" or ", " ").split())
    if not expect or set(expect) - {*COMPLETED, *NOT_COMPLETED} or not answers:
        raise ValueError(f"{path}: a run has an answer and one of the known outcomes")
    return Turn(
        tuple(fields.get("args", "").split()),
        expect,
        fields["row"],
        tuple(fields.get("holds", "").split()),
        tuple(fields.get("without", "").split()),
        fields.get("listed", ""),
        int(fields.get("calls", "0")),
        tuple(answers),
    )


def _fields(text: str) -> dict[str, str]:
    pairs = (line.partition(": ") for line in text.splitlines() if line.strip())
    return {name: value.strip() for name, _, value in pairs}


def _files(text: str) -> tuple[str, dict[str, str]]:
    said, *parts = ("\n" + text).split("\n=== ")
    split = (part.partition("\n") for part in parts)
    lines = {name: content.strip("\n") for name, _, content in split}
    return said.strip(), {
        name: f"{content}\n" if content else "" for name, content in lines.items()
    }


def _answer(text: str) -> str:
    said, files = _files(text)
    blocks = [
        name if name.startswith("DELETE ") else f"{name}\n{_FENCE}\n{content}{_FENCE}"
        for name, content in files.items()
    ]
    return "\n\n".join([said, *blocks]) + "\n"
