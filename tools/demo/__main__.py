"""``cairn demo``: the whole of Cairn at work, on a GitHub of its own.

Starts a fake GitHub on real git repositories and, unless OPENAI_API_KEY is set, a scripted model;
runs ``cairn serve`` as anybody would, comments ``/execute``, and shows live what happens.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
from pathlib import Path

from rich.console import Console

from tools.demo.show import Show
from tools.demo.stage import Stage

FOLDER = Path("demo-output").absolute()


def main() -> int:
    """Run the demo; 0 when it ended as promised."""
    parser = argparse.ArgumentParser(prog="cairn demo", description=__doc__)
    parser.add_argument(
        "--sandbox", default="", help="docker, bubblewrap or process (default: docker if it works)"
    )
    parser.add_argument("--image", default="", help="image, or root folder for bubblewrap")
    parser.add_argument(
        "--keep", action="store_true", help="keep everything up, to look around with a browser"
    )
    parser.add_argument("--kill", action="store_true", help="kill -9 Cairn in the middle of a task")
    arguments = parser.parse_args()
    console = Console(soft_wrap=True)
    if not console.is_terminal:
        console = Console(soft_wrap=True, width=140)
    if FOLDER.exists() and not (FOLDER / "github").is_dir():
        parser.error(f"{FOLDER} is not of an earlier demo; remove it, or go to another folder.")
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    (FOLDER / "github").mkdir()
    try:
        return asyncio.run(_demo(console, arguments))
    except KeyboardInterrupt:
        console.print("The demo was stopped.")
        return 130


async def _demo(console: Console, asked: argparse.Namespace) -> int:
    async with Stage(FOLDER, console, sandbox=asked.sandbox, image=asked.image).open() as stage:
        show = Show(console, stage, kill=asked.kill)
        await show.run()
        result = show.summary(real=bool(os.environ.get("OPENAI_API_KEY")))
        if asked.keep:
            await show.keep()
        else:
            show.what_next()
        return result


if __name__ == "__main__":
    sys.exit(main())
