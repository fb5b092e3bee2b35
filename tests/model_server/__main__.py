"""Run the scripted model as a process: ``python -m tests.model_server --script FILE``."""

from __future__ import annotations

import argparse
import asyncio
import signal
from pathlib import Path

from tests.model_server.script import ScriptedModel
from tests.model_server.script_file import read_script
from tests.model_server.server import serve


def main() -> None:
    """Serve a script until the process is told to end."""
    parser = argparse.ArgumentParser(prog="python -m tests.model_server", description=__doc__)
    parser.add_argument("--script", type=Path, required=True, help="the script (YAML or JSON)")
    parser.add_argument("--port", type=int, default=0, help="port on loopback (0: any free one)")
    options = parser.parse_args()
    try:
        model = read_script(options.script)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    asyncio.run(_serve(model, options.script, options.port))


async def _serve(model: ScriptedModel, script: Path, port: int) -> None:
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    async with serve(model, port=port) as base_url:
        print(
            f"SCRIPTED MODEL, no language model: every answer comes from {script.name}\n"
            f"OPENAI_BASE_URL={base_url}",
            flush=True,
        )
        await ended.wait()


if __name__ == "__main__":
    main()
