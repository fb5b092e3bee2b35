"""``cairn demo``: the story of ``make demo``, also where Cairn is only installed."""

from __future__ import annotations

import runpy
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

_APP = Path(__file__).parents[1]
_NEEDED = ("cmarkgfm", "graphql", "pytest")
_EXTRA = "install Cairn's extra demo (docs/install.md)."
_WITHOUT = "This Cairn was built without the demo. Run make demo in Cairn's repository."


def demo(
    keep: Annotated[
        bool, typer.Option("--keep", help="Stay up at the end, to look around with a browser.")
    ] = False,
    kill: Annotated[
        bool, typer.Option("--kill", help="Kill Cairn in the middle of a task, and start it again.")
    ] = False,
    sandbox: Annotated[
        str,
        typer.Option(help="docker, bubblewrap or process (default: docker if it works)."),
    ] = "",
    image: Annotated[str, typer.Option(help="Image, or root folder for bubblewrap.")] = "",
) -> None:
    """Watch Cairn work on a fake GitHub, with a scripted model; needs no account and no key.

    Everything is kept in the folder demo-output. Set OPENAI_API_KEY to ask a real model.
    """
    # a wheel carries it within app/ (setup.py); a checkout has it where the tests are
    places = [each for each in (_APP / "demo", _APP.parent) if (each / "tools/demo").exists()]
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if not places or missing:
        print(
            f"The demo needs {', '.join(missing)}: {_EXTRA}" if places else _WITHOUT,
            file=sys.stderr,
        )
        raise typer.Exit(2)
    asked = {"--keep": keep, "--kill": kill, f"--sandbox={sandbox}": sandbox}
    flags = [flag for flag, wanted in (asked | {f"--image={image}": image}).items() if wanted]
    sys.argv = ["cairn demo", *flags]
    sys.path.insert(0, str(places[0]))
    runpy.run_module("tools.demo", run_name="__main__")
