"""``python -m app`` is ``cairn``."""

from app.cli.main import main

main()
