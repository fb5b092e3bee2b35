"""The fault model as a process of its own, on loopback."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

from bench.loop.oracle import FaultModel
from bench.loop.wrongs import Program
from tests.model_server import ScriptedModel, serve


@asynccontextmanager
async def serving(
    folder: Path, programs: Mapping[str, Sequence[Program]]
) -> AsyncIterator[tuple[str, Path]]:
    """Serve while the block runs; gives the base URL and the file of the truth."""
    known, log = folder / "programs.json", folder / "truth.jsonl"
    known.write_text(json.dumps(programs))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.loop.server"),
        *("--programs", str(known), "--log", str(log)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().strip(), log
    finally:
        process.stdin.close()
        await process.wait()


async def _serve(model: FaultModel) -> None:
    """Serve until the input ends."""
    async with serve(cast(ScriptedModel, model)) as base_url:
        print(base_url, flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.loop.server")
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--log", type=Path, required=True)
    options = parser.parse_args()
    with options.log.open("a", encoding="utf-8") as truth:
        asyncio.run(_serve(FaultModel(json.loads(options.programs.read_text()), truth)))
