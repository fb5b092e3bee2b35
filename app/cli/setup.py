"""``cairn setup``: registers the GitHub App."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def setup(
    url: Annotated[
        str,
        typer.Option(
            help="Where GitHub will reach the server, https:// (default: CAIRN_PUBLIC_URL)."
        ),
    ] = "",
    organization: Annotated[
        str, typer.Option(help="Organisation that shall own the App (default: your own account).")
    ] = "",
    name: Annotated[
        str, typer.Option(help="The App's name, at most 34 characters (default: from the address).")
    ] = "",
    file: Annotated[
        Path, typer.Option(help="File the secrets are written to; it must not exist.")
    ] = Path("cairn.env"),
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the page on this machine (0: any).")
    ] = 0,
) -> None:
    """Register the GitHub App with a page on this machine, and write its secrets to a file.

    For GitHub Enterprise Server set GITHUB_SERVER_URL before.
    """
    from app.setup.command import Asked, command

    raise typer.Exit(command(Asked(url, organization, name, file, port)))
